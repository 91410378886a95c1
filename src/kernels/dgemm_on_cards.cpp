#include "kernels/dgemm.hpp"
#include "kernels/on_cards.hpp"
#include "out_of_card/gemm/gemm.hpp"

namespace hpart
{

namespace
{

void gemm_on_cards(DeviceGroup &cards, const DgemmDims &dims, std::int64_t rows, DgemmData &data,
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
    gemm(cards, call, options, report);
}

} // namespace

std::unique_ptr<BuiltinKernel> make_dgemm_on_cards(const DgemmDims &dims, DeviceGroup cards)
{
    return std::make_unique<KernelOnCards<DgemmDims, DgemmData>>(dims, std::move(cards), gemm_on_cards, check_dgemm);
}

} // namespace hpart
