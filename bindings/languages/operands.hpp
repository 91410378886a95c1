// The operands of operations.cpp and factorisations.cpp: arrays of any of four types as matrices, vectors and numbers. Arrays are column by column; a call has the
// widest type of its arguments: complex if one is, single if one is, as in Octave.
#pragma once

#include "functions.hpp"

#include "kernels.hpp"

#include <hpart.hpp>

#include <algorithm>

namespace hpart_languages
{

inline bool is_complex(char type) { return type == 'c' || type == 'z'; }
inline bool is_single(char type) { return type == 's' || type == 'c'; }
inline char type_of(bool is_single, bool is_complex)
{
    return is_complex ? (is_single ? 'c' : 'z') : (is_single ? 's' : 'd');
}
inline char common(char first, char second)
{
    return type_of(is_single(first) || is_single(second), is_complex(first) || is_complex(second));
}

template <class Body> void for_type(char type, const Body &body)
{
    switch (type) {
    case 's': return body(float());
    case 'd': return body(double());
    case 'c': return body(std::complex<float>());
    default: return body(std::complex<double>());
    }
}

template <class Body> void for_real_type(char type, const Body &body)
{
    if (is_single(type)) return body(float());
    body(double());
}

template <class To, class From> To converted(From x)
{
    if constexpr (std::is_arithmetic_v<To>)
        return static_cast<To>(std::real(x));
    else
        return To(static_cast<typename To::value_type>(std::real(x)),
                  static_cast<typename To::value_type>(std::imag(x)));
}

inline int64_t elements(const std::vector<int64_t> &dims)
{
    int64_t count = 1;
    for (const int64_t dim : dims) count *= dim;
    return count;
}

// An array, or one of no rows and no columns for one that is not given.
inline Operand array_or_none(Argument argument, const char *name)
{
    Operand found;
    try {
        if (argument != nullptr) found = language.read_array(argument);
    } catch (const Failure &failure) {
        throw named(failure, name);
    }
    if (!found.object) found.dims = {0, 0};
    return found;
}

inline Operand array(Argument argument, const char *name)
{
    Operand found = array_or_none(argument, name);
    if (!found.object) refuse(std::string(name) + " is missing; it must be an array of numbers");
    return found;
}

inline bool is_none(const Operand &array)
{
    return std::all_of(array.dims.begin(), array.dims.end(), [](int64_t dim) { return dim == 0; });
}

// A new array with the elements.
inline Operand copy(const Operand &from, char type, const char *name)
{
    if (is_complex(from.type) && !is_complex(type)) refuse(std::string(name) + " is complex; it must be real");
    Operand to = language.new_array(type, from.dims);
    for_type(type, [&](auto number) {
        using To = decltype(number);
        for_type(from.type, [&](auto other) {
            using From = decltype(other);
            const auto *first = static_cast<const From *>(from.data);
            std::transform(first, first + elements(from.dims), static_cast<To *>(to.data), converted<To, From>);
        });
    });
    return to;
}

// The array itself, if it has the type.
inline Operand of_type(Operand from, char type, const char *name)
{
    return from.type == type ? from : copy(from, type, name);
}

struct Matrix {
    Operand array;
    int64_t rows = 0;
    int64_t columns = 1;
    [[nodiscard]] int64_t leading() const { return std::max<int64_t>(rows, 1); }
    template <class T> [[nodiscard]] T *data() const { return static_cast<T *>(array.data); }
};

inline Matrix matrix(Operand array, const char *name)
{
    if (array.dims.size() > 2)
        refuse(std::string(name) + " has " + std::to_string(array.dims.size()) + " dimensions; it must be a matrix");
    Matrix result;
    result.rows = array.dims.at(0);
    if (array.dims.size() == 2) result.columns = array.dims[1];
    result.array = std::move(array);
    return result;
}

inline Matrix matrix(Argument argument, const char *name) { return matrix(array(argument, name), name); }

inline void must_be(const char *name, const char *what, int64_t is, int64_t right)
{
    if (is != right)
        refuse(std::string(name) + " has " + std::to_string(is) + " " + what + "; it must have " +
               std::to_string(right));
}

inline void must_be_square(const Matrix &a, const char *name) { must_be(name, "columns", a.columns, a.rows); }

// The constant of one of the letters of the BLAS; the first, if none is given.
inline int32_t letter(Argument argument, const char *name, const std::vector<std::pair<char, int32_t>> &known)
{
    if (!is_given(argument, name)) return known.front().second;
    const std::string given = text(argument, name);
    std::string right;
    for (const auto &[character, value] : known) {
        if (given.size() == 1 && (given[0] & ~0x20) == character) return value;
        right += (right.empty() ? "\"" : ", \"") + std::string(1, character) + "\"";
    }
    refuse(std::string(name) + " is \"" + given + "\"; it must be one of " + right);
}

inline int32_t trans(Argument argument, const char *name)
{
    return letter(argument, name,
                  {{'N', HPART_NO_TRANSPOSE}, {'T', HPART_TRANSPOSE}, {'C', HPART_CONJUGATE_TRANSPOSE}});
}
inline int32_t uplo(Argument argument) { return letter(argument, "uplo", {{'U', HPART_UPPER}, {'L', HPART_LOWER}}); }

// A number, of any type until the call; if it is not given, the other.
inline Operand scalar(Argument argument, const char *name, double other)
{
    Operand number = array_or_none(argument, name);
    if (!is_none(number)) {
        must_be(name, "elements", elements(number.dims), 1);
        return number;
    }
    number = language.new_array('d', {1, 1});
    *static_cast<double *>(number.data) = other;
    return number;
}

template <class T> T number_in(const Operand &number, char type, const char *name)
{
    return *static_cast<const T *>(of_type(number, type, name).data);
}

// As the functions of hpart.h take it.
template <class T> decltype(auto) passed(const T &number)
{
    if constexpr (std::is_floating_point_v<T>)
        return T(number);
    else
        return static_cast<const void *>(&number);
}

class Operation
{
  public:
    Operation(Argument device, Argument options) : device_(device, "device"), options_(options) { options_.watch(); }
    template <class Function, class... Arguments> void run(Function function, Arguments... arguments)
    {
        status_ = function(device_.get(), arguments..., options_.get(), report_.place());
        options_.rethrow();
        if (status_.value != HPART_ERR_NUMERICAL) check(status_);
    }
    void finish(Record &results) const
    {
        add_report(results, report_.get());
        hpart_languages::finish(status_, results);
    }

