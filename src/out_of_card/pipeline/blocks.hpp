// Blocks of host arrays: rows of bytes at equal distances.
#pragma once

#include "out_of_card/devices/device.hpp"

#include <compare>
#include <cstdint>
#include <vector>

namespace hpart
{

struct HostBlock {
    std::uintptr_t address = 0;
    std::int64_t rows = 0;
    std::int64_t row_bytes = 0;
    std::int64_t pitch_bytes = 0; // at least row_bytes
    std::int64_t bytes() const { return rows * row_bytes; }
    // From the first byte to behind the last one.
    std::int64_t span_bytes() const { return (rows - 1) * pitch_bytes + row_bytes; }
    auto operator<=>(const HostBlock &) const = default; // NOLINT(modernize-use-nullptr): clang-tidy 14 mistakes it
};

// The host's side of a transfer.
HostBlock host_block(const void *memory, std::int64_t pitch_bytes, const Rectangle &rectangle);

// True if they have a byte in common. Blocks side by side in a matrix have none, though their rows alternate in memory.
bool overlap(const HostBlock &a, const HostBlock &b);

// Bytes that a command reads or writes: of a device's buffer, where addresses count from its first byte, or of the host.
struct Area {
    const DeviceBuffer *buffer = nullptr; // null: the host's
    HostBlock bytes;
};

Area area_of(const BufferSide &side, const Rectangle &rectangle);
// True if they have a byte in common, and where to know that would take longer than to wait: for rows of different distances.
bool may_meet(const Area &a, const Area &b);

// Returns each block's partners: the blocks that overlap it, if one of the two is written.
std::vector<std::vector<std::int32_t>> find_conflicts(const std::vector<HostBlock> &blocks,
                                                      const std::vector<bool> &is_written);

} // namespace hpart
