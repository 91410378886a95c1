#include "kernels/on_devices.hpp"
#include "kernels/zfft.hpp"
#include "out_of_card/fft/fft.hpp"

namespace hpart
{

namespace
{

void transform_on_devices(DeviceGroup &devices, const ZfftDims &dims, std::int64_t rows, ZfftData &data,
                          const Options &options)
{
    FftCall call;
    call.dims = {rows, dims.n};
    call.in = data.in.data();
    call.out = data.out.data();
    Report report;
    fft(devices, call, options, report);
}

} // namespace

std::unique_ptr<BuiltinKernel> make_zfft_on_devices(const ZfftDims &dims, DeviceGroup devices)
{
    return std::make_unique<KernelOnDevices<ZfftDims, ZfftData>>(dims, std::move(devices), transform_on_devices,
                                                                 check_zfft);
}

} // namespace hpart
