#include "out_of_card/fft/fft.hpp"
#include "c_api/device.hpp"
#include "c_api/operands.hpp"
#include "core/numbers.hpp"

using namespace hpart;
using namespace hpart::c_api;

namespace
{

// As the caller gives them.
struct FftArguments {
    bool is_double;
    FftKind kind;
    std::int64_t rank;
    const std::int64_t *dims;
    std::int64_t batch;
    std::int32_t sign;
    const void *in;
    void *out;
};

// Numbers (of two reals each, or of one) of all arrays of a batch, the last dimension as given.
std::int64_t numbers(const FftCall &call, std::int64_t last)
{
    std::optional<std::int64_t> count = call.batch;
    for (std::size_t d = 0; d < call.dims.size() && count; ++d)
        count = checked_mul(*count, d + 1 < call.dims.size() ? call.dims[d] : last);
    if (!count) fail_argument("dims and batch ask for more than 9223372036854775807 points; no array is that large");
    return *count;
}

FftCall checked_call(const FftArguments &given, bool dry)
{
    FftCall call;
    call.is_double = given.is_double;
    call.kind = given.kind;
    if (given.rank < 1) fail_argument("rank is ", given.rank, "; it must be at least 1");
    const auto dims = array(given.dims, given.rank, "dims");
    for (std::size_t d = 0; d < dims.size(); ++d)
        if (dims[d] < 1) fail_argument("dims[", d, "] is ", dims[d], "; it must be at least 1");
    call.dims.assign(dims.begin(), dims.end());
    check_size(call.batch = given.batch, "batch");
    if (given.sign != -1 && given.sign != 1)
        fail_argument("sign is ", given.sign, "; it must be -1 (forward) or +1 (backward)");
    call.sign = given.sign;
    call.in = given.in;
    call.out = given.out;

    const std::int64_t real_bytes = given.is_double ? sizeof(double) : sizeof(float);
    const auto last = call.dims.back();
    const auto complex_bytes = 2 * real_bytes;
    const bool real_in = given.kind == FftKind::real_to_complex, real_out = given.kind == FftKind::complex_to_real;
    const auto half = last / 2 + 1;
    const auto in = checked_array("in", numbers(call, real_out ? half : last), real_in ? real_bytes : complex_bytes,
                                  given.in, !dry);
    const auto out = checked_array("out", numbers(call, real_in ? half : last), real_out ? real_bytes : complex_bytes,
                                   given.out, !dry);
    if (given.in != given.out) check_apart(out, in);
    return call;
}

hpart_status run(hpart_device *device, const FftArguments &given, const hpart_options *options, hpart_report **report)
{
    return operate(device, options, call_fft, report,
                   [&](DeviceGroup &devices, const Options &settings, Report &about) {
                       fft(devices, checked_call(given, is_dry(settings)), settings, about);
                   });
}

constexpr std::int32_t forward = -1, backward = 1;

} // namespace

extern "C" {

#define HPART_DEFINE(S, C, Value, is_double)                                                                           \
    hpart_status hpart_##C##fft(hpart_device *device, int64_t rank, const int64_t *dims, int64_t batch, int32_t sign,  \
                                const Value *in, Value *out, const hpart_options *options, hpart_report **report)      \
    {                                                                                                                  \
        return run(device, {is_double, FftKind::complex, rank, dims, batch, sign, in, out}, options, report);          \
    }                                                                                                                  \
    hpart_status hpart_##S##fft_r2c(hpart_device *device, int64_t rank, const int64_t *dims, int64_t batch,            \
                                    const Value *in, Value *out, const hpart_options *options, hpart_report **report)  \
    {                                                                                                                  \
        return run(device, {is_double, FftKind::real_to_complex, rank, dims, batch, forward, in, out}, options,        \
                   report);                                                                                            \
    }                                                                                                                  \
    hpart_status hpart_##S##fft_c2r(hpart_device *device, int64_t rank, const int64_t *dims, int64_t batch,            \
                                    const Value *in, Value *out, const hpart_options *options, hpart_report **report)  \
    {                                                                                                                  \
        return run(device, {is_double, FftKind::complex_to_real, rank, dims, batch, backward, in, out}, options,       \
                   report);                                                                                            \
    }
HPART_DEFINE(s, c, float, false)
HPART_DEFINE(d, z, double, true)
#undef HPART_DEFINE

} // extern "C"
