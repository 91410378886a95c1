#include "kernels/dgemv.hpp"
#include "kernels/on_devices.hpp"
#include "out_of_card/gemm/gemm.hpp"

namespace hpart
{

namespace
{

template <typename Real>
void gemv_on_devices(DeviceGroup &devices, const GemvDims<Real> &dims, std::int64_t rows, GemvData<Real> &data,
                     const Options &options)
{
    GemvCall call;
    call.type = ScalarOf<Real>::type;
    call.m = rows;
    call.n = dims.n;
    call.a = data.a.data();
    call.lda = dims.n;
    call.x = data.x.data();
    call.y = data.y.data();
    Report report;
    gemv(devices, call, options, report);
}

} // namespace

template <typename Real>
std::unique_ptr<BuiltinKernel> make_gemv_on_devices(const GemvDims<Real> &dims, DeviceGroup devices)
{
    auto mode = math_mode_of_products(devices, ScalarOf<Real>::type);
    return std::make_unique<KernelOnDevices<GemvDims<Real>, GemvData<Real>>>(
        dims, std::move(devices), gemv_on_devices<Real>, check_gemv<Real>, std::move(mode));
}

template std::unique_ptr<BuiltinKernel> make_gemv_on_devices(const GemvDims<float> &dims, DeviceGroup devices);
template std::unique_ptr<BuiltinKernel> make_gemv_on_devices(const GemvDims<double> &dims, DeviceGroup devices);

} // namespace hpart
