// HTPOPT's objective: x with sum x_i = n that minimises base power x time + dynamic energy, rounded once. Method `exact`.
//
// With W the best value known and E the least dynamic energy of the distributions of time <= T, a better one of time t <= T has
// base power x t + E < W, since it needs at least E and rounding keeps the order. So T moves down to the largest time below the
// solution's that satisfies this, and E rises; when there is none, W is the least value over all distributions. A lower bound of E does
// most of this: the relaxation's at the multiplier of an earlier time, which costs next to nothing, then at T's own. A few trials at
// spread times begin with a good W. The optimum lies on the dynamic front, which is walked only where it can matter.
// Preferences (fewest active, least moved): a distribution has the least value W when its time is <= T and its energy at most the
// largest E with base power x T + E <= W; for each T where one exists, the preferred one under both bounds.
// Source: design of hpart; HTPOPTA takes it from the whole front.
#include "core/numbers.hpp"
#include "partitioners/exact/exact.hpp"
#include "partitioners/problem/problem.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

namespace hpart
{

namespace
{

constexpr int trial_rounds = 4;
constexpr std::size_t fewest_tried = 8; // times
constexpr double nearly_nothing = 0x1p-40;

class TotalEnergySearch
{
  public:
    TotalEnergySearch(const PartitionProblem &problem, Control &control)
        : problem_(problem), power_(problem.platform.base_power()), control_(control),
          shortest_(time_bound(problem.prepared, problem.size)), times_(problem.prepared.times()),
          solver_(problem.prepared, problem.size, problem.rules, control)
    {
    }

    Solution run()
    {
        Solution solution;
        if (shortest_ == infinity) return solution;
        solution.outcome = outcome_of([&] {
            if (!search()) return false;
            if (problem_.rules.prefer != Prefer::least_cost) use_preferred();
            return true;
        });
        const bool is_proved = solution.outcome != Outcome::limit || proved_;
        solution.lower_bound = is_proved ? best_value_ : objective_bound(problem_);
        if (solution.outcome == Outcome::limit && best_.empty()) best_ = solver_.incumbent();
        solution.x = std::move(best_);
        return solution;
    }

  private:
    double value(double seconds, const ExactSum &energy) const { return Cost{seconds, energy}.total_energy(power_); }
    ExactSum energy_of(const FrontPoint &point) const { return cost_of(problem_.instance, point.x).energy; }
    double value(const FrontPoint &point) const { return value(point.seconds, energy_of(point)); }

    // Returns its energy.
    ExactSum take(FrontPoint point)
    {
        const auto energy = energy_of(point);
        const auto of_point = value(point.seconds, energy);
        if (best_.empty() || of_point < best_value_) {
            best_value_ = of_point;
            best_ = std::move(point.x);
        }
        return energy;
    }

    bool search()
    {
        auto first = solver_.least_energy(problem_.deadline);
        if (!first) return false;
        const auto longest = first->seconds;
        const auto least = take(std::move(*first));
        auto relaxed = std::make_unique<RelaxedSum>(solver_.relaxed(longest, solver_.multiplier()));
        try_spread_times(count_below(times_, shortest_), count_below(times_, longest), *relaxed);
        auto rank = next_rank(count_below(times_, longest), least);
        bool is_fresh = false; // its multiplier is the best one of the rank
        while (rank > 0) {
            control_.report_progress(-1, "searching the least total energy");
            const auto seconds = times_[rank - 1];
            if (is_fresh) {
                auto point = solver_.least_energy(seconds, energy_cap(), relaxed.get());
                if (!point) break;
                const auto below = count_below(times_, point->seconds);
                rank = next_rank(below, take(std::move(*point)));
                is_fresh = false;
                continue;
            }
            relaxed->shorten(seconds);
            auto may_matter = next_rank(rank, ExactSum(relaxed->bound()));
            if (may_matter == rank) {
                auto renewed = relaxed->renewed();
                if (!renewed) break;
                relaxed = std::move(renewed);
                may_matter = next_rank(rank, ExactSum(relaxed->bound()));
                is_fresh = may_matter == rank;
            }
            rank = may_matter;
        }
        proved_ = true;
        return true;
    }

    // The number of the first `rank` times that could still give a better value with at least that energy.
    std::size_t next_rank(std::size_t rank, const ExactSum &energy) const
    {
        const auto end = times_.begin() + static_cast<std::ptrdiff_t>(rank);
        return static_cast<std::size_t>(
            std::partition_point(times_.begin(), end, [&](double t) { return value(t, energy) < best_value_; }) -
            times_.begin());
    }

