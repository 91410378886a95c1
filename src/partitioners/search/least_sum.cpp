// Problem: multiple-choice knapsack with equality, as HEOPT (least dynamic energy) and every other sum here.
//
// 1. Sizes are counted from each class's smallest and in units of their common divisor; what that forbids is infeasible.
// 2. The convex relaxation gives a lower bound and a multiplier; a first choice is sought near the relaxation's base, else the exact
//    test for sums gives one, or proves that there is none.
// 3. search_under_cap finds the least sum among all choices within a cap, if there is one. The cap begins near the bound and rises
//    until it finds one: all choices left out cost more than the cap, so what is found is optimal. With the first choice's cost as
//    the cap it must find one. (Cap theorem.)
// Time: a pass over the options for each search and its states; worst case the plain dynamic program, classes x options x target / unit.
// Source: design of hpart.
#include "partitioners/search/least_sum.hpp"

#include "core/doubles.hpp"
#include "core/error.hpp"
#include "partitioners/search/alike_sum.hpp"
#include "partitioners/search/near_base.hpp"
#include "partitioners/search/reachable_sum.hpp"
#include "partitioners/search/reduced_choices.hpp"
#include "partitioners/search/relaxation.hpp"
#include "partitioners/search/sum_search.hpp"

#include <algorithm>
#include <cmath>

namespace hpart
{

namespace
{

class LeastSumSolver
{
  public:
    LeastSumSolver(const Choices &choices, std::int64_t target, const ReducedChoices &reduced, const SumQuery &query,
                   Control &control, Work &work)
        : choices_(choices), target_(target), reduced_(reduced), query_(query), control_(control), work_(work),
          relaxation_(reduced.choices, reduced.target)
    {
        result_.lower_bound = safe_bound(reduced.choices, relaxation_);
    }

    LeastSum run()
    {
        try {
            solve();
        } catch (const Error &error) {
            if (error.status() != Status::limit) throw;
            result_.outcome = Outcome::limit;
        }
        return std::move(result_);
    }

  private:
    void solve()
    {
        if (result_.lower_bound > query_.cap || !find_first_choice()) return;
        const auto highest = std::min(query_.cap, result_.cost);
        const auto gap = highest - relaxation_.bound();
        const auto step = query_.expected_gap > 0 ? query_.expected_gap : gap * first_cap_fraction;
        search_under_growing_caps(relaxation_.bound(), highest, step, result_.lower_bound,
                                  [this](double cap) { return search(cap); });
    }

    // Some choice, of any cost: from the relaxation, or by the exact test. False when there is none.
    bool find_first_choice()
    {
        const auto completed = choice_near_base(reduced_.choices, relaxation_, control_);
        if (!completed.empty()) {
            take(reduced_.restore(completed));
            return true;
        }
        const auto reached = reach_sum(choices_, target_, control_, work_);
        if (reached) take(*reached);
        return reached.has_value();
    }

    void take(std::vector<std::int64_t> sizes)
    {
        result_.sizes = std::move(sizes);
        result_.cost = cost_of(choices_, result_.sizes);
    }

    bool search(double cap)
    {
        const SumProblem problem{reduced_.choices, reduced_.target, relaxation_};
        const auto found = search_under_cap(problem, cap, control_, work_);
        if (!found) return false;
        take(reduced_.restore(*found));
        result_.outcome = Outcome::found;
        result_.gap = std::max(0.0, result_.cost - relaxation_.bound());
        result_.lower_bound = result_.cost;
        return true;
    }

    const Choices &choices_;
    std::int64_t target_;
    const ReducedChoices &reduced_;
    const SumQuery &query_;
    Control &control_;
    Work &work_;
    Relaxation relaxation_;
    LeastSum result_;
};

LeastSum least_sum_of_usual_costs(const Choices &choices, std::int64_t target, const SumQuery &query, Control &control,
                                  Work &work)
{
    const auto reduced = reduce(choices, target);
    if (!reduced) return {};
    return LeastSumSolver(choices, target, *reduced, query, control, work).run();
}

// Slopes of costs near the smallest double lose all their digits, and the bounds with them. Times a power of two, sums of such costs
// are rounded as they were.
LeastSum least_sum_of_any_sizes(const Choices &choices, std::int64_t target, SumQuery query, Control &control,
                                Work &work)
{
    constexpr int exponent = 500;
    constexpr double tiny = 0x1p-550;
    const auto largest = choices.costs.empty() ? 0 : *std::max_element(choices.costs.begin(), choices.costs.end());
    if (largest == 0 || largest > tiny) return least_sum_of_usual_costs(choices, target, query, control, work);
    auto scaled = choices;
    for (auto &cost : scaled.costs) cost = std::ldexp(cost, exponent);
    query.cap = std::ldexp(query.cap, exponent);
    query.expected_gap = std::ldexp(query.expected_gap, exponent);
    auto least = least_sum_of_usual_costs(scaled, target, query, control, work);
    least.lower_bound = 0; // a scaled bound may not be rounded down
    if (least.sizes.empty()) return least;
    least.cost = cost_of(choices, least.sizes);
    if (least.outcome == Outcome::found) least.lower_bound = least.cost;
    least.gap = std::ldexp(least.gap, -exponent);
    return least;
}

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
        for (auto k = functions.begin(f); k < functions.end(f) && functions.sizes()[k] <= sum.target; ++k)
            if (functions.costs()[k] != infinity) choices.add(functions.sizes()[k], functions.costs()[k]);
        choices.end_function();
    }
    return choices;
}

} // namespace

double least_sum_bound(const Choices &choices, std::int64_t target)
{
    const auto reduced = reduce(choices, target);
    if (!reduced) return infinity;
    return safe_bound(reduced->choices, Relaxation(reduced->choices, reduced->target));
}

LeastSum least_sum(const Choices &choices, std::int64_t target, const SumQuery &query, Control &control, Work &work)
{
    if (choices.functions() == 1 && choices.classes() > 1 && choices.count(0) > 0)
        if (auto least = least_sum_of_alike(
                {choices.sizes, choices.costs, static_cast<std::int64_t>(choices.classes()), target}, control, work))
            return least->cost <= query.cap ? std::move(*least) : LeastSum{};
    const CostFunctions functions(choices.first, choices.sizes, choices.costs, best_simd_level());
    auto least = least_sum_by_core({functions, choices.function_of, target, best_simd_level()}, query, control, work);
    if (!least) least = least_sum_of_any_sizes(choices, target, query, control, work);
    if (is_without_choice(*least)) return with_any_choice(std::move(*least), choices, target);
    least->points.clear(); // they number the options of these choices, which the caller may have picked from others
    return std::move(*least);
}

LeastSum least_sum(const SumOverFunctions &sum, const SumQuery &query, Control &control, Work &work)
{
    auto least = least_sum_by_core(sum, query, control, work);
    if (least && !is_without_choice(*least)) return std::move(*least);
    const auto choices = choices_of(sum);
    if (!least) least = least_sum_of_any_sizes(choices, sum.target, query, control, work);
    return is_without_choice(*least) ? with_any_choice(std::move(*least), choices, sum.target) : std::move(*least);
}

} // namespace hpart
