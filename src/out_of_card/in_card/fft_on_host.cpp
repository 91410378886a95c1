#include "out_of_card/in_card/fft_by_fftw.hpp"
#include "out_of_card/in_card/fft_kinds.hpp"

namespace hpart
{

namespace
{

class FftOnHost final : public FftByFftw
{
  public:
    using FftByFftw::FftByFftw;

    Launch transform(const DeviceFftShape &shape, const DevicePlace &data, DeviceBuffer *) override
    {
        auto &lines = lines_of(shape);
        return [this, &lines, &plans = lines.plans_for_a_run(), data](LaunchContext &) {
            team().transform(lines, plans, static_cast<unsigned char *>(data.buffer->native()) + data.offset_bytes);
        };
    }

    Launch twiddle(const DeviceTwiddle &what) override
    {
        return [this, what](LaunchContext &) {
            team().twiddle(what, what.from.buffer->native(), what.to.buffer->native(), what.roots.buffer->native());
        };
    }
};

} // namespace

std::shared_ptr<InCardFft> make_fft_on_host(DeviceSession &session)
{
    const std::vector<CoreList> unbound(static_cast<std::size_t>(session.info().compute_units));
    return std::make_shared<FftOnHost>(unbound);
}

} // namespace hpart
