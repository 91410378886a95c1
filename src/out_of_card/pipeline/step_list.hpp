// The steps of a user's pipeline in order, each with the blocks that its kernel reads and writes.
#pragma once

#include "out_of_card/pipeline/blocks.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace hpart
{

enum class Access : std::uint8_t { in = 1, out = 2, inout = 3 };

constexpr bool reads(Access access) { return access != Access::out; }
constexpr bool writes(Access access) { return access != Access::in; }

// Blocks of an array share its ring of buffers on the device.
struct RingOfBuffers {
    std::int64_t slots;      // 0: as many as the fullest step needs, and one more where that fits
    std::int64_t slot_bytes; // of its largest block
};

struct Use {
    std::int32_t block; // in StepList::blocks
    Access access;
};

class StepList
{
  public:
    std::int64_t add_array(std::int64_t slots, std::int64_t slot_bytes);
    // A block of the step that is being written. Fails for a block that the array's buffers do not hold.
    void use(std::int64_t array, Access access, const HostBlock &block);
    // Fails for a step of no blocks, and for a step that writes a block which overlaps another: what the kernel would see is not
    // defined.
    void end_step();

    const std::vector<RingOfBuffers> &arrays() const { return arrays_; }
    const std::vector<HostBlock> &blocks() const { return blocks_; }
    std::int32_t array_of(std::int32_t block) const { return array_of_[static_cast<std::size_t>(block)]; }
    const std::vector<std::vector<Use>> &steps() const { return steps_; }
    bool has_open_step() const { return !open_.empty(); }

  private:
    std::vector<RingOfBuffers> arrays_;
    std::vector<HostBlock> blocks_; // distinct in an array
    std::vector<std::int32_t> array_of_;
    std::map<std::pair<std::int64_t, HostBlock>, std::int32_t> known_;
    std::vector<std::vector<Use>> steps_;
    std::vector<Use> open_;
};

} // namespace hpart
