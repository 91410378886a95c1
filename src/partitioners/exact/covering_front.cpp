// Problem: few Pareto points of (max t, sum e) such that every Pareto point (t, e) has one (t', e') with t' <= (1 + eps) t and
// e' <= (1 + eps) e, the products as double computes them; with the two ends.
//
// cover_points, of a whole front: from the slow end, the next point kept is the fastest whose energy is within the factor of the slowest
// point not yet covered; it covers all points from there to those that are faster by the factor. No choice needs fewer points.
// covering_front walks from the slow end: the least energy e of the times <= T, at a time t, is at most that of every Pareto point of a
// time in [t / (1 + eps), T]: that block is covered in time, and the walk goes on below it. One least_energy a block, whatever the
// number of Pareto points. Blocks one after another whose energies are within the factor are then covered by the fastest one's point.
// A point kept is at last made the fastest of its energy. The fast end is the least time within the budget, at its least energy.
// Blocks: at most 1 + log(slowest / fastest) / log(1 + eps). Source: design of hpart; epsilon-Pareto sets of C. Papadimitriou and
// M. Yannakakis, On the approximability of trade-offs and optimal access of web sources, FOCS 2000.
#include "core/doubles.hpp"
#include "partitioners/exact/epsilon_constraint.hpp"
#include "partitioners/exact/exact.hpp"
#include "partitioners/exact/front.hpp"

#include "core/error.hpp"

#include <algorithm>

namespace hpart
{

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
    EpsilonConstraint solver_;
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

} // namespace hpart
