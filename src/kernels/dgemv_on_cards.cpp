#include "kernels/dgemv.hpp"
#include "kernels/on_cards.hpp"
#include "out_of_card/gemm/gemm.hpp"

namespace hpart
{

namespace
{

void gemv_on_cards(DeviceGroup &cards, const DgemvDims &dims, std::int64_t rows, DgemvData &data,
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
    gemv(cards, call, options, report);
}

} // namespace

std::unique_ptr<BuiltinKernel> make_dgemv_on_cards(const DgemvDims &dims, DeviceGroup cards)
{
    return std::make_unique<KernelOnCards<DgemvDims, DgemvData>>(dims, std::move(cards), gemv_on_cards, check_dgemv);
}

} // namespace hpart
