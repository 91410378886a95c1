// Problem: x with sum x_i = n and least max t_i(x_i) among those with at most q active processors, at most w work moved, an energy within
// a budget, or with no processor idle.
//
// Feasibility of "time <= T" never turns from yes to no as T grows, and only the points' times matter. The search gallops from a lower
// bound and then bisects over these times. Each test is exact. With a budget it compares it to the least energy under the bounds; before
// that the relaxation of this energy raises the lower bound. Else it finds the least use of one resource under the bound on the other, or
// tests whether n is a sum. If idling is allowed, the lower bound is the least time without rules; its distribution is the answer if it
// keeps them.
// A second search finds the preferred distribution of the least time under the same bounds: with a budget and no preference, the one of
// least energy.
// Time: O(log(p m)) tests. Source: design of hpart.
#include "core/error.hpp"
#include "core/numbers.hpp"
#include "partitioners/exact/exact.hpp"
#include "partitioners/exact/time_levels.hpp"
#include "partitioners/search/least_sum.hpp"
#include "partitioners/search/subset_sum.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <numeric>
#include <utility>

namespace hpart
{

namespace
{

constexpr std::size_t first_part = 4096; // of the times that are left
constexpr std::size_t step_growth = 16;
constexpr std::size_t near_part = 4;

class Search
{
  public:
    Search(const PartitionProblem &problem, Control &control)
        : problem_(problem), rules_(problem.rules), has_budget_(rules_.most_joules < infinity), control_(control),
          solver_(problem.prepared, problem.size, problem.rules, control)
    {
    }

    Solution run()
    {
        Solution solution;
        solution.outcome = outcome_of([&] {
            if (!begin() || !search()) return false;
            proved_ = best_time_;
            if (has_budget_ || rules_.prefer != Prefer::least_cost) use_preferred();
            return true;
        });
        if (solution.outcome == Outcome::none) return solution;
        solution.lower_bound = proved_;
        solution.x = std::move(best_);
        return solution;
    }

  private:
    // Made where the least time without rules does not do.
    const std::vector<double> &times() const { return problem_.prepared.times(); }

    // A lower bound; false when there is no distribution at all.
    bool begin()
    {
        proved_ = time_bound(problem_.prepared, problem_.size);
        if (proved_ == infinity) return false;
        if (rules_.all_work) {
            proved_ = std::max(proved_, longest_of_least());
        } else {
            auto fastest = least_time({.platform = problem_.platform,
                                       .prepared = problem_.prepared,
                                       .size = problem_.size,
                                       .options = problem_.options},
                                      control_);
            proved_ = std::max(proved_, fastest.lower_bound);
            if (fastest.outcome == Outcome::none) return false;
            if (has_budget_ && !fastest.x.empty()) fastest_joules_ = cost_of(problem_.instance, fastest.x).joules();
            if (keeps_rules(fastest.x)) take(std::move(fastest.x));
            if (fastest.outcome == Outcome::limit)
                fail(Status::limit, "the limit was reached before the least time without rules was proved");
        }
        return proved_ < infinity;
    }

    // The largest of the processors' least times for any work; infinity if one can do none.
    double longest_of_least() const
    {
        double longest = 0;
        for (const auto &function : problem_.instance.of_function) {
            auto least = infinity;
            for (const auto seconds : function.seconds) least = std::min(least, seconds);
            longest = std::max(longest, least);
        }
        return longest;
    }

    bool keeps_rules(const std::vector<std::int64_t> &x) const
    {
        return !x.empty() && is_within(rules_.use_of(x), rules_.most) &&
               (!has_budget_ || cost_of(problem_.instance, x).joules() <= rules_.most_joules);
    }

    void take(std::vector<std::int64_t> x)
    {
        best_ = std::move(x);
        best_time_ = cost_of(problem_.instance, best_).seconds;
    }

    Choices choices_of(double seconds) const
    {
        return choices_within(problem_.instance, problem_.size, seconds, rules_.previous);
    }

    std::optional<FrontPoint> least_energy_within(double seconds)
    {
        const bool is_relaxed = relaxed_ != nullptr && relaxed_->longest() == seconds;
        return solver_.least_energy(seconds, rules_.most_joules, is_relaxed ? relaxed_.get() : nullptr);
    }

    std::vector<std::int64_t> any_within(double seconds)
    {
        if (has_budget_) {
            auto point = least_energy_within(seconds);
            return point ? std::move(point->x) : std::vector<std::int64_t>();
        }
        if (rules_.bound_uses()) return of_least_use(seconds, rules_.most[0] != unbounded ? 0 : 1);
        return reach_sum(choices_of(seconds), problem_.size, control_).value_or(std::vector<std::int64_t>());
    }

    std::vector<std::int64_t> of_least_use(double seconds, std::size_t resource)
    {
        const auto choices = choices_of(seconds);
        auto least = least_use_within(choices, uses_of(choices, rules_.previous), problem_.size, resource, rules_.most,
                                      control_);
        if (least.outcome == Outcome::limit) {
            if (best_.empty() && !least.sizes.empty()) take(std::move(least.sizes));
            fail(Status::limit, "the limit was reached before the least use was proved");
        }
        return std::move(least.sizes);
    }

