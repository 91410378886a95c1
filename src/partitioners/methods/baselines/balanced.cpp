// Balanced: the load balance on the real functions. Among the distributions with the most active processors that any has, the least
// spread between the longest and the shortest time of the active processors; of these the least longest time.
//
// Most active: least_sum with cost 1 for an idle processor. A distribution whose active times lie in [a, b] has them among the points
// of those times; for each shortest time a the least b is found by an exact test, and the optimum is the best pair (b - a, b) over
// all a. For a given a only the b that beat the best pair are asked for, and a test first compares the sums of the smallest
// and of the largest sizes: most are answered by that alone. The spread b - a is compared as double gives it.
// Time: O(p m) tests over the few points inside a window. Source: the "load-balanced solution" that Khaleghzadeh's thesis compares with.
#include "core/error.hpp"
#include "core/numbers.hpp"
#include "partitioners/exact/exact.hpp"
#include "partitioners/methods/baselines/baselines.hpp"
#include "partitioners/search/least_sum.hpp"
#include "partitioners/search/limits.hpp"

#include <algorithm>
#include <optional>
#include <span>

namespace hpart
{

namespace
{

class BalanceSearch
{
  public:
    BalanceSearch(const PartitionProblem &problem, Control &control)
        : instance_(problem.instance), size_(problem.size), control_(control),
          idle_(static_cast<double>(instance_.processors())), times_(problem.prepared.times()),
          slowest_first_(problem.prepared.slowest_first()), groups_(problem.prepared.groups())
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
        const auto order = std::span(slowest_first_);
        const auto begin = std::partition_point(
            order.begin(), order.end(), [&](const auto &place) { return instance_.seconds_at(place) > longest; });
        const auto end = std::partition_point(
            begin, order.end(), [&](const auto &place) { return instance_.seconds_at(place) >= shortest; });
        const std::span points(begin, end);
        if (!may_reach(points)) return std::nullopt;
        SumQuery query;
        query.cap = idle_;
        auto found = least_sum(choices_of(points), size_, query, control_);
        if (found.outcome == Outcome::limit)
            fail(Status::limit, "the time or memory limit was reached before the balance was proved");
        if (found.outcome == Outcome::none) return std::nullopt;
        return std::move(found.sizes);
    }

    std::int64_t size_at(const PointPlace &place) const
    {
        return instance_.of_function[place.function].sizes[place.index];
    }

    // True unless too many processors have no work in these points, or their largest sizes are too small.
    bool may_reach(std::span<const PointPlace> points)
    {
        largest_.assign(instance_.functions(), 0);
        for (const auto &place : points)
            if (const auto size = size_at(place); size <= size_)
                largest_[place.function] = std::max(largest_[place.function], size);
        double idle = 0;
        std::int64_t sum = 0;
        for (std::size_t f = 0; f < largest_.size(); ++f) {
            const auto copies = groups_.copies(f);
            if (largest_[f] == 0) idle += static_cast<double>(copies);
            sum = saturating_add(sum, saturating_mul(static_cast<std::int64_t>(copies), largest_[f]));
        }
        return idle <= idle_ && sum >= size_;
    }

    // These points and idling, which costs 1.
    Choices choices_of(std::span<const PointPlace> points) const
    {
        std::vector<PointPlace> of_functions(points.begin(), points.end());
        std::sort(of_functions.begin(), of_functions.end());
        Choices choices;
        choices.function_of = instance_.function_of;
        auto place = of_functions.begin();
        for (std::uint32_t f = 0; f < instance_.functions(); ++f) {
            if (instance_.of_function[f].may_idle()) choices.add(0, 1);
            for (; place != of_functions.end() && place->function == f; ++place)
                if (const auto size = size_at(*place); size > 0 && size <= size_) choices.add(size, 0);
            choices.end_function();
        }
        return choices;
    }

    const Instance &instance_;
    std::int64_t size_;
    Control &control_;
    double idle_;                      // at most so many
    const std::vector<double> &times_; // may have the time of idling
    const std::vector<PointPlace> &slowest_first_;
    const Groups &groups_;
    std::vector<std::int64_t> largest_; // of each function in a window
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
