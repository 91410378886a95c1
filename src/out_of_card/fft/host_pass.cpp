#include "out_of_card/fft/host_pass.hpp"

#include "core/containers.hpp"
#include "out_of_card/in_card/fft_lines.hpp"
#include "out_of_card/in_card/fft_twiddle.hpp"

#include <algorithm>
#include <cstring>

namespace hpart
{

namespace
{

// Numbers of a twiddled slab: in the cache of a core.
constexpr std::int64_t slab_numbers = std::int64_t{1} << 15;

void transform(OwnThreads &team, const DeviceFftShape &shape, unsigned char *data)
{
    FftLines lines(shape, team.size());
    const auto &plans = lines.plans_for_a_run();
    team.for_each(lines.parts(), [&](std::int64_t part) { lines.run(plans, part, data); });
}

void transform_columns(OwnThreads &team, const FftPasses &what, std::int64_t columns, unsigned char *data)
{
    for (const auto &step : column_steps(what, columns, what.columns))
        for (std::int64_t k = 0; k < step.times; ++k)
            transform(team, step.shape, data + k * step.distance * what.complex_bytes());
}

// So many bytes of each of `count` rows.
void copy_rows(OwnThreads &team, const unsigned char *from, std::int64_t from_pitch, unsigned char *to,
               std::int64_t to_pitch, std::int64_t count, std::int64_t bytes)
{
    team.share(count, [&](std::int64_t first, std::int64_t some) {
        for (auto row = first; row < first + some; ++row)
            std::memcpy(to + row * to_pitch, from + row * from_pitch, static_cast<std::size_t>(bytes));
    });
}

unsigned char *item_of(const FftSide &side, std::int64_t item) { return side.data + item * side.item_bytes; }

// The columns `share` of a matrix to another of the same shape, or nothing where it is the same.
void copy_columns(OwnThreads &team, const FftPasses &what, const FftSide &from, const FftSide &to, std::int64_t item,
                  const FftRange &share)
{
    if (from.data == to.data) return;
    const auto offset = share.first * what.complex_bytes();
    copy_rows(team, item_of(from, item) + offset, from.pitch_bytes, item_of(to, item) + offset, to.pitch_bytes,
              what.rows, share.count * what.complex_bytes());
}

// Lines of real numbers stand padded in the middle, at the distance of its complex ones.
std::int64_t padded_pitch(const FftPasses &what, const FftSide &side)
{
    return what.columns / side.lines * what.complex_bytes();
}

// Slabs of columns of `in` through memory of each thread's own, so that `in` is read in pieces of a cache line at least.
void twiddled_pass(OwnThreads &team, const FftPasses &what, std::int64_t item, const FftRange &share)
{
    const auto bytes = what.complex_bytes();
    const auto roots = twiddle_roots(what.numbers(), what.type.sign, what.type.is_double);
    const auto wide = std::clamp<std::int64_t>(slab_numbers / what.columns, 4, std::max<std::int64_t>(4, share.count));
    const auto slabs = (share.count + wide - 1) / wide;
    const auto shape = twiddled_shape(what, wide);
    team.share(slabs, [&](std::int64_t first, std::int64_t some) {
        AlignedVector<unsigned char> slab(static_cast<std::size_t>(wide * what.columns * bytes));
        FftLines lines(shape, 1);
        for (auto k = first; k < first + some; ++k) {
            const FftRange range{share.first + k * wide, std::min(wide, share.count - k * wide)};
            const auto now = twiddled_shape(what, range.count);
            for (std::int64_t row = 0; row < what.columns; ++row)
                std::memcpy(slab.data() + row * range.count * bytes,
                            item_of(what.in, item) + row * what.in.pitch_bytes + range.first * bytes,
                            static_cast<std::size_t>(range.count * bytes));
            if (range.count == wide) {
                lines.run(lines.plans_for_a_run(), 0, slab.data());
            } else {
                FftLines last(now, 1);
                last.run(last.plans_for_a_run(), 0, slab.data());
            }
            twiddle_rows(twiddle_of(what, range), slab.data(),
                         item_of(what.middle, item) + range.first * what.middle.pitch_bytes, roots.data(), 0,
                         range.count);
        }
    });
}

} // namespace

void first_pass_on_host(OwnThreads &team, const FftPasses &what, std::int64_t item, const FftRange &share)
{
    if (share.count == 0) return;
    if (what.twiddled) return twiddled_pass(team, what, item, share);
    auto *const middle = item_of(what.middle, item);
    if (!what.rows_first) {
        copy_columns(team, what, what.in, what.middle, item, share);
        return transform_columns(team, what, share.count, middle + share.first * what.complex_bytes());
    }
    const auto &in = what.in;
    auto *const rows = middle + share.first * what.middle.pitch_bytes;
    const auto pitch = in.is_real ? padded_pitch(what, in) : what.middle.pitch_bytes;
    if (in.data != what.middle.data)
        copy_rows(team, item_of(in, item) + share.first * in.lines * in.pitch_bytes, in.pitch_bytes, rows, pitch,
                  share.count * in.lines, in.line_bytes);
    for (const auto &shape : row_shapes(what.type, what.row_steps, share.count)) transform(team, shape, rows);
}

void second_pass_on_host(OwnThreads &team, const FftPasses &what, std::int64_t item, const FftRange &share)
{
    if (share.count == 0) return;
    auto *const middle = item_of(what.middle, item);
    if (what.rows_first) {
        transform_columns(team, what, share.count, middle + share.first * what.complex_bytes());
        return copy_columns(team, what, what.middle, what.out, item, share);
    }
    const auto &out = what.out;
    auto *const rows = middle + share.first * what.middle.pitch_bytes;
    for (const auto &shape : row_shapes(what.type, what.row_steps, share.count)) transform(team, shape, rows);
    if (out.data != what.middle.data)
        copy_rows(team, rows, padded_pitch(what, out), item_of(out, item) + share.first * out.lines * out.pitch_bytes,
                  out.pitch_bytes, share.count * out.lines, out.line_bytes);
}

} // namespace hpart
