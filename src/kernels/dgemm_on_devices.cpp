#include "kernels/dgemm.hpp"
#include "kernels/on_devices.hpp"
#include "out_of_card/gemm/gemm.hpp"

namespace hpart
{

namespace
{

template <typename Real>
void gemm_on_devices(DeviceGroup &devices, const GemmDims<Real> &dims, std::int64_t rows, GemmData<Real> &data,
                     const Options &options)
{
    GemmCall call;
    call.type = ScalarOf<Real>::type;
    call.m = rows;
    call.n = dims.n;
    call.k = dims.k;
    call.a = data.a.data();
    call.lda = dims.k;
    call.b = data.b.data();
    call.ldb = dims.n;
    call.c = data.c.data();
    call.ldc = dims.n;
    Report report;
    gemm(devices, call, options, report);
}

} // namespace

template <typename Real>
std::unique_ptr<BuiltinKernel> make_gemm_on_devices(const GemmDims<Real> &dims, DeviceGroup devices)
{
    auto mode = math_mode_of_products(devices, ScalarOf<Real>::type);
    return std::make_unique<KernelOnDevices<GemmDims<Real>, GemmData<Real>>>(
        dims, std::move(devices), gemm_on_devices<Real>, check_gemm<Real>, std::move(mode));
}

template std::unique_ptr<BuiltinKernel> make_gemm_on_devices(const GemmDims<float> &dims, DeviceGroup devices);
template std::unique_ptr<BuiltinKernel> make_gemm_on_devices(const GemmDims<double> &dims, DeviceGroup devices);

} // namespace hpart
