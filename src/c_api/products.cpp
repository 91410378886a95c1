// Products with symmetric matrices, those whose result is one triangle, and batches of products.

#include "c_api/device.hpp"
#include "c_api/operands.hpp"
#include "core/numbers.hpp"

#include <algorithm>

using namespace hpart;
using namespace hpart::c_api;

namespace
{

template <typename Operation>
hpart_status run_product(hpart_device *device, const hpart_options *options, hpart_report **report,
                         Operation &&operation)
{
    return operate(device, options, call_gemm, report, std::forward<Operation>(operation));
}

// As the caller gives them.
struct ProductArguments {
    Scalar type = Scalar::d;
    std::int32_t layout = 0;
    CoefficientArgument alpha;
    const void *a = nullptr;
    std::int64_t lda = 0;
    const void *b = nullptr;
    std::int64_t ldb = 0;
    CoefficientArgument beta;
    void *c = nullptr;
    std::int64_t ldc = 0;
};

struct Shape {
    std::int64_t rows, columns;
};
Shape stored(Transpose transpose, std::int64_t rows, std::int64_t columns)
{
    return transpose == Transpose::none ? Shape{rows, columns} : Shape{columns, rows};
}

// C may overlap neither A nor B, which are not looked at where nothing is multiplied.
void check_operands(const ProductArguments &given, const Shape &a, const Shape &b, const Shape &c, bool reads, bool dry)
{
    const bool row_major = row_major_of(given.layout), looks = reads && !dry;
    const auto first = checked({'a', given.type, row_major, a.rows, a.columns, given.a, given.lda}, looks);
    const auto second = checked({'b', given.type, row_major, b.rows, b.columns, given.b, given.ldb}, looks);
    const auto result = checked({'c', given.type, row_major, c.rows, c.columns, given.c, given.ldc}, !dry);
    check_apart(result, first);
    check_apart(result, second);
}

hpart_status run_symm(hpart_device *device, const ProductArguments &given, bool hermitian, std::int32_t side,
                      std::int32_t uplo, std::int64_t m, std::int64_t n, const hpart_options *options,
                      hpart_report **report)
{
    return run_product(device, options, report, [&](DeviceGroup &devices, const Options &settings, Report &about) {
        SymmCall call;
        const bool row_major = row_major_of(given.layout);
        call.side = side_of(side);
        call.triangle = triangle_of(uplo);
        call.hermitian = hermitian;
        check_sizes({{"m", m}, {"n", n}});
        call.alpha = given.alpha.get("alpha");
        call.beta = given.beta.get("beta");
        call.a = given.a, call.lda = given.lda, call.b = given.b, call.ldb = given.ldb;
        call.c = {given.type, row_major, m, n, given.c, given.ldc};
        const auto order = call.side == Side::left ? m : n;
        check_operands(given, {order, order}, {m, n}, {m, n}, call.alpha != Coefficient(0) && m > 0 && n > 0,
                       is_dry(settings));
        symm(devices, call, settings, about);
    });
}

struct TriangleArguments {
    ProductArguments product;
    std::int32_t uplo = 0;
    std::int64_t n = 0, k = 0;
};

GemmtCall checked_call(const TriangleArguments &given, Transpose op_a, Transpose op_b, Shape b, bool dry)
{
    GemmtCall call;
    const auto &product = given.product;
    const bool row_major = row_major_of(product.layout);
    call.triangle = triangle_of(given.uplo);
    call.transpose_a = op_a, call.transpose_b = op_b;
    check_sizes({{"n", given.n}, {"k", given.k}});
    call.k = given.k;
    call.alpha = product.alpha.get("alpha");
    call.beta = product.beta.get("beta");
    call.a = product.a, call.lda = product.lda, call.b = product.b, call.ldb = product.ldb;
    call.c = {product.type, row_major, given.n, given.n, product.c, product.ldc};
    check_operands(product, stored(op_a, given.n, given.k), stored(op_b, b.rows, b.columns), {given.n, given.n},
                   call.alpha != Coefficient(0) && given.n > 0, dry);
    return call;
}

hpart_status run_gemmt(hpart_device *device, const TriangleArguments &given, std::int32_t transa, std::int32_t transb,
                       const hpart_options *options, hpart_report **report)
{
    return run_product(device, options, report, [&](DeviceGroup &devices, const Options &settings, Report &about) {
        const auto op_a = transpose_of(transa, "transa"), op_b = transpose_of(transb, "transb");
        gemmt(devices, checked_call(given, op_a, op_b, {given.k, given.n}, is_dry(settings)), settings, about);
    });
}

hpart_status run_syr2k(hpart_device *device, const TriangleArguments &given, bool hermitian, std::int32_t trans,
                       const hpart_options *options, hpart_report **report)
{
    return run_product(device, options, report, [&](DeviceGroup &devices, const Options &settings, Report &about) {
        const auto op =
            transpose_of(trans, "trans", given.product.type, hermitian ? Transpose::conjugate : Transpose::transpose);
        syr2k(devices, checked_call(given, op, op, {given.n, given.k}, is_dry(settings)), hermitian, settings, about);
    });
}

// Matrices at equal distances.
struct Batch {
    MatrixArgument first;
    std::int64_t stride, count;

