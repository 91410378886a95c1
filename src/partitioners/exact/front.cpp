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

#include "core/error.hpp"
#include "core/numbers.hpp"
#include "partitioners/exact/exact.hpp"

#include <algorithm>
#include <cmath>
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

// Problem: few Pareto points of (max t, sum e) such that every Pareto point (t, e) has one (t', e') with t' <= (1 + eps) t and
// e' <= (1 + eps) e, the products as double computes them; with the two ends.
//
// cover_points, of a whole front: from the slow end, the next point kept is the fastest whose energy is within the factor of the
// slowest point not yet covered; it covers all points from there to the points faster by the factor. No choice needs fewer points.
// covering_front walks from the slow end: the least energy e of the times <= T, at a time t, is at most the energy of every Pareto
// point of a time in [t / (1 + eps), T]: that block is covered in time, and the walk goes on below it. One least_energy a block,
// whatever the number of Pareto points. Blocks one after another whose energies are within the factor are then covered by the
// fastest one's point. A point kept is at last made the fastest of its energy. The fast end is the least time within the budget, at
// its least energy.
// Blocks: at most 1 + log(slowest / fastest) / log(1 + eps). Source: design of hpart; epsilon-Pareto sets of C. Papadimitriou and
// M. Yannakakis, On the approximability of trade-offs and optimal access of web sources, FOCS 2000.

namespace
{

class CoveringWalk
{
  public:
    CoveringWalk(const PartitionProblem &problem, double eps, double budget, Control &control)
        : problem_(problem), factor_(1 + eps), budget_(budget), control_(control), times_(problem.prepared.times()),
          solver_(problem.prepared, problem.size, problem.rules, control)
    {
    }

    std::vector<FrontPoint> run()
    {
        auto least = solver_.least_energy(problem_.deadline);
        if (!least) return {};
        if (least->joules > budget_) return {std::move(*least)};
        const auto last = fastest(budget_);
        auto kept = keep_few(walk(make_pareto(std::move(*least)), last->seconds));
        if (kept.back().seconds > last->seconds) kept.push_back(*last);
        std::reverse(kept.begin(), kept.end());
        return kept;
    }

  private:
    // The Pareto point of least time whose energy is within the cap.
    std::optional<FrontPoint> fastest(double cap)
    {
        auto rules = problem_.rules;
        rules.most_joules = cap;
        rules.prefer = Prefer::least_cost;
        const PartitionProblem problem{.platform = problem_.platform,
                                       .prepared = problem_.prepared,
                                       .size = problem_.size,
                                       .options = problem_.options,
                                       .rules = rules};
        const auto found = least_time_within_rules(problem, control_);
        if (found.outcome == Outcome::none) return std::nullopt;
        if (found.outcome == Outcome::limit) fail(Status::limit, "the limit was reached on the way along the front");
        return solver_.least_energy(cost_of(problem_.instance, found.x).seconds);
    }

    // Blocks from the slow end down to that time.
    std::vector<FrontPoint> walk(FrontPoint slow_end, double least_seconds)
    {
        std::vector<FrontPoint> blocks;
        std::optional point(std::move(slow_end));
        while (point) {
            control_.report_progress(-1, "walking along the front");
            const auto covered = std::partition_point(times_.begin(), times_.end(),
                                                      [&](double t) { return factor_ * t < point->seconds; });
            blocks.push_back(std::move(*point));
            if (covered == times_.begin() || *(covered - 1) < least_seconds) break;
            point = solver_.least_energy(*(covered - 1), budget_);
        }
        return blocks;
    }

    std::vector<FrontPoint> keep_few(std::vector<FrontPoint> blocks)
    {
        std::vector<FrontPoint> kept;
        kept.push_back(blocks.front());
        for (std::size_t begin = 1; begin < blocks.size();) {
            auto next = begin + 1;
            while (next < blocks.size() && blocks[next].joules <= factor_ * blocks[begin].joules) ++next;
            kept.push_back(make_pareto(std::move(blocks[next - 1])));
            begin = next;
        }
        return kept;
    }

    FrontPoint make_pareto(FrontPoint point)
    {
        const auto faster = std::lower_bound(times_.begin(), times_.end(), point.seconds);
        if (faster == times_.begin() || !solver_.least_energy(*(faster - 1), point.joules)) return point;
        return *fastest(point.joules);
    }

