// HEPOPT: all Pareto points of (max t_i(x_i), sum e_i(x_i)) over x with sum x_i = n. Method `exact`.
//
// Descending epsilon-constraint: the least energy E without a bound on the time; then again among the faster distributions only, and
// so on until there is none. Energies never fall. A step that costs the same energy gives a faster distribution of it, which
// replaces its predecessor; the least time of that energy is then found by galloping and bisection over the distinct times. A
// point is kept when all faster distributions cost more: it is Pareto-optimal. Complete: for a Pareto point (t, e) the least energy
// among distributions of time <= t is e, and the walk passes from above t to below t only through a point of that energy.
// Energies are compared as exact sums.
//
// HTPOPT: base power x time + dynamic energy rises with both, so every distribution is matched by a point of the exact dynamic front
// that is no slower and costs no more: the fronts of the rounded energies, dynamic and total, are filters of it.
// Time: one least_sum a point, O(log(p m)) more where energies tie. Source: design of hpart; HEPOPTA solves the same problem.

#include "core/numbers.hpp"
#include "partitioners/exact/energy_within.hpp"
#include "partitioners/exact/exact.hpp"

#include <algorithm>
#include <cstddef>

namespace hpart
{

namespace
{

class FrontWalk
{
  public:
    FrontWalk(const PartitionProblem &problem, Control &control)
        : instance_(problem.instance), deadline_(problem.deadline), times_(problem.prepared.times()),
          solver_(problem.prepared, problem.size, problem.rules, control, TimeBounds::falling), control_(control)
    {
    }

    std::vector<FrontPoint> run()
    {
        std::vector<FrontPoint> front;
        auto point = solver_.least_energy(deadline_);
        while (point) {
            control_.report_progress(1 - static_cast<double>(count_below(times_, point->seconds)) /
                                             static_cast<double>(times_.size()),
                                     "walking the front");
            auto next = faster_than(count_below(times_, point->seconds));
            if (next && cost_the_same(*next, *point)) next = go_to_least_time(*point, std::move(*next));
            front.push_back(std::move(*point));
            point = std::move(next);
        }
        std::reverse(front.begin(), front.end());
        return front;
    }

  private:
    bool cost_the_same(const FrontPoint &a, const FrontPoint &b) const
    {
        return a.joules == b.joules && cost_of(instance_, a.x).energy == cost_of(instance_, b.x).energy;
    }

    // Least energy of the times of rank < rank.
    std::optional<FrontPoint> faster_than(std::size_t rank)
    {
        if (rank == 0) return std::nullopt;
        return solver_.least_energy(times_[rank - 1]);
    }

    // `point` becomes the fastest distribution of its energy, `same` being one; gives the next point.
    std::optional<FrontPoint> go_to_least_time(FrontPoint &point, FrontPoint same)
    {
        point = std::move(same);
        std::optional<FrontPoint> next; // the best of ranks < low, all of which cost more
        std::size_t low = 0;
        auto high = count_below(times_, point.seconds);
        std::size_t step = 1; // 0: bisect
        while (low < high) {
            const auto rank = step > 0 ? high - std::min(step, high - low) + 1 : low + (high - low + 1) / 2;
            auto trial = faster_than(rank);
            if (trial && cost_the_same(*trial, point)) {
                point = std::move(*trial);
                high = count_below(times_, point.seconds);
                step *= 2;
            } else {
                next = std::move(trial);
                low = rank;
                step = 0;
            }
        }
        return next;
    }

    const Instance &instance_;
    double deadline_;
    const std::vector<double> &times_;
    EnergyWithin solver_;
    Control &control_;
};

} // namespace

std::vector<FrontPoint> exact_front(const PartitionProblem &problem, Control &control)
{
    return FrontWalk(problem, control).run();
}

std::vector<FrontPoint> rounded_front(std::vector<FrontPoint> front, const Instance &instance,
                                      std::optional<double> base_power)
{
    std::vector<FrontPoint> kept;
    for (auto &point : front) {
        const auto cost = cost_of(instance, point.x);
        point.joules = base_power ? cost.total_energy(*base_power) : cost.joules();
        if (kept.empty() || point.joules < kept.back().joules) kept.push_back(std::move(point));
    }
    return kept;
}

CostLimit energy_within_total(double power, double seconds, double total)
{
    CostLimit limit{total};
    limit.beside.add_product(power, seconds);
    return limit;
}

} // namespace hpart