    std::int64_t bytes_between() const { return stride * bytes_of(first.type); }
    // Elements from the first to the last one of a matrix.
    std::int64_t extent() const
    {
        const auto lines = first.row_major ? first.rows : first.columns,
                   length = first.row_major ? first.columns : first.rows;
        return lines == 0 || length == 0 ? 0 : (lines - 1) * first.ld + length;
    }
    std::int64_t last() const { return std::max<std::int64_t>(count - 1, 0); }
};

std::string name_of_stride(const Batch &batch) { return std::string("stride") + batch.first.name; }

// The memory of the first matrix, or of none if no matrix is read.
Footprint checked_batch(const Batch &batch, bool is_written, bool used)
{
    auto memory = checked(batch.first, used && batch.count > 0);
    const auto least = is_written && batch.count > 1 ? batch.extent() : 0;
    if (batch.stride < least)
        fail_argument(name_of_stride(batch), " is ", batch.stride, "; it must be at least ", least);
    const auto whole = checked_mul(batch.last(), batch.stride);
    if (!whole || !checked_mul(*whole, bytes_of(batch.first.type)))
        fail_argument(name_of_stride(batch), " is ", batch.stride, "; so far apart no array has ", batch.count,
                      " matrices");
    return memory;
}

Footprint at(Footprint memory, const Batch &batch, std::int64_t i)
{
    memory.begin += static_cast<std::uintptr_t>(i * batch.bytes_between());
    return memory;
}

// Each result is apart from those matrices of the other operand that may reach as far.
void check_batches_apart(const Footprint &written, const Batch &results, const Footprint &read, const Batch &others)
{
    if (written.begin == 0 || read.begin == 0) return;
    const auto bytes = bytes_of(results.first.type), own = results.extent() * bytes, extent = others.extent() * bytes;
    const auto distance = others.bytes_between();
    for (std::int64_t i = 0; i < results.count; ++i) {
        const auto result = at(written, results, i);
        const auto ahead = static_cast<std::int64_t>(result.begin - read.begin); // of the first of the others
        if (distance == 0) {
            check_apart(result, read);
            continue;
        }
        const auto first = std::clamp<std::int64_t>((ahead - extent) / distance, 0, others.last()),
                   last = std::clamp<std::int64_t>((ahead + own) / distance, -1, others.last());
        for (auto k = first; k <= last; ++k) check_apart(result, at(read, others, k));
    }
}

struct BatchArguments {
    ProductArguments product;
    std::int32_t transa = 0, transb = 0;
    std::int64_t m = 0, n = 0, k = 0, stridea = 0, strideb = 0, stridec = 0, batch = 0;
};

hpart_status run_batch(hpart_device *device, const BatchArguments &given, const hpart_options *options,
                       hpart_report **report)
{
    return run_product(device, options, report, [&](DeviceGroup &devices, const Options &settings, Report &about) {
        const auto &product = given.product;
        GemmBatch all;
        auto &call = all.first;
        call.type = product.type;
        call.row_major = row_major_of(product.layout);
        call.transpose_a = transpose_of(given.transa, "transa");
        call.transpose_b = transpose_of(given.transb, "transb");
        check_sizes({{"m", given.m}, {"n", given.n}, {"k", given.k}, {"batch", given.batch}});
        call.m = given.m, call.n = given.n, call.k = given.k;
        call.alpha = product.alpha.get("alpha");
        call.beta = product.beta.get("beta");
        call.a = product.a, call.lda = product.lda, call.b = product.b, call.ldb = product.ldb;
        call.c = product.c, call.ldc = product.ldc;
        all.stride_a = given.stridea, all.stride_b = given.strideb, all.stride_c = given.stridec;
        all.count = given.batch;

        const bool dry = is_dry(settings);
        const bool reads = !dry && call.alpha != Coefficient(0) && given.m > 0 && given.n > 0;
        const auto a = stored(call.transpose_a, given.m, given.k), b = stored(call.transpose_b, given.k, given.n);
        const Batch of_a{
            {'a', call.type, call.row_major, a.rows, a.columns, call.a, call.lda}, given.stridea, all.count};
        const Batch of_b{
            {'b', call.type, call.row_major, b.rows, b.columns, call.b, call.ldb}, given.strideb, all.count};
        const Batch of_c{
            {'c', call.type, call.row_major, given.m, given.n, call.c, call.ldc}, given.stridec, all.count};
        const auto first = checked_batch(of_a, false, reads), second = checked_batch(of_b, false, reads);
        const auto result = checked_batch(of_c, true, !dry);
        check_batches_apart(result, of_c, first, of_a);
        check_batches_apart(result, of_c, second, of_b);
        gemm_strided_batched(devices, all, settings, about);
    });
}

} // namespace