    const PartitionProblem &problem_;
    double factor_;
    double budget_;
    Control &control_;
    const std::vector<double> &times_;
    EnergyWithin solver_;
};

// Farthest-point insertion (T. Gonzalez, Clustering to minimize the maximum intercluster distance, Theoretical Computer Science 38
// (1985) 293-306): the largest distance from a point to the nearest chosen one, and the least distance between chosen ones, are
// within a factor 2 of the best that any choice of as many points has; and the choice of k points is part of the choice of k + 1.
// Both coordinates are monotone along the front, so that a new point is nearest to points between its neighbours among the chosen alone.
// Cost: points chosen x points to find the farthest.
// Distances are compared by their squares times both extents, of basic operations alone: equal on every machine, and exact for small
// integers.
class Spread
{
  public:
    explicit Spread(const std::vector<FrontPoint> &front) : front_(front)
    {
        const auto seconds = front.back().seconds - front.front().seconds;
        const auto joules = front.front().joules - front.back().joules;
        std::frexp(seconds, &seconds_exponent_);
        std::frexp(joules, &joules_exponent_);
        seconds_ = scaled(seconds, seconds_exponent_);
        joules_ = scaled(joules, joules_exponent_);
    }

    // Indices, increasing.
    std::vector<std::size_t> choose(std::size_t count)
    {
        std::vector<double> nearest(front_.size(),
                                    infinity); // squared distance to the nearest chosen one, which have -1
        std::vector<std::size_t> chosen;
        const auto choose_one = [&](std::size_t k) {
            chosen.push_back(k);
            nearest[k] = -1;
            const auto approach = [&](std::size_t j) { nearest[j] = std::min(nearest[j], squared_distance(j, k)); };
            for (auto j = k; j-- > 0 && nearest[j] >= 0;) approach(j);
            for (auto j = k + 1; j < nearest.size() && nearest[j] >= 0; ++j) approach(j);
        };
        choose_one(0);
        choose_one(front_.size() - 1);
        while (chosen.size() < count)
            choose_one(static_cast<std::size_t>(std::max_element(nearest.begin(), nearest.end()) - nearest.begin()));
        std::sort(chosen.begin(), chosen.end());
        return chosen;
    }

  private:
    // At most 1, without rounding, so that no square overflows.
    static double scaled(double value, int exponent) { return std::ldexp(value, -exponent); }

    double squared_distance(std::size_t a, std::size_t b) const
    {
        const auto seconds = scaled(front_[a].seconds - front_[b].seconds, seconds_exponent_) * joules_;
        const auto joules = scaled(front_[a].joules - front_[b].joules, joules_exponent_) * seconds_;
        return seconds * seconds + joules * joules;
    }

    const std::vector<FrontPoint> &front_;
    int seconds_exponent_ = 0; // of the extents of the whole front
    int joules_exponent_ = 0;
    double seconds_ = 0; // the extents, in [0.5, 1)
    double joules_ = 0;
};

} // namespace

std::vector<FrontPoint> cover_points(std::vector<FrontPoint> front, double eps)
{
    const auto factor = 1 + eps;
    std::vector<FrontPoint> kept;
    const auto keep = [&](std::size_t k) { kept.push_back(front[k]); };
    if (front.empty()) return kept;
    keep(front.size() - 1);
    const auto covers = [&](const FrontPoint &point, std::size_t k) {
        return point.seconds <= factor * front[k].seconds && point.joules <= factor * front[k].joules;
    };
    for (auto k = front.size() - 1; k-- > 0;) {
        if (covers(kept.back(), k)) continue;
        auto fastest = k;
        while (fastest > 0 && front[fastest - 1].joules <= factor * front[k].joules) --fastest;
        keep(fastest);
    }
    if (kept.back().seconds > front.front().seconds) keep(0);
    std::reverse(kept.begin(), kept.end());
    return kept;
}

std::vector<FrontPoint> covering_front(const PartitionProblem &problem, double eps, double budget, Control &control)
{
    return CoveringWalk(problem, eps, budget, control).run();
}

std::vector<FrontPoint> spread_points(std::vector<FrontPoint> front, std::int64_t count)
{
    if (static_cast<std::int64_t>(front.size()) <= count) return front;
    std::vector<FrontPoint> out;
    for (const auto k : Spread(front).choose(static_cast<std::size_t>(count))) out.push_back(std::move(front[k]));
    return out;
}

} // namespace hpart
