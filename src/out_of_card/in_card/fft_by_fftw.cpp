#include "out_of_card/in_card/fft_by_fftw.hpp"

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

} // namespace hpart
