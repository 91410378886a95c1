// Problem: multiple-choice knapsack with equality, as HEOPT (least dynamic energy) and every other sum here. Alike classes: alike_sum.cpp.
// Else dense layers over the core (core_search.cpp); where sums are too large or too sparse for these, states (least_sum_within.cpp).
// Source: design of hpart.
#include "partitioners/search/least_sum.hpp"

#include "core/numbers.hpp"
#include "partitioners/search/choices.hpp"
#include "partitioners/search/subset_sum.hpp"

namespace hpart
{

namespace
{

// A brief look for any choice, after a limit that was met before one was known.
LeastSum with_any_choice(LeastSum least, const Choices &choices, std::int64_t target)
{
    if (auto reached = reach_sum_quickly(choices, target)) {
        least.sizes = std::move(*reached);
        least.cost = cost_of(choices, least.sizes);
    }
    return least;
}

bool is_without_choice(const LeastSum &least) { return least.outcome == Outcome::limit && least.sizes.empty(); }

Choices choices_of(const SumOverFunctions &sum)
{
    Choices choices;
    choices.function_of.assign(sum.function_of.begin(), sum.function_of.end());
    const auto &functions = sum.functions;
    for (std::size_t f = 0; f < functions.functions(); ++f) {
        const auto sizes = functions.sizes(f);
        const auto costs = functions.costs(f);
        for (std::size_t k = 0; k < sizes.size() && sizes[k] <= sum.target; ++k)
            if (costs[k] != infinity && !sum.is_absent(f, k)) choices.add(sizes[k], costs[k]);
        choices.end_function();
    }
    return choices;
}

} // namespace

double least_sum_bound(const Choices &choices, std::int64_t target)
{
    const CostFunctions functions(cost_points_of(choices), best_simd_level());
    std::optional<double> multiplier;
    return least_sum_bound({functions, choices.function_of, target}, multiplier);
}

LeastSum least_sum(const Choices &choices, std::int64_t target, const SumQuery &query, Control &control)
{
    if (choices.functions() == 1 && choices.classes() > 1 && choices.count(0) > 0)
        if (auto least = least_sum_of_alike(
                {choices.sizes, choices.costs, static_cast<std::int64_t>(choices.classes()), target}, control))
            return least->cost <= query.cap ? std::move(*least) : LeastSum{};
    const CostFunctions functions(cost_points_of(choices), best_simd_level());
    auto least = least_sum_by_core({functions, choices.function_of, target}, query, control);
    if (!least) least = least_sum_by_states(choices, target, query, control);
    if (is_without_choice(*least)) return with_any_choice(std::move(*least), choices, target);
    least->points.clear(); // they number these choices, which the caller may have picked from others
    return std::move(*least);
}

LeastSum least_sum(const SumOverFunctions &sum, const SumQuery &query, Control &control)
{
    auto least = least_sum_by_core(sum, query, control);
    if (least && !is_without_choice(*least)) return std::move(*least);
    const auto choices = choices_of(sum);
    if (!least) least = least_sum_by_states(choices, sum.target, query, control);
    return is_without_choice(*least) ? with_any_choice(std::move(*least), choices, sum.target) : std::move(*least);
}

} // namespace hpart
