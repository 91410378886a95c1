// Problem: multiple-choice knapsack with equality, as HEOPT (least dynamic energy) and every other sum here. Alike classes: alike_sum.cpp.
// Else dense layers over the core (core_search.cpp); where sums are too large or too sparse for these, states (below).
// Source: design of hpart.

#include "partitioners/search/least_sum.hpp"

#include "core/numbers.hpp"
#include "partitioners/search/choices.hpp"
#include "partitioners/search/relaxation.hpp"
#include "partitioners/search/resource_search.hpp"
#include "partitioners/search/subset_sum.hpp"

#include <algorithm>

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

// Problem: least_sum.cpp's with two resources that are bounded, or one of them to be least under a cap on the cost.
//
// 1. If the unbounded least sum keeps the bounds, it is the answer. Else the least use shows whether any choice is within the bounds, and is
//    the first one. Without bounds the first choice is near the relaxation's base, else the exact test for sums gives one or proves
//    that there is none.
// 2. Relaxations of the cost, of each bounded resource, and of the cost plus a multiple of a resource guide the search. The multiple is
//    sought where the relaxation's bound is highest (Lagrange); every multiple is correct.
// 3. The cap begins near the bound and rises until the search finds a choice, which is then the best: all that is left
//    out costs more than the cap, or uses more than allowed. With the first choice's cost as the cap it must find one. (Cap theorem.)
// Time: some tens of relaxations, then the search's states. Source: design of hpart.

namespace
{

constexpr double weight_growth = 8;
constexpr int rounds_up = 20;
constexpr int rounds_between = 8;
constexpr double first_cap_fraction = 1.0 / 64; // of the first choice's gap
constexpr double cap_growth = 8;
constexpr double bound_rounding = 0x1p-50; // of a difference of two sums

ResourceUse use_of(const Choices &choices, const std::vector<ResourceUse> &uses, const std::vector<std::int64_t> &sizes)
{
    ResourceUse sum{0, 0};
    for (std::size_t i = 0; i < choices.classes(); ++i) sum = plus(sum, uses[option_of_size(choices, i, sizes[i])]);
    return sum;
}

// True if a choice could use more of the resource than `most`.
bool can_exceed(const Choices &choices, const std::vector<ResourceUse> &uses, std::size_t resource, std::int64_t most)
{
    std::int64_t sum = 0;
    const auto copies = choices.copies();
    for (std::size_t f = 0; f < choices.functions(); ++f) {
        std::int64_t largest = 0;
        for (auto k = choices.first[f]; k < choices.first[f + 1]; ++k) largest = std::max(largest, uses[k][resource]);
        sum = saturating_add(sum, saturating_mul(copies[f], largest));
    }
    return sum > most;
}

// The choices with the use of a resource as cost.
Choices cost_as_use(Choices choices, const std::vector<ResourceUse> &uses, std::size_t resource)
{
    for (std::size_t k = 0; k < uses.size(); ++k) choices.costs[k] = static_cast<double>(uses[k][resource]);
    return choices;
}

constexpr std::array<double, 2> weight_on(std::size_t resource, double weight)
{
    return resource == 0 ? std::array{weight, 0.0} : std::array{0.0, weight};
}

class WithinSolver
{
  public:
    WithinSolver(const Choices &choices, std::int64_t target, const ReducedChoices &reduced,
                 std::vector<ResourceUse> uses, const ResourceQuery &query, std::vector<std::size_t> bounded,
                 Control &control)
        : choices_(choices), target_(target), reduced_(reduced), uses_(std::move(uses)), query_(query),
          bounded_(std::move(bounded)), control_(control)
    {
    }

    // `start` is within the bounds; empty where a resource is preferred, or none is bounded. expected_gap: as in SumQuery.
    LeastSum run(std::vector<std::int64_t> start, double expected_gap = 0)
    {
        if (!start.empty()) take(std::move(start));
        const auto outcome = outcome_of([&] {
            collect_guides();
            if (query_.prefer == Prefer::least_cost)
                search_least_cost(expected_gap);
            else
                search(query_.limit);
            return result_.outcome == Outcome::found;
        });
        result_.outcome = outcome;
        return std::move(result_);
    }

  private:
    Guide guide(double on_cost, std::array<double, 2> weights) const
    {
        return {reduced_.choices, uses_, reduced_.target, on_cost, weights};
    }

