// Products and transforms of the arrays of languages that have such. An operation never changes its arguments: what hpart
// overwrites is a copy, which becomes the result.
#include "operands.hpp"

#include <cstring>

namespace hpart_languages
{
namespace
{

Outcome *rank_update(const Argument *x, bool is_hermitian)
{
    return perform(x, 7, [&](Operation &operation, Record &results) {
        Matrix a = matrix(x[1], "a");
        const int32_t triangle = uplo(x[2]);
        const int32_t op =
            is_hermitian ? letter(x[3], "trans", {{'N', HPART_NO_TRANSPOSE}, {'C', HPART_CONJUGATE_TRANSPOSE}})
            : is_complex(a.array.type) ? letter(x[3], "trans", {{'N', HPART_NO_TRANSPOSE}, {'T', HPART_TRANSPOSE}})
                                       : trans(x[3], "trans");
        Sum sum(x[4], x[5], x[6], "c");
        const bool is_plain = op == HPART_NO_TRANSPOSE;
        const int64_t n = is_plain ? a.rows : a.columns;
        const int64_t k = is_plain ? a.columns : a.rows;
        const char type = sum.make(is_hermitian ? type_of(is_single(a.array.type), true) : a.array.type, {n, n});
        a.array = of_type(a.array, type, "a");
        const Matrix c = matrix(sum.c, "c");
        if (is_hermitian)
            for_real_type(type, [&](auto number) {
                using R = decltype(number);
                const char real = type_of(is_single(type), false);
                operation.run(hpart::detail::complex_operations<R>::herk, HPART_COLUMN_MAJOR, triangle, op, n, k,
                              number_in<R>(sum.alpha, real, "alpha"), a.data<std::complex<R>>(), a.leading(),
                              number_in<R>(sum.beta, real, "beta"), c.data<std::complex<R>>(), c.leading());
            });
        else
            for_type(type, [&](auto number) {
                using T = decltype(number);
                const T alpha = number_in<T>(sum.alpha, type, "alpha");
                const T beta = number_in<T>(sum.beta, type, "beta");
                operation.run(hpart::detail::operations<T>::syrk, HPART_COLUMN_MAJOR, triangle, op, n, k, passed(alpha),
                              a.data<T>(), a.leading(), passed(beta), c.data<T>(), c.leading());
            });
        add(results, "c", c.array);
    });
}

int64_t rows_of(const Matrix &a, int32_t op) { return op == HPART_NO_TRANSPOSE ? a.rows : a.columns; }
int64_t columns_of(const Matrix &a, int32_t op) { return op == HPART_NO_TRANSPOSE ? a.columns : a.rows; }

// Two factors, of the type that the sum with c has.
struct TwoFactors {
    TwoFactors(Argument a_, Argument b_) : a(matrix(a_, "a")), b(matrix(b_, "b")) {}
    char make(Sum &sum, const std::vector<int64_t> &dims, bool is_complex_always = false)
    {
        const char both = common(a.array.type, b.array.type);
        const char type = sum.make(is_complex_always ? type_of(is_single(both), true) : both, dims);
        a.array = of_type(a.array, type, "a");
        b.array = of_type(b.array, type, "b");
        return type;
    }
    Matrix a, b;
};

// Matrices in an array of three dimensions; one alone is the same operand of each product.
struct Stack {
    Stack(Argument argument, const char *name)
    {
        Operand all = array(argument, name);
        if (all.dims.size() == 3) {
            count = all.dims.back();
            all.dims.pop_back();
        }
        first = matrix(all, name);
        if (count != 1) first.array.dims.push_back(count);
    }
    [[nodiscard]] int64_t stride() const { return count == 1 ? 0 : first.rows * first.columns; }
    Matrix first;
    int64_t count = 1;
};

Outcome *by_triangle(const Argument *x, bool solves)
{
    return perform(x, 8, [&](Operation &operation, Record &results) {
        System system(x[1], x[2]);
        const int32_t side = letter(x[3], "side", {{'L', HPART_LEFT}, {'R', HPART_RIGHT}});
        const int32_t triangle = uplo(x[4]);
        const int32_t op = trans(x[5], "transa");
        const int32_t diag = letter(x[6], "diag", {{'N', HPART_NON_UNIT}, {'U', HPART_UNIT}});
        const Operand factor = scalar(x[7], "alpha", 1);
        must_be_square(system.a, "a");
        must_be("a", "rows", system.a.rows, side == HPART_LEFT ? system.b.rows : system.b.columns);
        system.b = own(system.b, "b");
        for_type(system.type, [&](auto number) {
            using T = decltype(number);
            const T alpha = number_in<T>(factor, system.type, "alpha");
            operation.run(solves ? hpart::detail::operations<T>::trsm : hpart::detail::operations<T>::trmm,
                          HPART_COLUMN_MAJOR, side, triangle, op, diag, system.b.rows, system.b.columns, passed(alpha),
                          system.a.data<T>(), system.a.leading(), system.b.data<T>(), system.b.leading());
        });
        add(results, "x", system.b.array);
    });
}

Outcome *by_symmetric(const Argument *x, bool is_hermitian)
{
    return perform(x, 8, [&](Operation &operation, Record &results) {
        TwoFactors given(x[1], x[2]);
        const int32_t side = letter(x[3], "side", {{'L', HPART_LEFT}, {'R', HPART_RIGHT}});
        const int32_t triangle = uplo(x[4]);
        Sum sum(x[5], x[6], x[7], "c");
        must_be_square(given.a, "a");
        must_be("a", "rows", given.a.rows, side == HPART_LEFT ? given.b.rows : given.b.columns);
        const char type = given.make(sum, {given.b.rows, given.b.columns}, is_hermitian);
        const Matrix c = matrix(sum.c, "c");
        const auto run = [&](auto function, auto number) {
            using T = decltype(number);
            const T alpha = number_in<T>(sum.alpha, type, "alpha");
            const T beta = number_in<T>(sum.beta, type, "beta");
            operation.run(function, HPART_COLUMN_MAJOR, side, triangle, c.rows, c.columns, passed(alpha),
                          given.a.data<T>(), given.a.leading(), given.b.data<T>(), given.b.leading(), passed(beta),
                          c.data<T>(), c.leading());
        };
        if (is_hermitian)
            for_real_type(type, [&](auto number) {
                using R = decltype(number);
                run(hpart::detail::complex_operations<R>::hemm, std::complex<R>());
            });
        else
            for_type(type, [&](auto number) { run(hpart::detail::operations<decltype(number)>::symm, number); });
        add(results, "c", c.array);
    });
}

Outcome *rank_2k_update(const Argument *x, bool is_hermitian)
{
    return perform(x, 8, [&](Operation &operation, Record &results) {
        TwoFactors given(x[1], x[2]);
        const int32_t triangle = uplo(x[3]);
        const int32_t op = trans(x[4], "trans");
        Sum sum(x[5], x[6], x[7], "c");
        const int64_t n = rows_of(given.a, op);
        const int64_t k = columns_of(given.a, op);
        must_be("b", "rows", given.b.rows, given.a.rows);
        must_be("b", "columns", given.b.columns, given.a.columns);
        const char type = given.make(sum, {n, n}, is_hermitian);
        const Matrix c = matrix(sum.c, "c");
        const auto run = [&](auto function, auto number, auto beta) {
            using T = decltype(number);
            const T alpha = number_in<T>(sum.alpha, type, "alpha");
            operation.run(function, HPART_COLUMN_MAJOR, triangle, op, n, k, passed(alpha), given.a.data<T>(),
                          given.a.leading(), given.b.data<T>(), given.b.leading(), passed(beta), c.data<T>(),
                          c.leading());
        };
        if (is_hermitian)
            for_real_type(type, [&](auto number) {
                using R = decltype(number);
                run(hpart::detail::complex_operations<R>::her2k, std::complex<R>(),
                    number_in<R>(sum.beta, type_of(is_single(type), false), "beta"));
            });
        else
            for_type(type, [&](auto number) {
                using T = decltype(number);
                run(hpart::detail::operations<T>::syr2k, number, number_in<T>(sum.beta, type, "beta"));
            });
        add(results, "c", c.array);
    });
}

// The dimensions of a transform of an array: the first `rank`, or the first that is not 1; in the order of hpart.h, the last one contiguous.
struct Shape {
    Shape(const std::vector<int64_t> &all, Argument rank_)
    {
        const auto count = static_cast<int64_t>(all.size());
        const int64_t rank = is_given(rank_) ? integer(rank_, "rank") : 1;
        if (rank < 1 || rank > count)
            refuse("rank is " + std::to_string(rank) + "; it must be from 1 to the array's " + std::to_string(count) +
                   " dimensions");
        if (!is_given(rank_))
            while (first + 1 < all.size() && all[first] == 1) ++first;
        for (size_t i = first + static_cast<size_t>(rank); i-- > first;) dims.push_back(all[i]);
        for (size_t i = first + static_cast<size_t>(rank); i < all.size(); ++i) batch *= all[i];
    }
    [[nodiscard]] int64_t rank() const { return static_cast<int64_t>(dims.size()); }
    size_t first = 0; // the number of the contiguous dimension
    std::vector<int64_t> dims;
    int64_t batch = 1;
};

// operation_of(real number): that of the type. more: arguments before the arrays. Empty arrays stay as they are.
template <class OperationOf, class... More>
void transform(Operation &operation, const Operand &in, const Operand &out, const Shape &shape,
               const OperationOf &operation_of, More... more)
{
    if (elements(out.dims) == 0) return;
    for_real_type(in.type, [&](auto number) {
        using R = decltype(number);
        operation.run(operation_of(number), shape.rank(), shape.dims.data(), shape.batch, more...,
                      static_cast<const R *>(in.data), static_cast<R *>(out.data));
    });
}

} // namespace

Outcome *device_open(const Argument *x)
{
    return call([&](Record &results) {
        const std::string spec = joined(x[0], "spec");
        const Options options(x[1]);
        if (options.has_progress()) refuse("progress is an option of the operations, not of device_open");
        Made<hpart_device> device;
        check(hpart_device_open(spec.c_str(), options.get(), device.place()));
        add(results, "device", device.take());
    });
}

Outcome *device_close(const Argument *x)
{
    return call([&](Record &) { destroy(x[0], "device", Kind<hpart_device>::name); });
}

Outcome *gemm(const Argument *x)
{
    return perform(x, 8, [&](Operation &operation, Record &results) {
        Matrix a = matrix(x[1], "a");
        Matrix b = matrix(x[2], "b");
        const int32_t op_a = trans(x[3], "transa");
        const int32_t op_b = trans(x[4], "transb");
        Sum sum(x[5], x[6], x[7], "c");
        const int64_t m = op_a == HPART_NO_TRANSPOSE ? a.rows : a.columns;
        const int64_t k = op_a == HPART_NO_TRANSPOSE ? a.columns : a.rows;
        const int64_t n = op_b == HPART_NO_TRANSPOSE ? b.columns : b.rows;
        must_be("b", op_b == HPART_NO_TRANSPOSE ? "rows" : "columns", op_b == HPART_NO_TRANSPOSE ? b.rows : b.columns,
                k);
        const char type = sum.make(common(a.array.type, b.array.type), {m, n});
        a.array = of_type(a.array, type, "a");
        b.array = of_type(b.array, type, "b");
        const Matrix c = matrix(sum.c, "c");
        for_type(type, [&](auto number) {
            using T = decltype(number);
            const T alpha = number_in<T>(sum.alpha, type, "alpha");
            const T beta = number_in<T>(sum.beta, type, "beta");
            operation.run(hpart::detail::operations<T>::gemm, HPART_COLUMN_MAJOR, op_a, op_b, m, n, k, passed(alpha),
                          a.data<T>(), a.leading(), b.data<T>(), b.leading(), passed(beta), c.data<T>(), c.leading());
        });
        add(results, "c", c.array);
    });
}

Outcome *gemv(const Argument *x)
{
    return perform(x, 7, [&](Operation &operation, Record &results) {
        Matrix a = matrix(x[1], "a");
        Operand v = array(x[2], "x");
        const int32_t op = trans(x[3], "trans");
        Sum sum(x[4], x[5], x[6], "y");
        const bool is_plain = op == HPART_NO_TRANSPOSE;
        must_be("x", "elements", elements(v.dims), is_plain ? a.columns : a.rows);
        const char type = sum.make(common(a.array.type, v.type), {is_plain ? a.rows : a.columns});
        a.array = of_type(a.array, type, "a");
        v = of_type(v, type, "x");
        for_type(type, [&](auto number) {
            using T = decltype(number);
            const T alpha = number_in<T>(sum.alpha, type, "alpha");
            const T beta = number_in<T>(sum.beta, type, "beta");
            operation.run(hpart::detail::operations<T>::gemv, HPART_COLUMN_MAJOR, op, a.rows, a.columns, passed(alpha),
                          a.data<T>(), a.leading(), static_cast<const T *>(v.data), int64_t{1}, passed(beta),
                          static_cast<T *>(sum.c.data), int64_t{1});
        });
        add(results, "y", sum.c);
    });
}

Outcome *syrk(const Argument *x) { return rank_update(x, false); }
Outcome *herk(const Argument *x) { return rank_update(x, true); }

Outcome *trsm(const Argument *x) { return by_triangle(x, true); }
Outcome *trmm(const Argument *x) { return by_triangle(x, false); }
Outcome *symm(const Argument *x) { return by_symmetric(x, false); }
Outcome *hemm(const Argument *x) { return by_symmetric(x, true); }
Outcome *syr2k(const Argument *x) { return rank_2k_update(x, false); }
Outcome *her2k(const Argument *x) { return rank_2k_update(x, true); }

Outcome *gemmt(const Argument *x)
{
    return perform(x, 9, [&](Operation &operation, Record &results) {
        TwoFactors given(x[1], x[2]);
        const int32_t triangle = uplo(x[3]);
        const int32_t op_a = trans(x[4], "transa");
        const int32_t op_b = trans(x[5], "transb");
        Sum sum(x[6], x[7], x[8], "c");
        const int64_t n = rows_of(given.a, op_a);
        const int64_t k = columns_of(given.a, op_a);
        must_be("b", op_b == HPART_NO_TRANSPOSE ? "rows" : "columns", rows_of(given.b, op_b), k);
        must_be("b", op_b == HPART_NO_TRANSPOSE ? "columns" : "rows", columns_of(given.b, op_b), n);
        const char type = given.make(sum, {n, n});
        const Matrix c = matrix(sum.c, "c");
        for_type(type, [&](auto number) {
            using T = decltype(number);
            const T alpha = number_in<T>(sum.alpha, type, "alpha");
            const T beta = number_in<T>(sum.beta, type, "beta");
            operation.run(hpart::detail::operations<T>::gemmt, HPART_COLUMN_MAJOR, triangle, op_a, op_b, n, k,
                          passed(alpha), given.a.data<T>(), given.a.leading(), given.b.data<T>(), given.b.leading(),
                          passed(beta), c.data<T>(), c.leading());
        });
        add(results, "c", c.array);
    });
}

Outcome *gemm_strided_batched(const Argument *x)
{
    return perform(x, 8, [&](Operation &operation, Record &results) {
        Stack a(x[1], "a");
        Stack b(x[2], "b");
        const int32_t op_a = trans(x[3], "transa");
        const int32_t op_b = trans(x[4], "transb");
        Sum sum(x[5], x[6], x[7], "c");
        const int64_t m = rows_of(a.first, op_a);
        const int64_t k = columns_of(a.first, op_a);
        const int64_t n = columns_of(b.first, op_b);
        must_be("b", op_b == HPART_NO_TRANSPOSE ? "rows" : "columns", rows_of(b.first, op_b), k);
        const int64_t batch = std::max(a.count, b.count);
        if (a.count != 1) must_be("a", "matrices", a.count, batch);
        if (b.count != 1) must_be("b", "matrices", b.count, batch);
        const char type = sum.make(common(a.first.array.type, b.first.array.type), {m, n, batch});
        a.first.array = of_type(a.first.array, type, "a");
        b.first.array = of_type(b.first.array, type, "b");
        for_type(type, [&](auto number) {
            using T = decltype(number);
            const T alpha = number_in<T>(sum.alpha, type, "alpha");
            const T beta = number_in<T>(sum.beta, type, "beta");
            operation.run(hpart::detail::operations<T>::gemm_strided_batched, HPART_COLUMN_MAJOR, op_a, op_b, m, n, k,
                          passed(alpha), a.first.data<T>(), a.first.leading(), a.stride(), b.first.data<T>(),
                          b.first.leading(), b.stride(), passed(beta), static_cast<T *>(sum.c.data),
                          std::max<int64_t>(m, 1), m * n, batch);
        });
        add(results, "c", sum.c);
    });
}

Outcome *fft(const Argument *x)
{
    return perform(x, 4, [&](Operation &operation, Record &results) {
        Operand in = array(x[1], "x");
        const int32_t sign = is_given(x[2]) ? small_integer(x[2], "sign") : -1;
        const Shape shape(in.dims, x[3]);
        in = of_type(in, type_of(is_single(in.type), true), "x");
        const Operand out = language.new_array(in.type, in.dims);
        transform(
            operation, in, out, shape,
            [](auto number) { return hpart::detail::complex_operations<decltype(number)>::fft; }, sign);
        add(results, "y", out);
    });
}

Outcome *fft_r2c(const Argument *x)
{
    return perform(x, 3, [&](Operation &operation, Record &results) {
        const Operand in = array(x[1], "x");
        if (is_complex(in.type)) refuse("x is complex; it must be real");
        const Shape shape(in.dims, x[2]);
        std::vector<int64_t> dims = in.dims;
        if (dims[shape.first] > 0) dims[shape.first] = dims[shape.first] / 2 + 1;
        const Operand out = language.new_array(type_of(is_single(in.type), true), dims);
        transform(operation, in, out, shape,
                  [](auto number) { return hpart::detail::complex_operations<decltype(number)>::fft_r2c; });
        add(results, "y", out);
    });
}

Outcome *fft_c2r(const Argument *x)
{
    return perform(x, 4, [&](Operation &operation, Record &results) {
        Operand in = array(x[1], "x");
        const int64_t points = integer(x[2], "points");
        Shape shape(in.dims, x[3]);
        if (points < 1) refuse("points is " + std::to_string(points) + "; it must be at least 1");
        must_be("x", "rows", in.dims[shape.first], points / 2 + 1);
        in = of_type(in, type_of(is_single(in.type), true), "x");
        std::vector<int64_t> dims = in.dims;
        dims[shape.first] = shape.dims.back() = points;
        const Operand out = language.new_array(type_of(is_single(in.type), false), dims);
        transform(operation, in, out, shape,
                  [](auto number) { return hpart::detail::complex_operations<decltype(number)>::fft_c2r; });
        add(results, "y", out);
    });
}

} // namespace hpart_languages