extern "C" {

#define HPART_PRODUCT(T)                                                                                               \
    ProductArguments { Scalar::T, layout, {Scalar::T, alpha}, a, lda, b, ldb, {Scalar::T, beta}, c, ldc }
#define HPART_SYMMETRIC(T, name, is_hermitian, Value, Number)                                                          \
    hpart_status hpart_##T##name(hpart_device *device, int32_t layout, int32_t side, int32_t uplo, int64_t m,          \
                                 int64_t n, Number alpha, const Value *a, int64_t lda, const Value *b, int64_t ldb,    \
                                 Number beta, Value *c, int64_t ldc, const hpart_options *options,                     \
                                 hpart_report **report)                                                                \
    {                                                                                                                  \
        return run_symm(device, HPART_PRODUCT(T), is_hermitian, side, uplo, m, n, options, report);                    \
    }
#define HPART_RANK_2K(T, name, is_hermitian, Value, Number, Beta)                                                      \
    hpart_status hpart_##T##name(hpart_device *device, int32_t layout, int32_t uplo, int32_t trans, int64_t n,         \
                                 int64_t k, Number alpha, const Value *a, int64_t lda, const Value *b, int64_t ldb,    \
                                 Beta beta, Value *c, int64_t ldc, const hpart_options *options,                       \
                                 hpart_report **report)                                                                \
    {                                                                                                                  \
        return run_syr2k(device, {HPART_PRODUCT(T), uplo, n, k}, is_hermitian, trans, options, report);                \
    }
