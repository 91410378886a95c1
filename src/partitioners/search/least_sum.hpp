// Least sum of costs over one option of each class, sizes summing to a target: exact.
#pragma once

#include "core/progress.hpp"
#include "partitioners/search/break_solution.hpp"
#include "partitioners/search/choices.hpp"
#include "partitioners/search/resource_search.hpp"

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace hpart
{

struct LeastSum {
    Outcome outcome = Outcome::none; // none: no choice sums to the target at a cost within the cap
    std::vector<std::int64_t> sizes;
    std::vector<std::size_t> points; // of the classes' functions, if these were prepared; else empty
    double cost = std::numeric_limits<double>::infinity(); // sum of the costs, rounded once
    double lower_bound = 0;                                // no choice costs less
    double gap = 0;                                        // cost above the relaxation: a hint for a like problem
    std::optional<double> multiplier;                      // of the relaxation: another hint
    bool is_only = false; // proved: but for exchanges among copies, every other choice costs more once rounded
};

struct SumQuery {
    double cap = std::numeric_limits<double>::infinity();
    double expected_gap = 0; // 0: unknown
    std::optional<double> near_multiplier{};
    std::optional<BreakSolution> base{}; // of the sum, if it is known
    double long_search =
        1 << 22; // pairs of a sum and a point, half a millisecond, from which a search decides among equals at once
};

// A lower bound of it, in one pass.
double least_sum_bound(const Choices &choices, std::int64_t target);

LeastSum least_sum(const Choices &choices, std::int64_t target, const SumQuery &query, Control &control);

// The same over functions prepared beforehand.
LeastSum least_sum(const SumOverFunctions &sum, const SumQuery &query, Control &control);

// As least_sum; nothing when the sums are too large or too sparse for it.
std::optional<LeastSum> least_sum_by_core(const SumOverFunctions &sum, const SumQuery &query, Control &control);

// No choice costs less; infinite when the target is out of reach. `multiplier`: one nearby to begin with, if known, and the one of this.
double least_sum_bound(const SumOverFunctions &sum, std::optional<double> &multiplier);

struct ResourceQuery {
    Prefer prefer = Prefer::least_cost;
    CostLimit limit{}; // finite where a resource is preferred
    ResourceUse most = unbounded_use;
};

// One option of each class, sizes summing to the target, of a cost within the limit and uses <= most, best in the sense of `prefer`. `uses`
// has one entry an option.
LeastSum least_sum_within(const Choices &choices, const std::vector<ResourceUse> &uses, std::int64_t target,
                          const ResourceQuery &query, Control &control);

// least_sum without bounds, for any sizes.
LeastSum least_sum_by_states(const Choices &choices, std::int64_t target, const SumQuery &query, Control &control);

// A choice within the bounds that uses least of a resource. The cost of the result is that use; at a limit its sizes, if any, are within
// the bounds.
LeastSum least_use_within(const Choices &choices, const std::vector<ResourceUse> &uses, std::int64_t target,
                          std::size_t resource, const ResourceUse &most, Control &control);

// A choice of a cost within the limit, of the least sum of uses; of these the least cost. `uses` has one entry an option. Nothing if
// another method must decide. Throws Status::limit.
std::optional<LeastSum> least_use_by_core(const Choices &choices, const std::vector<std::int64_t> &uses,
                                          std::int64_t target, const CostLimit &limit, Control &control);

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
