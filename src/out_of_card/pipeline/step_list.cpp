#include "out_of_card/pipeline/step_list.hpp"

#include "core/error.hpp"
#include "core/numbers.hpp"

#include <limits>

namespace hpart
{

namespace
{

void check_block(const HostBlock &block)
{
    if (block.rows < 1) fail_argument("rows is ", block.rows, "; it must be positive");
    if (block.row_bytes < 1) fail_argument("row_bytes is ", block.row_bytes, "; it must be positive");
    if (block.pitch_bytes < block.row_bytes)
        fail_argument("pitch_bytes is ", block.pitch_bytes, "; it must be at least row_bytes, ", block.row_bytes);
    const auto span = checked_mul(block.rows, block.pitch_bytes);
    if (!span || static_cast<std::uintptr_t>(*span) > std::numeric_limits<std::uintptr_t>::max() - block.address)
        fail_argument("rows is ", block.rows, " and pitch_bytes is ", block.pitch_bytes,
                      "; no array of this process is that long");
}

} // namespace

std::int64_t StepList::add_array(std::int64_t slots, std::int64_t slot_bytes)
{
    if (slots < 0) fail_argument("slots is ", slots, "; it must not be negative");
    if (slot_bytes < 1) fail_argument("block_bytes is ", slot_bytes, "; it must be positive");
    arrays_.push_back({slots, slot_bytes});
    return static_cast<std::int64_t>(arrays_.size()) - 1;
}

void StepList::use(std::int64_t array, Access access, const HostBlock &block)
{
    const auto count = static_cast<std::int64_t>(arrays_.size());
    if (array < 0 || array >= count) fail_argument("array is ", array, "; the pipeline has ", count, " arrays");
    check_block(block);
    const auto slot_bytes = arrays_[static_cast<std::size_t>(array)].slot_bytes;
    if (block.bytes() > slot_bytes)
        fail_argument("the block has ", block.bytes(), " bytes; array ", array, " was added with blocks of at most ",
                      slot_bytes);
    const auto [found, is_new] = known_.try_emplace({array, block}, static_cast<std::int32_t>(blocks_.size()));
    if (is_new) {
        blocks_.push_back(block);
        array_of_.push_back(static_cast<std::int32_t>(array));
    }
    open_.push_back({found->second, access});
}

void StepList::end_step()
{
    if (open_.empty())
        fail_argument(
            "the step has no blocks; call hpart_pipeline_read, hpart_pipeline_write or hpart_pipeline_update before");
    for (std::size_t i = 0; i < open_.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) {
            const auto a = open_[i], b = open_[j];
            if (!writes(a.access) && !writes(b.access)) continue;
            if (a.block == b.block)
                fail_argument("blocks ", j, " and ", i, " of step ", steps_.size(),
                              " are the same, and one of them is written; add it once, by hpart_pipeline_update");
            if (overlap(blocks_[static_cast<std::size_t>(a.block)], blocks_[static_cast<std::size_t>(b.block)]))
                fail_argument("blocks ", j, " and ", i, " of step ", steps_.size(),
                              " overlap and one of them is written");
        }
    steps_.push_back(std::move(open_));
    open_.clear();
}

} // namespace hpart
