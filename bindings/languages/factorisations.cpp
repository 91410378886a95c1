// Factorisations and solvers of the arrays of languages that have such.
#include "operands.hpp"

#include <cstring>

namespace hpart_languages
{
namespace
{

template <class T> void clear_opposite(const Matrix &a, int32_t triangle)
{
    for (int64_t j = 0; j < a.columns; ++j)
        for (int64_t i = 0; i < a.rows; ++i)
            if (triangle == HPART_UPPER ? i > j : i < j) a.data<T>()[i + j * a.rows] = 0;
}

// A X = B with a square A, of which B becomes X.
struct SquareSystem : System {
    SquareSystem(Argument a_, Argument b_, const char *name = "a") : System(a_, b_)
    {
        must_be_square(a, name);
        must_be("b", "rows", b.rows, a.rows);
        b = own(b, "b");
    }
};

// Factors of Q, and as many reflectors of them as tau has numbers.
struct Reflectors {
    Reflectors(const Matrix &a, const Operand &tau_)
        : tau(of_type(tau_, a.array.type, "tau")), count(elements(tau.dims))
    {
        if (count > a.columns)
            refuse("tau has " + std::to_string(count) + " elements; it must have at most " + std::to_string(a.columns) +
                   ", as qr has columns");
    }
    Operand tau;
    int64_t count;
};

} // namespace

Outcome *getrf(const Argument *x)
{
    return perform(x, 2, [&](Operation &operation, Record &results) {
        const Matrix a = own(matrix(x[1], "a"), "a");
        Integers pivots(static_cast<size_t>(std::min(a.rows, a.columns)));
        for_type(a.array.type, [&](auto number) {
            using T = decltype(number);
            operation.run(hpart::detail::operations<T>::getrf, HPART_COLUMN_MAJOR, a.rows, a.columns, a.data<T>(),
                          a.leading(), pivots.data());
        });
        add(results, "lu", a.array);
        add(results, "pivots", std::move(pivots));
    });
}

Outcome *potrf(const Argument *x)
{
    return perform(x, 3, [&](Operation &operation, Record &results) {
        const Matrix a = own(matrix(x[1], "a"), "a");
        const int32_t triangle = uplo(x[2]);
        must_be_square(a, "a");
        for_type(a.array.type, [&](auto number) {
            using T = decltype(number);
            operation.run(hpart::detail::operations<T>::potrf, HPART_COLUMN_MAJOR, triangle, a.rows, a.data<T>(),
                          a.leading());
            clear_opposite<T>(a, triangle);
        });
        add(results, "factor", a.array);
    });
}

Outcome *geqrf(const Argument *x)
{
    return perform(x, 2, [&](Operation &operation, Record &results) {
        const Matrix a = own(matrix(x[1], "a"), "a");
        const Operand tau = language.new_array(a.array.type, {std::min(a.rows, a.columns)});
        for_type(a.array.type, [&](auto number) {
            using T = decltype(number);
            operation.run(hpart::detail::operations<T>::geqrf, HPART_COLUMN_MAJOR, a.rows, a.columns, a.data<T>(),
                          a.leading(), static_cast<T *>(tau.data));
        });
        add(results, "qr", a.array);
        add(results, "tau", tau);
    });
}

Outcome *getrs(const Argument *x)
{
    return perform(x, 5, [&](Operation &operation, Record &results) {
        SquareSystem system(x[1], x[3], "lu");
        const Integers pivots = integers(x[2], "pivots");
        const int32_t op = trans(x[4], "trans");
        must_be("pivots", "elements", static_cast<int64_t>(pivots.size()), system.a.rows);
        for_type(system.type, [&](auto number) {
            using T = decltype(number);
            operation.run(hpart::detail::operations<T>::getrs, HPART_COLUMN_MAJOR, op, system.a.rows, system.b.columns,
                          system.a.data<T>(), system.a.leading(), pivots.data(), system.b.data<T>(),
                          system.b.leading());
        });
        add(results, "x", system.b.array);
    });
}

Outcome *potrs(const Argument *x)
{
    return perform(x, 4, [&](Operation &operation, Record &results) {
        SquareSystem system(x[1], x[2], "factor");
        const int32_t triangle = uplo(x[3]);
        for_type(system.type, [&](auto number) {
            using T = decltype(number);
            operation.run(hpart::detail::operations<T>::potrs, HPART_COLUMN_MAJOR, triangle, system.a.rows,
                          system.b.columns, system.a.data<T>(), system.a.leading(), system.b.data<T>(),
                          system.b.leading());
        });
        add(results, "x", system.b.array);
    });
}

Outcome *getri(const Argument *x)
{
    return perform(x, 3, [&](Operation &operation, Record &results) {
        const Matrix a = own(matrix(x[1], "lu"), "lu");
        const Integers pivots = integers(x[2], "pivots");
        must_be_square(a, "lu");
        must_be("pivots", "elements", static_cast<int64_t>(pivots.size()), a.rows);
        for_type(a.array.type, [&](auto number) {
            using T = decltype(number);
            operation.run(hpart::detail::operations<T>::getri, HPART_COLUMN_MAJOR, a.rows, a.data<T>(), a.leading(),
                          pivots.data());
        });
        add(results, "inverse", a.array);
    });
}

Outcome *potri(const Argument *x)
{
    return perform(x, 3, [&](Operation &operation, Record &results) {
        const Matrix a = own(matrix(x[1], "factor"), "factor");
        const int32_t triangle = uplo(x[2]);
        must_be_square(a, "factor");
        for_type(a.array.type, [&](auto number) {
            using T = decltype(number);
            operation.run(hpart::detail::operations<T>::potri, HPART_COLUMN_MAJOR, triangle, a.rows, a.data<T>(),
                          a.leading());
            clear_opposite<T>(a, triangle);
        });
        add(results, "inverse", a.array);
    });
}

Outcome *ormqr(const Argument *x)
{
    return perform(x, 6, [&](Operation &operation, Record &results) {
        const System system(x[1], x[3], "qr", "c");
        const Matrix c = own(system.b, "c");
        const Reflectors q(system.a, array(x[2], "tau"));
        const int32_t side = letter(x[4], "side", {{'L', HPART_LEFT}, {'R', HPART_RIGHT}});
        const int32_t op = trans(x[5], "trans");
        must_be("qr", "rows", system.a.rows, side == HPART_LEFT ? c.rows : c.columns);
        for_type(system.type, [&](auto number) {
            using T = decltype(number);
            operation.run(hpart::detail::operations<T>::ormqr, HPART_COLUMN_MAJOR, side, op, c.rows, c.columns, q.count,
                          system.a.data<T>(), system.a.leading(), static_cast<const T *>(q.tau.data), c.data<T>(),
                          c.leading());
        });
        add(results, "c", c.array);
    });
}

Outcome *orgqr(const Argument *x)
{
    return perform(x, 3, [&](Operation &operation, Record &results) {
        const Matrix qr = matrix(x[1], "qr");
        const Reflectors q(qr, array(x[2], "tau"));
        const Matrix a = matrix(language.new_array(qr.array.type, {qr.rows, q.count}), "q");
        for_type(qr.array.type, [&](auto number) {
            using T = decltype(number);
            std::copy_n(qr.data<T>(), elements(a.array.dims), a.data<T>());
            operation.run(hpart::detail::operations<T>::orgqr, HPART_COLUMN_MAJOR, a.rows, a.columns, q.count,
                          a.data<T>(), a.leading(), static_cast<const T *>(q.tau.data));
        });
        add(results, "q", a.array);
    });
}

Outcome *gesv(const Argument *x)
{
    return perform(x, 3, [&](Operation &operation, Record &results) {
        SquareSystem system(x[1], x[2]);
        system.a = own(system.a, "a");
        Integers pivots(static_cast<size_t>(system.a.rows));
        for_type(system.type, [&](auto number) {
            using T = decltype(number);
            operation.run(hpart::detail::operations<T>::gesv, HPART_COLUMN_MAJOR, system.a.rows, system.b.columns,
                          system.a.data<T>(), system.a.leading(), pivots.data(), system.b.data<T>(),
                          system.b.leading());
        });
        add(results, "x", system.b.array);
    });
}

Outcome *posv(const Argument *x)
{
    return perform(x, 4, [&](Operation &operation, Record &results) {
        SquareSystem system(x[1], x[2]);
        const int32_t triangle = uplo(x[3]);
        system.a = own(system.a, "a");
        for_type(system.type, [&](auto number) {
            using T = decltype(number);
            operation.run(hpart::detail::operations<T>::posv, HPART_COLUMN_MAJOR, triangle, system.a.rows,
                          system.b.columns, system.a.data<T>(), system.a.leading(), system.b.data<T>(),
                          system.b.leading());
        });
        add(results, "x", system.b.array);
    });
}

Outcome *gels(const Argument *x)
{
    return perform(x, 4, [&](Operation &operation, Record &results) {
        const System system(x[1], x[2]);
        const Matrix a = own(system.a, "a");
        const int32_t op = trans(x[3], "trans");
        const bool is_plain = op == HPART_NO_TRANSPOSE;
        must_be("b", "rows", system.b.rows, is_plain ? a.rows : a.columns);
        const auto resized = [&](const Matrix &from, std::vector<int64_t> dims) {
            if (from.array.dims.size() == 1) dims.pop_back();
            Matrix to = matrix(language.new_array(system.type, dims), "b");
            const size_t bytes = is_complex(system.type) ? 2 : 1;
            const size_t size = bytes * (is_single(system.type) ? sizeof(float) : sizeof(double));
            const auto rows = static_cast<size_t>(std::min(from.rows, to.rows));
            for (int64_t j = 0; rows > 0 && j < from.columns; ++j)
                std::memcpy(to.data<char>() + static_cast<size_t>(j * to.rows) * size,
                            from.data<char>() + static_cast<size_t>(j * from.rows) * size, rows * size);
            return to;
        };
        const Matrix b = resized(system.b, {std::max(a.rows, a.columns), system.b.columns});
        for_type(system.type, [&](auto number) {
            using T = decltype(number);
            operation.run(hpart::detail::operations<T>::gels, HPART_COLUMN_MAJOR, op, a.rows, a.columns, b.columns,
                          a.data<T>(), a.leading(), b.data<T>(), b.leading());
        });
        add(results, "x", resized(b, {is_plain ? a.columns : a.rows, b.columns}).array);
    });
}

} // namespace hpart_languages
