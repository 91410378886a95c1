// Least sum of costs over one option of each class, sizes summing to a target: exact.
#pragma once

#include "core/progress.hpp"
#include "partitioners/search/base_choice.hpp"
#include "partitioners/search/choices.hpp"
#include "partitioners/search/limits.hpp"

#include <cstdint>
#include <limits>
#include <optional>
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

} // namespace hpart