#define HPART_DEFINE(T, Value, Number)                                                                                 \
    HPART_SYMMETRIC(T, symm, false, Value, Number)                                                                     \
    HPART_RANK_2K(T, syr2k, false, Value, Number, Number)                                                              \
    hpart_status hpart_##T##gemmt(hpart_device *device, int32_t layout, int32_t uplo, int32_t transa, int32_t transb,  \
                                  int64_t n, int64_t k, Number alpha, const Value *a, int64_t lda, const Value *b,     \
                                  int64_t ldb, Number beta, Value *c, int64_t ldc, const hpart_options *options,       \
                                  hpart_report **report)                                                               \
    {                                                                                                                  \
        return run_gemmt(device, {HPART_PRODUCT(T), uplo, n, k}, transa, transb, options, report);                     \
    }                                                                                                                  \
    hpart_status hpart_##T##gemm_strided_batched(hpart_device *device, int32_t layout, int32_t transa, int32_t transb, \
                                                 int64_t m, int64_t n, int64_t k, Number alpha, const Value *a,        \
                                                 int64_t lda, int64_t stridea, const Value *b, int64_t ldb,            \
                                                 int64_t strideb, Number beta, Value *c, int64_t ldc, int64_t stridec, \
                                                 int64_t batch, const hpart_options *options, hpart_report **report)   \
    {                                                                                                                  \
        return run_batch(device, {HPART_PRODUCT(T), transa, transb, m, n, k, stridea, strideb, stridec, batch},        \
                         options, report);                                                                             \
    }
HPART_ALL_TYPES(HPART_DEFINE)
#undef HPART_DEFINE
HPART_SYMMETRIC(c, hemm, true, void, const void *)
HPART_SYMMETRIC(z, hemm, true, void, const void *)
HPART_RANK_2K(c, her2k, true, void, const void *, float)
HPART_RANK_2K(z, her2k, true, void, const void *, double)
#undef HPART_SYMMETRIC
#undef HPART_RANK_2K
#undef HPART_PRODUCT

} // extern "C"

namespace
{

// As the caller gives them.
struct SyrkArguments {
    Scalar type;
    bool hermitian;
    std::int32_t layout, uplo, trans;
    std::int64_t n, k;
    CoefficientArgument alpha;
    const void *a;
    std::int64_t lda;
    CoefficientArgument beta;
    void *c;
    std::int64_t ldc;
};

SyrkCall checked_call(const SyrkArguments &given, bool dry)
{
    SyrkCall call;
    const bool row_major = row_major_of(given.layout);
    call.triangle = triangle_of(given.uplo);
    call.transpose_a =
        transpose_of(given.trans, "trans", given.type, given.hermitian ? Transpose::conjugate : Transpose::transpose);
    call.hermitian = given.hermitian;
    check_size(given.n, "n");
    check_size(call.k = given.k, "k");
    call.alpha = given.alpha.get("alpha");
    call.beta = given.beta.get("beta");
    call.a = given.a, call.lda = given.lda;
    call.c = {given.type, row_major, given.n, given.n, given.c, given.ldc};

    const bool plain = call.transpose_a == Transpose::none;
    const bool reads = !dry && call.alpha != Coefficient(0) && given.n > 0;
    const auto a = checked(
        {'a', given.type, row_major, plain ? given.n : given.k, plain ? given.k : given.n, given.a, given.lda}, reads);
    const auto c = checked({'c', given.type, row_major, given.n, given.n, given.c, given.ldc}, !dry);
    check_apart(c, a);
    return call;
}

hpart_status run(hpart_device *device, const SyrkArguments &given, const hpart_options *options, hpart_report **report)
{
    return operate(device, options, call_gemm, report,
                   [&](DeviceGroup &devices, const Options &settings, Report &about) {
                       syrk(devices, checked_call(given, is_dry(settings)), settings, about);
                   });
}

struct TrsmArguments {
    Scalar type;
    std::int32_t layout, side, uplo, transa, diag;
    std::int64_t m, n;
    CoefficientArgument alpha;
    const void *a;
    std::int64_t lda;
    void *b;
    std::int64_t ldb;
};

// Checks the arguments of trmm too.
TrsmCall checked_call(const TrsmArguments &given, bool dry)
{
    TrsmCall call;
    const bool row_major = row_major_of(given.layout);
    call.side = side_of(given.side);
    call.triangle = triangle_of(given.uplo);
    call.transpose_a = transpose_of(given.transa, "transa");
    call.unit_diagonal = unit_diagonal_of(given.diag);
    check_size(given.m, "m");
    check_size(given.n, "n");
    call.alpha = given.alpha.get("alpha");
    call.a = given.a, call.lda = given.lda;
    call.b = {given.type, row_major, given.m, given.n, given.b, given.ldb};

    const auto order = call.side == Side::left ? given.m : given.n;
    const bool reads = !dry && call.alpha != Coefficient(0) && given.m > 0 && given.n > 0;
    const auto a = checked({'a', given.type, row_major, order, order, given.a, given.lda}, reads);
    const auto b = checked({'b', given.type, row_major, given.m, given.n, given.b, given.ldb}, !dry);
    check_apart(b, a);
    return call;
}

hpart_status run(hpart_device *device, const TrsmArguments &given, bool solves, const hpart_options *options,
                 hpart_report **report)
{
    return operate(device, options, call_gemm, report,
                   [&](DeviceGroup &devices, const Options &settings, Report &about) {
                       const auto call = checked_call(given, is_dry(settings));
                       solves ? trsm(devices, call, settings, about) : trmm(devices, call, settings, about);
                   });
}

} // namespace

