// Balanced: the load balance on the real functions. Among the distributions with the most active processors that any has, the least
// spread between the longest and the shortest time of the active processors; of these the least longest time.
//
// Most active: least_sum with cost 1 for an idle processor. A distribution whose active times lie in [a, b] has them among the points
// of those times; for each shortest time a the least b is found by an exact test, and the optimum is the best pair (b - a, b) over
// all a. For a given a only the b that beat the best pair are asked for, and a test first compares the sums of the smallest
// and of the largest sizes: most are answered by that alone. The spread b - a is compared as double gives it.
// Time: O(p m) tests over the few points inside a window. Source: the "load-balanced solution" that Khaleghzadeh's thesis compares with.
#include "core/checked.hpp"
#include "core/doubles.hpp"
#include "core/error.hpp"
#include "partitioners/exact/exact.hpp"
#include "partitioners/methods/baselines/baselines.hpp"
#include "partitioners/search/least_sum.hpp"
#include "partitioners/search/limits.hpp"

#include <algorithm>
#include <optional>

namespace hpart
{

namespace
{

class BalanceSearch
{
  public:
    BalanceSearch(const PartitionProblem &problem, Control &control)
        : instance_(problem.instance), size_(problem.size), control_(control),
          idle_(static_cast<double>(instance_.processors())), times_(problem.prepared.times())
    {
    }

    Solution run()
    {
        const auto all = try_window(-infinity, infinity);
        if (!all) return {};
        idle_ = static_cast<double>(std::count(all->begin(), all->end(), 0));
        best_ = *all;
        note_best();
        const auto outcome = outcome_of([&] {
            for (std::size_t k = 0; k < times_.size(); ++k) {
                control_.report_progress(static_cast<double>(k) / static_cast<double>(times_.size()),
                                         "balancing times");
                narrow_from(k);
            }
            return true;
        });
        return {outcome, std::move(best_), 0};
    }

  private:
    // The shortest and longest time of the active processors of best_.
    void note_best()
    {
        double shortest = infinity;
        double longest = 0;
        for (std::size_t i = 0; i < best_.size(); ++i) {
            if (best_[i] == 0) continue;
            const auto seconds = instance_.seconds_of(i, best_[i]);
            shortest = std::min(shortest, seconds);
            longest = std::max(longest, seconds);
        }
        spread_ = longest - shortest;
        longest_ = longest;
    }

    bool is_better(double shortest, double longest) const
    {
        const auto spread = longest - shortest;
        return spread < spread_ || (spread == spread_ && longest < longest_);
    }

    // Takes the least longest time that goes with the k-th time as the shortest, if that is better.
    void narrow_from(std::size_t k)
    {
        for (;;) {
            const auto begin = times_.begin() + static_cast<std::ptrdiff_t>(k);
            const auto end =
                std::partition_point(begin, times_.end(), [&](double t) { return is_better(times_[k], t); });
            if (begin == end) return;
            auto low = begin;
            auto high = end;
            auto found = try_window(times_[k], *(high - 1));
            if (!found) return;
            for (--high; low < high;) {
                const auto middle = low + (high - low) / 2;
                if (auto narrower = try_window(times_[k], *middle)) {
                    found = std::move(narrower);
                    high = middle;
                } else {
                    low = middle + 1;
                }
            }
            best_ = std::move(*found);
            note_best();
        }
    }

    // A distribution with no more idle processors than idle_ and all active times within the window.
    std::optional<std::vector<std::int64_t>> try_window(double shortest, double longest)
    {
        check_time(control_);
        const auto choices = choices_where(
            instance_, size_,
            [&](const FunctionPoints &function, std::size_t k) {
                return function.sizes[k] == 0 || (shortest <= function.seconds[k] && function.seconds[k] <= longest);
            },
            [](const FunctionPoints &function, std::size_t k, std::size_t) {
                return function.sizes[k] == 0 ? 1.0 : 0.0;
            });
        if (!may_reach(choices)) return std::nullopt;
        SumQuery query;
        query.cap = idle_;
        auto found = least_sum(choices, size_, query, control_);
        if (found.outcome == Outcome::limit)
            fail(Status::limit, "the time or memory limit was reached before the balance was proved");
        if (found.outcome == Outcome::none) return std::nullopt;
        return std::move(found.sizes);
    }

    bool may_reach(const Choices &choices) const
    {
        double idle = 0;
        std::int64_t largest = 0;
        const auto copies = choices.copies();
        for (std::size_t f = 0; f < choices.functions(); ++f) {
            const auto sizes = choices.sizes_of_function(f);
            if (sizes.size() == 1) idle += static_cast<double>(copies[f]);
            largest = saturating_add(largest, saturating_mul(copies[f], sizes.back()));
        }
        return idle <= idle_ && largest >= size_;
    }

    const Instance &instance_;
    std::int64_t size_;
    Control &control_;
    double idle_;                      // at most so many
    const std::vector<double> &times_; // that of idling may be among them
    std::vector<std::int64_t> best_;
    double spread_ = infinity;
    double longest_ = infinity;
};

} // namespace

Solution balanced(const PartitionProblem &problem, Control &control)
{
    auto solution = BalanceSearch(problem, control).run();
    solution.lower_bound = objective_bound(problem);
    return solution;
}

} // namespace hpart
