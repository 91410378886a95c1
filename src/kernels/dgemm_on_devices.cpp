#include "kernels/dgemm.hpp"
#include "kernels/on_devices.hpp"
#include "out_of_card/gemm/gemm.hpp"

namespace hpart
{

namespace
{

void gemm_on_devices(DeviceGroup &devices, const DgemmDims &dims, std::int64_t rows, DgemmData &data,
                     const Options &options)
{
    GemmCall call;
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

std::unique_ptr<BuiltinKernel> make_dgemm_on_devices(const DgemmDims &dims, DeviceGroup devices)
{
    return std::make_unique<KernelOnDevices<DgemmDims, DgemmData>>(dims, std::move(devices), gemm_on_devices,
                                                                   check_dgemm);
}

} // namespace hpart