    // No better distribution has more energy: power x shortest + energy < best, with room for the roundings.
    double energy_cap() const
    {
        return (best_value_ - power_ * shortest_) + 4 * std::numeric_limits<double>::epsilon() * best_value_;
    }

    // A time, with a bound of the values at it.
    struct Trial {
        std::size_t rank;
        double bound;
        std::unique_ptr<RelaxedSum> relaxed; // null: infinite

        bool is_before(std::size_t other_rank, double other_bound) const
        {
            return bound < other_bound || (bound == other_bound && rank > other_rank);
        }
    };

    double bound_at(std::size_t rank, const RelaxedSum &relaxed) const
    {
        return value(times_[rank], ExactSum(relaxed.bound()));
    }

    Trial trial_at(std::size_t rank, const RelaxedSum &near) const
    {
        auto relaxed = near.renewed();
        const auto bound = relaxed ? bound_at(rank, *relaxed) : infinity;
        return {rank, bound, std::move(relaxed)};
    }

    // Narrows to the time of least bound of three between low and high, a few rounds: only for a good value to begin with.
    void try_spread_times(std::size_t low, std::size_t high, const RelaxedSum &first)
    {
        if (high - low < fewest_tried) return;
        std::optional<Trial> middle;
        for (int round = 0; round < trial_rounds && high - low >= fewest_tried; ++round) {
            const auto quarter = (high - low) / 4;
            const auto half = low + 2 * quarter;
            if (!middle || middle->rank != half)
                middle = trial_at(half, (middle ? *middle->relaxed : first).within(times_[half]));
            if (!middle->relaxed) return;
            std::optional<Trial> better;
            for (const auto rank : {low + quarter, low + 3 * quarter}) {
                const auto &best = better ? *better : *middle;
                // The bound at another multiplier is lower than the one looked for.
                const auto near = middle->relaxed->within(times_[rank]);
                if (best.is_before(rank, bound_at(rank, near))) continue;
                auto trial = trial_at(rank, near);
                if (!best.is_before(rank, trial.bound)) better = std::move(trial);
            }
            if (better) middle = std::move(better);
            low = middle->rank - quarter;
            high = middle->rank + quarter;
        }
        if (auto point = solver_.least_energy(times_[middle->rank], infinity, middle->relaxed.get()))
            take(std::move(*point));
    }

    void use_preferred()
    {
        // The limit at the shortest time allows most: what keeps the best value with least use under it is the answer. A base power that
        // nearly vanishes in rounding would else be tried at each time.
        if (power_ > 0 && power_ * times_.back() <= nearly_nothing * best_value_) {
            const auto most = energy_within_total(power_, shortest_, best_value_);
            if (auto found = solver_.preferred(problem_.deadline, most); found && value(*found) <= best_value_) {
                best_ = std::move(found->x);
                return;
            }
        }
        const auto resource = problem_.rules.preferred_resource();
        auto least_use = unbounded;
        ExactSum energy; // no distribution of the times still to be seen costs less
        auto rank = static_cast<std::size_t>(std::upper_bound(times_.begin(), times_.end(), problem_.deadline) -
                                             times_.begin());
        for (;;) {
            // The times from which the best value can still be had.
            const auto end = times_.begin() + static_cast<std::ptrdiff_t>(rank);
            rank = static_cast<std::size_t>(
                std::partition_point(times_.begin(), end, [&](double t) { return value(t, energy) <= best_value_; }) -
                times_.begin());
            if (rank == 0) return;
            const auto seconds = times_[rank - 1];
            const auto point = solver_.least_energy(seconds, best_value_);
            if (!point) return;
            energy = energy_of(*point);
            if (value(seconds, energy) <= best_value_) {
                auto limit = energy_within_total(power_, seconds, best_value_);
                limit.least = point->joules;
                const auto found = solver_.preferred(seconds, limit);
                if (!found) return;
                const auto use = problem_.rules.use_of(found->x)[resource];
                if (use < least_use) best_ = found->x;
                least_use = std::min(least_use, use);
            }
            // Without base power all times allow the same energy: the longest has been seen.
            rank = power_ > 0 ? rank - 1 : 0;
        }
    }

    const PartitionProblem &problem_;
    double power_;
    Control &control_;
    double shortest_;
    const std::vector<double> &times_;
    EnergyWithin solver_;
    std::vector<std::int64_t> best_;
    double best_value_ = infinity;
    bool proved_ = false;
};

} // namespace

Solution least_total_energy(const PartitionProblem &problem, Control &control)
{
    return TotalEnergySearch(problem, control).run();
}

} // namespace hpart
