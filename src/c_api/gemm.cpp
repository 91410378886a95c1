#include "out_of_card/gemm/gemm.hpp"
#include "c_api/open_device.hpp"
#include "c_api/operands.hpp"

using namespace hpart;
using namespace hpart::c_api;

namespace
{

// As the caller gives them.
struct GemmArguments {
    Scalar type;
    std::int32_t layout, transa, transb;
    std::int64_t m, n, k;
    CoefficientArgument alpha;
    const void *a;
    std::int64_t lda;
    const void *b;
    std::int64_t ldb;
    CoefficientArgument beta;
    void *c;
    std::int64_t ldc;
};

GemmCall checked_call(const GemmArguments &given, bool dry)
{
    GemmCall call;
    call.type = given.type;
    call.row_major = row_major_of(given.layout);
    call.transpose_a = transpose_of(given.transa, "transa");
    call.transpose_b = transpose_of(given.transb, "transb");
    check_size(call.m = given.m, "m");
    check_size(call.n = given.n, "n");
    check_size(call.k = given.k, "k");
    call.alpha = given.alpha.get("alpha");
    call.beta = given.beta.get("beta");
    call.a = given.a, call.lda = given.lda;
    call.b = given.b, call.ldb = given.ldb;
    call.c = given.c, call.ldc = given.ldc;

    const bool a_plain = call.transpose_a == Transpose::none, b_plain = call.transpose_b == Transpose::none;
    const bool reads = !dry && call.alpha != Coefficient(0) && call.m > 0 && call.n > 0;
    const auto a = checked(
        {'a', call.type, call.row_major, a_plain ? call.m : call.k, a_plain ? call.k : call.m, call.a, call.lda},
        reads);
    const auto b = checked(
        {'b', call.type, call.row_major, b_plain ? call.k : call.n, b_plain ? call.n : call.k, call.b, call.ldb},
        reads);
    const auto c = checked({'c', call.type, call.row_major, call.m, call.n, call.c, call.ldc}, !dry);
    check_apart(c, a);
    check_apart(c, b);
    return call;
}

hpart_status run(hpart_device *device, const GemmArguments &given, const hpart_options *options, hpart_report **report)
{
    return operate(device, options, call_gemm, report,
                   [&](DeviceGroup &devices, const Options &settings, Report &about) {
                       gemm(devices, checked_call(given, is_dry(settings)), settings, about);
                   });
}

struct GemvArguments {
    Scalar type;
    std::int32_t layout, trans;
    std::int64_t m, n;
    CoefficientArgument alpha;
    const void *a;
    std::int64_t lda;
    const void *x;
    std::int64_t incx;
    CoefficientArgument beta;
    void *y;
    std::int64_t incy;
};

GemvCall checked_call(const GemvArguments &given, bool dry)
{
    GemvCall call;
    call.type = given.type;
    call.row_major = row_major_of(given.layout);
    call.transpose_a = transpose_of(given.trans, "trans");
    check_size(call.m = given.m, "m");
    check_size(call.n = given.n, "n");
    call.alpha = given.alpha.get("alpha");
    call.beta = given.beta.get("beta");
    call.a = given.a, call.lda = given.lda;
    call.x = given.x, call.incx = given.incx;
    call.y = given.y, call.incy = given.incy;

    const bool plain = call.transpose_a == Transpose::none;
    const bool reads = !dry && call.alpha != Coefficient(0) && call.m > 0 && call.n > 0;
    const auto a = checked({'a', call.type, call.row_major, call.m, call.n, call.a, call.lda}, reads);
    const auto x = checked(VectorArgument{'x', call.type, plain ? call.n : call.m, call.x, call.incx}, reads);
    const auto y = checked(VectorArgument{'y', call.type, plain ? call.m : call.n, call.y, call.incy}, !dry);
    check_apart(y, a);
    check_apart(y, x);
    return call;
}

hpart_status run(hpart_device *device, const GemvArguments &given, const hpart_options *options, hpart_report **report)
{
    return operate(device, options, call_gemv, report,
                   [&](DeviceGroup &devices, const Options &settings, Report &about) {
                       gemv(devices, checked_call(given, is_dry(settings)), settings, about);
                   });
}

} // namespace

extern "C" {

#define HPART_DEFINE(T, Value, Number)                                                                                 \
    hpart_status hpart_##T##gemm(hpart_device *device, int32_t layout, int32_t transa, int32_t transb, int64_t m,      \
                                 int64_t n, int64_t k, Number alpha, const Value *a, int64_t lda, const Value *b,      \
                                 int64_t ldb, Number beta, Value *c, int64_t ldc, const hpart_options *options,        \
                                 hpart_report **report)                                                                \
    {                                                                                                                  \
        return run(device,                                                                                             \
                   GemmArguments{Scalar::T,                                                                            \
                                 layout,                                                                               \
                                 transa,                                                                               \
                                 transb,                                                                               \
                                 m,                                                                                    \
                                 n,                                                                                    \
                                 k,                                                                                    \
                                 {Scalar::T, alpha},                                                                   \
                                 a,                                                                                    \
                                 lda,                                                                                  \
                                 b,                                                                                    \
                                 ldb,                                                                                  \
                                 {Scalar::T, beta},                                                                    \
                                 c,                                                                                    \
                                 ldc},                                                                                 \
                   options, report);                                                                                   \
    }                                                                                                                  \
    hpart_status hpart_##T##gemv(hpart_device *device, int32_t layout, int32_t trans, int64_t m, int64_t n,            \
                                 Number alpha, const Value *a, int64_t lda, const Value *x, int64_t incx, Number beta, \
                                 Value *y, int64_t incy, const hpart_options *options, hpart_report **report)          \
    {                                                                                                                  \
        return run(                                                                                                    \
            device,                                                                                                    \
            GemvArguments{                                                                                             \
                Scalar::T, layout, trans, m, n, {Scalar::T, alpha}, a, lda, x, incx, {Scalar::T, beta}, y, incy},      \
            options, report);                                                                                          \
    }
HPART_ALL_TYPES(HPART_DEFINE)
#undef HPART_DEFINE

} // extern "C"