    // The most that the processors' largest sizes within a time can sum to by so many active ones, or with so much work moved: of
    // each processor the smaller of its largest and its previous size, and the work moved.
    bool may_keep_uses(const TimeLevel &level) const
    {
        const auto processors = problem_.instance.processors();
        const auto largest = [&](std::size_t i) { return level.largest[problem_.instance.function_of[i]]; };
        const auto [most_active, most_moved] = rules_.most;
        std::int64_t sum = most_moved;
        for (std::size_t i = 0; i < processors && most_moved != unbounded; ++i)
            sum = saturating_add(sum, std::min(largest(i), rules_.previous[i]));
        if (sum < problem_.size) return false;
        if (most_active >= static_cast<std::int64_t>(processors)) return true;
        std::vector<std::int64_t> sizes(processors);
        for (std::size_t i = 0; i < processors; ++i) sizes[i] = largest(i);
        const auto end = sizes.begin() + most_active;
        std::nth_element(sizes.begin(), end, sizes.end(), std::greater<>());
        return std::accumulate(sizes.begin(), end, std::int64_t{0},
                               [](auto a, auto b) { return saturating_add(a, b); }) >= problem_.size;
    }

    // In a fraction of the time of a test.
    void raise_bound_by_uses()
    {
        if (!rules_.bound_uses()) return;
        const TimeLevels levels(problem_.prepared, problem_.size);
        auto low = count_below(times(), proved_);
        for (auto high = times().size(); low < high;) {
            const auto middle = low + (high - low) / 2;
            if (may_keep_uses(levels.at(times()[middle])))
                high = middle;
            else
                low = middle + 1;
        }
        proved_ = low < times().size() ? std::max(proved_, times()[low]) : infinity;
    }

    // False when all distributions need more energy. At any multiplier the relaxation's bound rises as the time falls, and so does the highest
    // bound: times are ruled out at one multiplier, then at the multiplier of the first time that is left, until none is ruled out.
    bool raise_bound_by_energy()
    {
        auto last = times().size() - 1;
        if (rules_.bound_uses()) {
            const auto least = least_energy_within(times().back());
            if (!least) return false;
            last = count_below(times(), least->seconds);
        }
        relaxed_ = solver_.relaxed(times()[last], solver_.multiplier()).renewed();
        if (!is_within_budget(relaxed_.get())) return false;
        // From the least energy to the energy of the fastest, the multiplier grows about as the inverse of the distance that is left.
        const auto least = relaxed_->bound();
        if (const auto part = (rules_.most_joules - least) / (fastest_joules_ - least); 0 < part && part < 1)
            relaxed_ =
                std::make_unique<RelaxedSum>(solver_.relaxed(times()[last], relaxed_->multiplier() / (1 - part)));
        auto low = count_below(times(), proved_);
        while (low < last) {
            auto high = last;
            narrow(low, high);
            auto renewed = relaxed_->renewed();
            if (is_within_budget(renewed.get())) {
                relaxed_ = std::move(renewed);
                last = high;
                continue;
            }
            low = std::min(high + 1, last);
            if (renewed) relaxed_ = std::make_unique<RelaxedSum>(renewed->within(times()[last]));
        }
        proved_ = std::max(proved_, times()[low]);
        return true;
    }

    bool is_within_budget(const RelaxedSum *relaxed) const
    {
        return relaxed != nullptr && relaxed->bound() <= rules_.most_joules;
    }

    // From ranks of times towards the first one, from `low` on, at which the bound at this multiplier is within the budget, as it is at
    // `high`: there, or near it beside the distance covered. The relaxation then belongs to `high`.
    void narrow(std::size_t &low, std::size_t &high)
    {
        const auto first = low;
        const auto is_done = [&] { return high - low <= (low - first) / near_part; };
        const auto try_at = [&](std::size_t rank) {
            auto trial = std::make_unique<RelaxedSum>(relaxed_->within(times()[rank]));
            const bool is_within = is_within_budget(trial.get());
            if (is_within) {
                high = rank;
                relaxed_ = std::move(trial);
            } else {
                low = rank + 1;
            }
            return is_within;
        };
        // Most often it is near.
        for (auto step = (high - low) / first_part; low + step < high;
             step = step_growth * std::max<std::size_t>(step, 1))
            if (try_at(low + step)) break;
        while (!is_done()) try_at(low + (high - low) / 2);
    }

    bool test(double seconds)
    {
        auto x = any_within(seconds);
        if (x.empty()) return false;
        take(std::move(x));
        return true;
    }

    bool search()
    {
        if (!best_.empty()) return true; // at the least time without rules
        raise_bound_by_uses();
        if (has_budget_ && proved_ < infinity && !raise_bound_by_energy()) return false;
        auto low = count_below(times(), proved_); // all times before are too short
        std::size_t step = 1;                     // 0: bisect
        for (auto high = times().size(); low < high;) {
            const auto trial = step > 0 ? std::min(low + step, high) - 1 : low + (high - low) / 2;
            if (test(times()[trial])) {
                high = count_below(times(), best_time_);
                step = 0;
            } else {
                if (step == 1 && has_budget_ && !least_energy_within(times().back())) return false;
                low = trial + 1;
                if (low < times().size()) proved_ = times()[low];
                step *= 2;
            }
        }
        return !best_.empty();
    }

    void use_preferred()
    {
        if (!has_budget_) {
            best_ = of_least_use(best_time_, rules_.preferred_resource());
            return;
        }
        const auto point = rules_.prefer == Prefer::least_cost ? least_energy_within(best_time_)
                                                               : solver_.preferred(best_time_, {rules_.most_joules});
        if (point) best_ = point->x;
    }

    const PartitionProblem &problem_;
    const Rules &rules_;
    bool has_budget_;
    Control &control_;
    EnergyWithin solver_;
    double proved_ = 0;                   // no distribution within the rules is faster
    double fastest_joules_ = 0;           // with a budget: the energy of the fastest distribution, if it is known
    std::unique_ptr<RelaxedSum> relaxed_; // with a budget
    std::vector<std::int64_t> best_;
    double best_time_ = infinity;
};

} // namespace

Solution least_time_within_rules(const PartitionProblem &problem, Control &control)
{
    return Search(problem, control).run();
}

} // namespace hpart
