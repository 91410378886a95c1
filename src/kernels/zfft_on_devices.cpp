#include "kernels/on_devices.hpp"
#include "kernels/zfft.hpp"
#include "out_of_card/fft/fft.hpp"

namespace hpart
{

namespace
{

template <typename Real>
void transform_on_devices(DeviceGroup &devices, const FftDims<Real> &dims, std::int64_t rows, FftData<Real> &data,
                          const Options &options)
{
    FftCall call;
    call.is_double = std::is_same_v<Real, double>;
    call.dims = {rows, dims.n};
    call.in = data.in.data();
    call.out = data.out.data();
    Report report;
    fft(devices, call, options, report);
}

} // namespace

template <typename Real>
std::unique_ptr<BuiltinKernel> make_fft_on_devices(const FftDims<Real> &dims, DeviceGroup devices)
{
    return std::make_unique<KernelOnDevices<FftDims<Real>, FftData<Real>>>(dims, std::move(devices),
                                                                           transform_on_devices<Real>, check_fft<Real>);
}

template std::unique_ptr<BuiltinKernel> make_fft_on_devices(const FftDims<float> &dims, DeviceGroup devices);
template std::unique_ptr<BuiltinKernel> make_fft_on_devices(const FftDims<double> &dims, DeviceGroup devices);

} // namespace hpart
