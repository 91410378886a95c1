#include "out_of_card/pipeline/blocks.hpp"

#include <algorithm>
#include <numeric>

namespace hpart
{

namespace
{

// For b > 0.
std::int64_t floor_of(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }

// Row i of a and row j of b meet where -b.row_bytes < distance + (j - i) pitch < a.row_bytes: some j - i must do.
bool overlap_of_equal_pitch(const HostBlock &a, const HostBlock &b, std::int64_t distance)
{
    const auto pitch = a.pitch_bytes;
    const auto smallest = floor_of(-b.row_bytes - distance, pitch) + 1;
    const auto largest = floor_of(a.row_bytes - 1 - distance, pitch);
    return std::max(smallest, -(a.rows - 1)) <= std::min(largest, b.rows - 1);
}

} // namespace

HostBlock host_block(const void *memory, std::int64_t pitch_bytes, const Rectangle &rectangle)
{
    return {reinterpret_cast<std::uintptr_t>(memory), rectangle.rows, rectangle.row_bytes,
            std::max(pitch_bytes, rectangle.row_bytes)};
}

bool overlap(const HostBlock &a, const HostBlock &b)
{
    const auto distance = static_cast<std::int64_t>(b.address - a.address);
    if (distance >= a.span_bytes() || -distance >= b.span_bytes()) return false;
    if (a.pitch_bytes == b.pitch_bytes) return overlap_of_equal_pitch(a, b, distance);
    const auto &fewer = a.rows <= b.rows ? a : b, &other = a.rows <= b.rows ? b : a;
    for (std::int64_t row = 0; row < fewer.rows; ++row) {
        const HostBlock one{fewer.address + static_cast<std::uintptr_t>(row * fewer.pitch_bytes), 1, fewer.row_bytes,
                            other.pitch_bytes};
        if (overlap_of_equal_pitch(one, other, static_cast<std::int64_t>(other.address - one.address))) return true;
    }
    return false;
}

Area area_of(const BufferSide &side, const Rectangle &rectangle)
{
    return {side.buffer,
            {static_cast<std::uintptr_t>(side.offset_bytes), rectangle.rows, rectangle.row_bytes,
             std::max(side.pitch_bytes, rectangle.row_bytes)}};
}

bool may_meet(const Area &a, const Area &b)
{
    if (a.buffer != b.buffer || a.bytes.bytes() == 0 || b.bytes.bytes() == 0) return false;
    constexpr std::int64_t most_rows = 1000; // to look at one by one
    const bool is_exact = a.bytes.pitch_bytes == b.bytes.pitch_bytes ||
                          (a.buffer == nullptr && std::min(a.bytes.rows, b.bytes.rows) <= most_rows);
    if (is_exact) return overlap(a.bytes, b.bytes);
    const auto distance = static_cast<std::int64_t>(b.bytes.address - a.bytes.address);
    return distance < a.bytes.span_bytes() && -distance < b.bytes.span_bytes();
}

std::vector<std::vector<std::int32_t>> find_conflicts(const std::vector<HostBlock> &blocks,
                                                      const std::vector<bool> &is_written)
{
    std::vector<std::int32_t> order(blocks.size());
    std::iota(order.begin(), order.end(), 0);
    const auto at = [&](std::int32_t k) -> const HostBlock & { return blocks[static_cast<std::size_t>(k)]; };
    std::sort(order.begin(), order.end(),
              [&](std::int32_t a, std::int32_t b) { return at(a).address < at(b).address; });

    std::vector<std::vector<std::int32_t>> conflicts(blocks.size());
    std::vector<std::int32_t> open_written, open_read; // that reach beyond the address looked at
    const auto meet = [&](std::vector<std::int32_t> &open, std::int32_t k) {
        std::erase_if(open, [&](std::int32_t other) {
            return at(other).address + static_cast<std::uintptr_t>(at(other).span_bytes()) <= at(k).address;
        });
        for (const auto other : open)
            if (overlap(at(other), at(k))) {
                conflicts[static_cast<std::size_t>(other)].push_back(k);
                conflicts[static_cast<std::size_t>(k)].push_back(other);
            }
    };
    for (const auto k : order) {
        const bool written = is_written[static_cast<std::size_t>(k)];
        meet(open_written, k);
        if (written) meet(open_read, k);
        (written ? open_written : open_read).push_back(k);
    }
    return conflicts;
}

} // namespace hpart
