// Exact test whether a target is a sum of one size of each class, with the sizes.
#pragma once

#include "core/progress.hpp"
#include "partitioners/sums/choices.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace hpart
{

// One size of each class, their sum the target; nothing when there is none. The same input gives the same sizes.
// Throws Status::limit, Status::cancelled.
std::optional<std::vector<std::int64_t>> reach_sum(const Choices &choices, std::int64_t target, Control &control,
                                                   Work &work);

// The same in a few milliseconds, for want of better when a limit was reached: nothing means that none was found.
std::optional<std::vector<std::int64_t>> reach_sum_quickly(const Choices &choices, std::int64_t target);

// The sums nearest to the target from below and from above; a side without any has nothing.
struct NearestSums {
    bool determined = false;
    std::optional<std::int64_t> below;
    std::optional<std::int64_t> above;
};

// Classes must offer the size 0. Not determined where memory or a second's work would not do.
NearestSums nearest_sums(const Choices &choices, std::int64_t target, Control &control);

} // namespace hpart