    void collect_guides()
    {
        guides_.push_back(guide(1, {0, 0}));
        raise_bound(guides_.back());
        for (const auto r : bounded_) {
            guides_.push_back(guide(0, weight_on(r, 1)));
            add_weighed_guide(r);
        }
    }

    void raise_bound(const Guide &guide)
    {
        auto bound = least_sum_bound(guide.choices, reduced_.target);
        if (const auto spent = guide.limit(0, query_.most); spent > 0)
            bound -= spent + bound_rounding * (bound + spent);
        result_.lower_bound = std::max(result_.lower_bound, bound);
    }

    std::int64_t base_use(const Guide &guide, std::size_t r) const
    {
        return use_of(reduced_.choices, uses_, guide.relaxation.base())[r];
    }

    // A weight at which the relaxation neither uses too much nor avoids the resource more than it must.
    void add_weighed_guide(std::size_t r)
    {
        const auto &unweighed = guides_.front();
        const auto most = query_.most[r];
        if (base_use(unweighed, r) <= most) return;
        const auto bound_at = [&](const Guide &weighed) {
            return weighed.relaxation.bound() - weighed.limit(0, query_.most);
        };
        auto low = 0.0;
        auto high = unweighed.relaxation.bound() / static_cast<double>(std::max<std::int64_t>(1, most));
        if (!(high > 0 && high < infinity)) high = 1;
        auto best = guide(1, weight_on(r, high));
        for (int round = 0; round < rounds_up && base_use(best, r) > most; ++round) {
            low = high;
            high *= weight_growth;
            best = guide(1, weight_on(r, high));
        }
        for (int round = 0; round < rounds_between; ++round) {
            const auto middle = low + (high - low) / 2;
            auto trial = guide(1, weight_on(r, middle));
            (base_use(trial, r) > most ? low : high) = middle;
            if (bound_at(trial) > bound_at(best)) best = std::move(trial);
        }
        try_first_choice(best);
        raise_bound(best);
        guides_.push_back(std::move(best));
    }

    void try_first_choice(const Guide &weighed)
    {
        auto sizes = first_choice(weighed.choices, weighed.relaxation, control_);
        if (sizes.empty() || !is_within(use_of(reduced_.choices, uses_, sizes), query_.most)) return;
        if (result_.sizes.empty() || cost_of(reduced_.choices, sizes) < result_.cost)
            take(reduced_.restore(std::move(sizes)));
    }

    void take(std::vector<std::int64_t> sizes)
    {
        result_.sizes = std::move(sizes);
        result_.cost = cost_of(choices_, result_.sizes);
    }

    // False when there is no choice.
    bool find_first_choice()
    {
        if (!result_.sizes.empty()) return true;
        auto near = first_choice(reduced_.choices, guides_.front().relaxation, control_);
        if (!near.empty())
            take(reduced_.restore(std::move(near)));
        else if (auto reached = reach_sum(choices_, target_, control_))
            take(std::move(*reached));
        return !result_.sizes.empty();
    }

    void search_least_cost(double expected_gap)
    {
        if (result_.lower_bound > query_.limit.most || !find_first_choice()) return;
        const auto highest = std::min(query_.limit.most, result_.cost);
        const auto bound = result_.lower_bound;
        auto step = expected_gap > 0 ? expected_gap : (highest - bound) * first_cap_fraction;
        // The cap is not above the bound where bounds overflow or the step is lost in rounding.
        for (auto cap = bound + step; cap < highest && cap > bound; cap = bound + (step *= cap_growth)) {
            if (search({cap})) return;
            result_.lower_bound = std::max(result_.lower_bound, cap);
        }
        search({highest});
    }

    bool search(const CostLimit &limit)
    {
        const ResourceProblem problem{reduced_.choices, uses_, reduced_.target, guides_};
        auto found = search_resources(problem, limit, query_.most, query_.prefer, control_);
        if (!found) return false;
        take(reduced_.restore(std::move(*found)));
        result_.outcome = Outcome::found;
        if (query_.prefer != Prefer::least_cost) return true;
        result_.lower_bound = result_.cost;
        result_.gap = std::max(0.0, result_.cost - guides_.front().relaxation.bound());
        return true;
    }

