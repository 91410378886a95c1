// Least sum of costs over one option for each of k alike classes, sizes summing to a target: exact.
#pragma once

#include "core/progress.hpp"
#include "partitioners/search/least_sum.hpp"
#include "partitioners/search/resources.hpp"

#include <cstdint>
#include <optional>
#include <span>

namespace hpart
{

struct AlikeProblem {
    std::span<const std::int64_t> sizes; // increasing, >= 0, at least one
    std::span<const double> costs;       // finite, >= 0
    std::int64_t copies;
    std::int64_t target;
    // One of each option, or none: of the choices of a cost within the limit, or else of those that cost least once rounded, the least
    // sum of uses is wanted.
    std::span<const std::int64_t> uses{};
    CostLimit limit{};
};

// least_sum for so many classes of these options; sizes do not increase from the first class to the last. Nothing if another method must
// decide: sizes or costs have no common scale of moderate size, or a limit was reached. Throws Status::cancelled.
std::optional<LeastSum> least_sum_of_alike(const AlikeProblem &problem, Control &control);

} // namespace hpart