  private:
    Borrowed<hpart_device> device_;
    Options options_;
    Made<hpart_report> report_;
    Status status_ = HPART_SUCCESS;
};

// alpha and beta, and C to which a product is added: a copy of what is given, or zeros. beta is 1 if only C is given.
struct Sum {
    Sum(Argument alpha_, Argument beta_, Argument c_, const char *c_name)
        : name(c_name), c(array_or_none(c_, c_name)), has_c(!is_none(c)), alpha(scalar(alpha_, "alpha", 1)),
          beta(scalar(beta_, "beta", has_c ? 1 : 0))
    {
        if (!has_c && !is_none(array_or_none(beta_, "beta")))
            refuse(std::string("beta is given and ") + name + " is not");
    }
    // Makes the output of these dimensions. Returns the type of the call.
    char make(char type, std::vector<int64_t> dims)
    {
        type = is_complex(alpha.type) || is_complex(beta.type) ? common(type, type_of(is_single(type), true)) : type;
        if (has_c) type = common(type, c.type);
        if (has_c && elements(dims) != elements(c.dims))
            refuse(std::string(name) + " has " + std::to_string(elements(c.dims)) + " elements; it must have " +
                   std::to_string(elements(dims)));
        if (has_c && dims.size() == 2) must_be(name, "rows", c.dims[0], dims[0]);
        c = has_c ? copy(c, type, name) : language.new_array(type, dims);
        return type;
    }
    const char *name;
    Operand c;
    bool has_c;
    Operand alpha, beta;
};

template <class Body> Outcome *perform(const Argument *x, int options, const Body &body)
{
    return call([&](Record &results) {
        Operation operation(x[0], x[options]);
        body(operation, results);
        operation.finish(results);
    });
}

// a and b of the type of both.
struct System {
    System(Argument a_, Argument b_, const char *name_of_a = "a", const char *name_of_b = "b")
        : a(matrix(a_, name_of_a)), b(matrix(b_, name_of_b)), type(common(a.array.type, b.array.type))
    {
        a.array = of_type(a.array, type, name_of_a);
        b.array = of_type(b.array, type, name_of_b);
    }
    Matrix a, b;
    char type;
};

// For a call that overwrites it.
inline Matrix own(Matrix matrix, const char *name)
{
    matrix.array = copy(matrix.array, matrix.array.type, name);
    return matrix;
}

} // namespace hpart_languages
