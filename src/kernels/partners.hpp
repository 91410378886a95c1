// Processors whose parts of one problem need each other while they run.
#pragma once

#include "host/thread_group.hpp"
#include "kernels/kernel.hpp"

#include <utility>
#include <vector>

namespace hpart
{

struct Partners {
    explicit Partners(std::vector<Slice> all)
        : slices(std::move(all)), rows(slices.size()), meeting(static_cast<std::int64_t>(slices.size()))
    {
    }
    const std::vector<Slice> slices;  // consecutive
    std::vector<const double *> rows; // what the others read of each, from its prepare to its release
    MeetingPoint meeting;
};

} // namespace hpart
