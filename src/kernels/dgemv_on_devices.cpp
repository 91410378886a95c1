#include "kernels/dgemv.hpp"
#include "kernels/on_devices.hpp"
#include "out_of_card/gemm/gemm.hpp"

namespace hpart
{

namespace
{

void gemv_on_devices(DeviceGroup &devices, const DgemvDims &dims, std::int64_t rows, DgemvData &data,
                     const Options &options)
{
    GemvCall call;
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

std::unique_ptr<BuiltinKernel> make_dgemv_on_devices(const DgemvDims &dims, DeviceGroup devices)
{
    return std::make_unique<KernelOnDevices<DgemvDims, DgemvData>>(dims, std::move(devices), gemv_on_devices,
                                                                   check_dgemv);
}

} // namespace hpart
