// Exact test whether a target is a sum of one size of each class, with the sizes.
#pragma once

#include "core/progress.hpp"
#include "partitioners/search/choices.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace hpart
{

// One size of each class, their sum the target; nothing when there is none. The same input gives the same sizes.
// Throws Status::limit, Status::cancelled.
std::optional<std::vector<std::int64_t>> reach_sum(const Choices &choices, std::int64_t target, Control &control,
                                                   Work &work);

// Time of a last quick search after the call's own limits were met.
constexpr double brief_seconds = 0.01;

// The same within about `seconds`. Nothing proves nothing.
std::optional<std::vector<std::int64_t>> reach_sum_quickly(const Choices &choices, std::int64_t target,
                                                           double seconds = brief_seconds);

// Sums on one side of a target, the nearest first.
struct SumsBeside {
    std::vector<std::int64_t> sums;
    bool are_all = false; // there are no others on that side
};

struct NearestSums {
    SumsBeside below;
    SumsBeside above;
};

// Up to `count` valid sizes on each side. None, and are_all = false, if memory or a second of work does not suffice.
NearestSums nearest_sums(const Choices &choices, std::int64_t target, std::size_t count, Control &control);

} // namespace hpart