extern "C" {

#define HPART_UPDATE(T, name, is_hermitian, Value, Number)                                                             \
    hpart_status hpart_##T##name(hpart_device *device, int32_t layout, int32_t uplo, int32_t trans, int64_t n,         \
                                 int64_t k, Number alpha, const Value *a, int64_t lda, Number beta, Value *c,          \
                                 int64_t ldc, const hpart_options *options, hpart_report **report)                     \
    {                                                                                                                  \
        return run(device,                                                                                             \
                   SyrkArguments{Scalar::T,                                                                            \
                                 is_hermitian,                                                                         \
                                 layout,                                                                               \
                                 uplo,                                                                                 \
                                 trans,                                                                                \
                                 n,                                                                                    \
                                 k,                                                                                    \
                                 {Scalar::T, alpha},                                                                   \
                                 a,                                                                                    \
                                 lda,                                                                                  \
                                 {Scalar::T, beta},                                                                    \
                                 c,                                                                                    \
                                 ldc},                                                                                 \
                   options, report);                                                                                   \
    }
#define HPART_BY_TRIANGLE(T, name, solves, Value, Number)                                                              \
    hpart_status hpart_##T##name(hpart_device *device, int32_t layout, int32_t side, int32_t uplo, int32_t transa,     \
                                 int32_t diag, int64_t m, int64_t n, Number alpha, const Value *a, int64_t lda,        \
                                 Value *b, int64_t ldb, const hpart_options *options, hpart_report **report)           \
    {                                                                                                                  \
        return run(                                                                                                    \
            device,                                                                                                    \
            TrsmArguments{Scalar::T, layout, side, uplo, transa, diag, m, n, {Scalar::T, alpha}, a, lda, b, ldb},      \
            solves, options, report);                                                                                  \
    }
#define HPART_DEFINE(T, Value, Number)                                                                                 \
    HPART_UPDATE(T, syrk, false, Value, Number)                                                                        \
    HPART_BY_TRIANGLE(T, trsm, true, Value, Number)                                                                    \
    HPART_BY_TRIANGLE(T, trmm, false, Value, Number)
HPART_ALL_TYPES(HPART_DEFINE)
#undef HPART_DEFINE

// alpha and beta are real.
HPART_UPDATE(c, herk, true, void, float)
HPART_UPDATE(z, herk, true, void, double)
#undef HPART_UPDATE

} // extern "C"