    const Choices &choices_;
    std::int64_t target_;
    const ReducedChoices &reduced_;
    std::vector<ResourceUse> uses_;
    const ResourceQuery &query_;
    std::vector<std::size_t> bounded_; // resources
    Control &control_;
    std::vector<Guide> guides_;
    LeastSum result_;
};

// No bound but on the use that is to be least. Nothing in other cases, or where another method must decide.
std::optional<LeastSum> least_use_of(const Choices &choices, const std::vector<ResourceUse> &uses, std::int64_t target,
                                     const ResourceQuery &query, const std::vector<std::size_t> &bounded,
                                     Control &control)
{
    if (query.prefer == Prefer::least_cost) return std::nullopt;
    const std::size_t resource = query.prefer == Prefer::fewest_active ? 0 : 1;
    if (std::any_of(bounded.begin(), bounded.end(), [&](auto r) { return r != resource; })) return std::nullopt;
    std::vector<std::int64_t> of_option;
    for (const auto &use : uses) of_option.push_back(use[resource]);
    std::optional<LeastSum> least;
    if (choices.functions() == 1 && choices.count(0) > 0)
        least = least_sum_of_alike({choices.sizes, choices.costs, static_cast<std::int64_t>(choices.classes()), target,
                                    of_option, query.limit},
                                   control);
    if (!least)
        least = within_limits([&] {
                    return least_use_by_core(choices, of_option, target, query.limit, control);
                }).value_or(std::nullopt);
    const bool is_beyond =
        least && !least->sizes.empty() && !is_within(use_of(choices, uses, least->sizes), query.most);
    return is_beyond ? LeastSum{} : std::move(least);
}

} // namespace

LeastSum least_sum_within(const Choices &choices, const std::vector<ResourceUse> &uses, std::int64_t target,
                          const ResourceQuery &query, Control &control)
{
    std::vector<std::size_t> bounded;
    auto kept = uses;
    for (std::size_t r = 0; r < unbounded_use.size(); ++r) {
        const bool binds = query.most[r] != unbounded && can_exceed(choices, uses, r, query.most[r]);
        const bool preferred = query.prefer == (r == 0 ? Prefer::fewest_active : Prefer::least_moved);
        if (binds) bounded.push_back(r);
        if (!binds && !preferred)
            for (auto &use : kept) use[r] = 0;
    }
    // A choice that exceeds a bound for certain is not searched for.
    for (const auto r : bounded)
        if (least_sum_bound(cost_as_use(choices, uses, r), target) > static_cast<double>(query.most[r])) return {};
    if (query.prefer == Prefer::least_cost) {
        SumQuery plain;
        plain.cap = query.limit.most;
        auto least = least_sum(choices, target, plain, control);
        // Often the least sum of all keeps the bounds, or there is none.
        const bool is_none = least.outcome == Outcome::none;
        if (bounded.empty() || is_none ||
            (!least.sizes.empty() && is_within(use_of(choices, uses, least.sizes), query.most)))
            return least;
    }
    if (auto least = least_use_of(choices, uses, target, query, bounded, control)) return std::move(*least);
    const auto reduced = reduce(choices, target);
    if (!reduced) return {};
    std::vector<std::int64_t> start;
    if (query.prefer == Prefer::least_cost) {
        auto within = least_use_within(choices, uses, target, bounded.back(), query.most, control);
        if (within.outcome == Outcome::none) return {};
        if (within.outcome == Outcome::limit) {
            within.lower_bound = least_sum_bound(choices, target);
            if (!within.sizes.empty()) within.cost = cost_of(choices, within.sizes);
            return within;
        }
        start = std::move(within.sizes);
    }
    return WithinSolver(choices, target, *reduced, std::move(kept), query, std::move(bounded), control)
        .run(std::move(start));
}

LeastSum least_sum_by_states(const Choices &choices, std::int64_t target, const SumQuery &query, Control &control)
{
    const auto reduced = reduce(choices, target);
    if (!reduced) return {};
    const ResourceQuery plain{Prefer::least_cost, {query.cap}, unbounded_use};
    return WithinSolver(choices, target, *reduced, {}, plain, {}, control).run({}, query.expected_gap);
}

LeastSum least_use_within(const Choices &choices, const std::vector<ResourceUse> &uses, std::int64_t target,
                          std::size_t resource, const ResourceUse &most, Control &control)
{
    ResourceQuery query;
    query.most = most;
    query.most[resource] = unbounded;
    if (most[resource] != unbounded) query.limit.most = static_cast<double>(most[resource]);
    auto least = least_sum_within(cost_as_use(choices, uses, resource), uses, target, query, control);
    // At a limit the best known may be above the bounds.
    if (!least.sizes.empty() && !is_within(use_of(choices, uses, least.sizes), most)) least.sizes.clear();
    return least;
}

} // namespace hpart
