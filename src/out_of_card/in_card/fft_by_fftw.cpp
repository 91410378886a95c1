#include "out_of_card/in_card/fft_by_fftw.hpp"

#include "out_of_card/in_card/fft.hpp"
#include "out_of_card/in_card/fft_twiddle.hpp"

#include <algorithm>

namespace hpart
{

template <typename Job> void FftwTeam::in_parts(std::int64_t parts, const Job &job)
{
    // Never on the caller's thread: FFTW takes more of a stack than the threads of some drivers have.
    group_.run([&](std::size_t member) {
        if (static_cast<std::int64_t>(member) < parts) job(static_cast<std::int64_t>(member));
    });
}

void FftwTeam::transform(const FftLines &lines, const FftLines::Plans &plans, void *data) noexcept
{
    in_parts(lines.parts(), [&](std::int64_t part) { lines.run(plans, part, data); });
}

void FftwTeam::twiddle(const DeviceTwiddle &what, const void *from, void *to, const void *roots) noexcept
{
    const auto parts = std::min(size(), what.columns);
    const auto at = [](auto *memory, const DevicePlace &place) {
        using Byte = std::conditional_t<std::is_const_v<std::remove_pointer_t<decltype(memory)>>, const unsigned char,
                                        unsigned char>;
        return static_cast<Byte *>(memory) + place.offset_bytes;
    };
    in_parts(parts, [&](std::int64_t part) {
        twiddle_rows(what, at(from, what.from), at(to, what.to), at(roots, what.roots), what.columns * part / parts,
                     what.columns * (part + 1) / parts);
    });
}

FftLines &FftByFftw::lines_of(const DeviceFftShape &shape)
{
    auto &lines = lines_[shape];
    if (!lines) lines = std::make_unique<FftLines>(shape, team_.size());
    return *lines;
}

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
