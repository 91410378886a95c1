#include "kernels/on_cards.hpp"
#include "kernels/zfft.hpp"
#include "out_of_card/fft/fft.hpp"

namespace hpart
{

namespace
{

void transform_on_cards(DeviceGroup &cards, const ZfftDims &dims, std::int64_t rows, ZfftData &data,
                        const Options &options)
{
    FftCall call;
    call.dims = {rows, dims.n};
    call.in = data.in.data();
    call.out = data.out.data();
    Report report;
    fft(cards, call, options, report);
}

} // namespace

std::unique_ptr<BuiltinKernel> make_zfft_on_cards(const ZfftDims &dims, DeviceGroup cards)
{
    return std::make_unique<KernelOnCards<ZfftDims, ZfftData>>(dims, std::move(cards), transform_on_cards, check_zfft);
}

} // namespace hpart
