#include "c_api/open_device.hpp"
#include "c_api/operands.hpp"

using namespace hpart;
using namespace hpart::c_api;

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
