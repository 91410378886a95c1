// Problem: x with sum x_i = n of least energy, or total energy, where neighbours exchange messages (chain), the number of active
// processors costs (SUMMA), or nodes of processors can be switched off; all Pareto points of time and such an energy.
//
// Each kind of arrangement is a graph; the least energy of its walks within a time is exact (walk_energy.hpp).
// - Energy: one search a graph.
// - Total energy: base power x time + energy + watts of the working nodes x time. In an interval [T0, T1] of times no distribution
//   costs less than base power x T0 + the least energy, with nodes that take watts x T0, of all distributions of time <= T1. Branch
//   and bound over intervals, whose ends are loads of points: one of a single load is solved exactly.
// - Front: the least energy, then again among the faster distributions only; equal energies keep the fastest.
// Source: design of hpart.

#include "partitioners/exact/communication/graphs.hpp"
#include "partitioners/exact/communication/walk_energy.hpp"
#include "partitioners/exact/communication/walks.hpp"
#include "partitioners/exact/exact.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

namespace hpart
{

namespace
{

using Sizes = std::vector<std::int64_t>;

// The largest load to which the cost, which is within the limit, can be added.
double largest_load(double limit, double cost)
{
    if (limit + cost <= limit) return limit;
    double low = 0;
    for (auto high = limit; std::nextafter(low, infinity) < high;) {
        const auto middle = halfway(low, high);
        (middle + cost <= limit ? low : high) = middle;
    }
    return low;
}

double before_time(double seconds) { return std::nextafter(seconds, -infinity); }

// One kind of arrangement.
template <typename Graph> struct Arrangement {
    std::size_t active; // how many processors; 0: any number
    WalkSearch<Graph> walks;
    WalkEnergy<Graph> energies;
};

class ArrangedEnergy
{
  public:
    ArrangedEnergy(const PartitionProblem &problem, Control &control)
        : problem_(problem), communication_(problem.communication), total_(problem.is_total()),
          power_(total_ ? problem.platform.base_power() : 0), control_(control),
          pacer_(control, "arranging processors"), fitting_(problem.instance, problem.size, pacer_),
          shortest_(time_bound(problem.prepared, problem.size)), hints_(problem.instance.processors() + 1)
    {
    }

    // The least value among the distributions of time <= limit; nothing if there are none.
    std::optional<FrontPoint> least(double limit)
    {
        best_ = {};
        best_.joules = infinity;
        if (shortest_ == infinity) return std::nullopt; // no sizes suffice
        const auto p = problem_.instance.processors();
        const NodeOfProcessor nodes = total_ ? NodeOfProcessor(problem_.platform) : NodeOfProcessor();
        // One at a time: each takes as much memory as it may.
        if (communication_ == nullptr || !communication_->couples())
            search_kind(0, CountGraph(p, CountGraph::any_number, nodes), limit);
        else if (communication_->pattern() == Pattern::chain)
            search_kind(0, ChainGraph(*communication_, p, nodes), limit);
        else
            for (std::size_t active = 1; active <= p; ++active)
                search_kind(active, CountGraph(p, active, nodes), limit);
        if (best_.x.empty()) return std::nullopt;
        return best_;
    }

    const Sizes &incumbent() const { return best_.x; }

  private:
    struct Interval {
        double low, high;
        double energy; // no distribution in it has less
    };

    double collective(std::size_t active) const
    {
        return communication_ == nullptr ? 0 : communication_->collective(active);
    }
    double collective_energy(std::size_t active) const
    {
        return communication_ == nullptr || !communication_->couples()
                   ? 0
                   : communication_->collective_energy(active).rounded();
    }

    Cost cost(const Sizes &x) const { return cost_of(problem_.platform, problem_.instance, communication_, x); }
    double value(const Cost &cost) const { return total_ ? cost.total_energy(power_) : cost.joules(); }

    void take(Sizes x)
    {
        const auto found = cost(x);
        const auto worth = value(found);
        if (!best_.x.empty() && (worth > best_.joules || (worth == best_.joules && found.seconds >= best_.seconds)))
            return;
        best_ = {found.seconds, worth, std::move(x)};
    }

    // The longest time without what all spend.
    double longest_load(const Sizes &x) const
    {
        const bool is_chain = communication_ != nullptr && communication_->pattern() == Pattern::chain;
        return is_chain ? cost(x).seconds : cost_of(problem_.instance, x).seconds;
    }

    // The energy, as if the distribution took that time.
    Cost cost_at(const Sizes &x, double seconds) const
    {
        auto out = cost(x);
        out.seconds = seconds;
        out.of_nodes = {};
        for (const auto &node : problem_.platform.nodes())
            if (total_ && std::any_of(x.begin() + node.first, x.begin() + node.last + 1, [](auto n) { return n > 0; }))
                out.of_nodes.add_product(node.watts, seconds);
        return out;
    }

    // The products of watts and seconds in two doubles, neither negative, whose sum is exact.
    WalkCosts costs_at(double seconds) const
    {
        WalkCosts costs{communication_, {}};
        if (!total_) return costs;
        for (const auto &node : problem_.platform.nodes()) {
            auto product = node.watts * seconds;
            if (std::fma(node.watts, seconds, -product) < 0) product = before_time(product);
            costs.nodes.insert(costs.nodes.end(), {product, std::fma(node.watts, seconds, -product)});
        }
        return costs;
    }

    // The least energy of loads <= high, with nodes at that time, unless none can improve the best value.
    template <typename Graph>
    std::optional<Sizes> least_energy(Arrangement<Graph> &arrangement, double high, double seconds)
    {
        const auto walk = arrangement.walks.walk_within(high);
        if (!walk) return std::nullopt;
        const auto any = walk->sizes(problem_.instance.processors());
        take(any);
        const auto beside = collective_energy(arrangement.active);
        const auto at = cost_at(any, seconds);
        const auto own = (at.energy + at.of_nodes).rounded() - beside;
        // With room for the roundings here.
        const auto room = 16 * std::numeric_limits<double>::epsilon() * (best_.joules + power_ * seconds + beside);
        return arrangement.energies.least(high, costs_at(seconds),
                                          std::min(own, best_.joules - power_ * seconds - beside) + room);
    }

    template <typename Graph> void search_kind(std::size_t active, const Graph &graph, double limit)
    {
        const auto cost = collective(active);
        if (cost > limit) return;
        const auto &instance = problem_.instance;
        Arrangement<Graph> arrangement{active,
                                       {graph, instance, fitting_, problem_.size, control_},
                                       {graph, instance, fitting_, problem_.size, hints_[active], control_}};
        search(arrangement, largest_load(limit, cost));
    }

    template <typename Graph> void search(Arrangement<Graph> &arrangement, double limit)
    {
        if (!total_) {
            if (auto x = least_energy(arrangement, limit, 0)) take(std::move(*x));
            return;
        }
        std::vector<Interval> open{{shortest_, limit, 0}};
        while (!open.empty()) {
            auto [low, high, energy] = open.back();
            open.pop_back();
            const auto highest = arrangement.walks.loads_about(high).first;
            high = std::min(high, highest);
            if (high < low) continue;
            low = std::max(low, std::min(high, arrangement.walks.loads_about(before_time(low)).second));
            const auto seconds = low + collective(arrangement.active);
            if (Cost{seconds, ExactSum(energy)}.total_energy(power_) >= best_.joules) continue;
            auto x = least_energy(arrangement, high, seconds);
            if (!x) continue;
            const auto bound = cost_at(*x, seconds);
            const auto longest = longest_load(*x);
            take(std::move(*x));
            if (bound.total_energy(power_) >= best_.joules || longest <= low) continue;
            if (problem_.platform.nodes().empty()) high = before_time(longest);
            if (high < low) continue;
            const auto middle = halfway(low, high);
            energy = std::max(energy, before_time((bound.energy + bound.of_nodes).rounded()));
            open.push_back({std::nextafter(middle, infinity), high, energy});
            open.push_back({low, middle, energy});
        }
    }

    const PartitionProblem &problem_;
    const Communication *communication_;
    bool total_;
    double power_;
    Control &control_;
    Pacer pacer_;
    FittingSizes fitting_;
    double shortest_;
    std::vector<std::optional<double>> hints_; // of each kind, from one search to the next
    FrontPoint best_{};
};

} // namespace

Solution least_arranged_energy(const PartitionProblem &problem, Control &control)
{
    Solution solution;
    std::optional<ArrangedEnergy> search;
    solution.outcome = outcome_of([&] {
        search.emplace(problem, control);
        auto least = search->least(problem.deadline);
        if (!least) return false;
        solution.lower_bound = least->joules;
        solution.x = std::move(least->x);
        return true;
    });
    if (solution.outcome == Outcome::limit) {
        solution.lower_bound = bound_at_limit(problem);
        if (search) solution.x = search->incumbent();
    }
    return solution;
}

std::vector<FrontPoint> arranged_front(const PartitionProblem &problem, Control &control)
{
    if (problem.size == 0) return {{0, 0, Sizes(problem.instance.processors(), 0)}};
    std::vector<FrontPoint> front;
    ArrangedEnergy search(problem, control);
    for (auto limit = problem.deadline; limit >= 0;) {
        control.report_progress(-1, "walking the front");
        auto point = search.least(limit);
        if (!point) break;
        limit = before_time(point->seconds);
        if (!front.empty() && front.back().joules == point->joules) front.pop_back();
        front.push_back(std::move(*point));
    }
    std::reverse(front.begin(), front.end());
    return front;
}

// Problem: x with sum x_i = n whose longest time, exchanges included, is least (docs/background/communication.md). Exact: each
// pattern is a graph whose walks are the possible arrangements (walks.hpp), with the loads of Communication::seconds_of.
// - chain: nodes (a, b), b the last active processor so far, a the one before it: b's size is chosen when its successor is known. p^2 nodes,
//   p^3 / 6 edges. This is the dynamic program over (processor, last active, assigned) with the last coordinate as a set.
// - any order: nodes (set of active processors, a, b). 2^p p^2 nodes: p is at most Communication::most_in_any_order.
// - SUMMA: the cost is known when the number q of active processors is: for each q that may win, nodes (processor, active so far).
//   p q nodes.
// The distribution without exchanges is the first to beat; its time is a lower bound. Source: design of hpart.

namespace
{

class CoupledSearch
{
  public:
    CoupledSearch(const PartitionProblem &problem, Control &control)
        : problem_(problem), communication_(*problem.communication), p_(problem.instance.processors()),
          control_(control), pacer_(control, "arranging processors"), fitting_(problem.instance, problem.size, pacer_)
    {
    }

    // From a distribution that is the fastest without exchanges.
    Solution improve(Solution solution)
    {
        x_ = std::move(solution.x);
        best_ = communication_.seconds_of(problem_.instance, x_);
        bound_ = solution.lower_bound;
        const auto outcome = outcome_of([&] {
            search();
            bound_ = best_;
            return true;
        });
        return {outcome, std::move(x_), bound_};
    }

  private:
    void search()
    {
        if (communication_.pattern() == Pattern::chain)
            search_walks(ChainGraph(communication_, p_));
        else if (communication_.pattern() == Pattern::any_chain)
            search_walks(AnyOrderGraph(communication_, p_));
        else
            search_counts();
    }

    template <typename Graph> void search_walks(const Graph &graph)
    {
        WalkSearch<Graph> walks(graph, problem_.instance, fitting_, problem_.size, control_);
        if (const auto walk = walks.least_load(bound_, best_)) take(*walk, walk->longest);
    }

    void search_counts()
    {
        const auto without = bound_;
        bound_ = without + least_collective();
        for (std::size_t active = 1; active <= p_; ++active) {
            const auto cost = communication_.collective(active);
            auto low = without;
            const auto high = least_not_below(best_, cost);
            if (!(low < high)) continue;
            const CountGraph graph(p_, active);
            WalkSearch<CountGraph> walks(graph, problem_.instance, fitting_, problem_.size, control_);
            const auto walk = walks.least_load(low, high);
            if (walk && walk->longest + cost < best_) take(*walk, walk->longest + cost);
        }
    }

    double least_collective() const
    {
        auto least = communication_.collective(1);
        for (std::size_t active = 2; active <= p_; ++active) least = std::min(least, communication_.collective(active));
        return least;
    }

    // From this on, a time with the cost added is not below the value.
    static double least_not_below(double value, double cost)
    {
        auto seconds = std::max(0.0, value - cost);
        while (seconds + cost < value) seconds = std::nextafter(seconds, std::numeric_limits<double>::infinity());
        return seconds;
    }

    void take(const Walk &walk, double seconds)
    {
        x_ = walk.sizes(p_);
        best_ = seconds;
    }

    const PartitionProblem &problem_;
    const Communication &communication_;
    std::size_t p_;
    Control &control_;
    Pacer pacer_;
    FittingSizes fitting_;
    std::vector<std::int64_t> x_;
    double best_ = 0;
    double bound_ = 0;
};

} // namespace

Solution least_coupled_time(const PartitionProblem &problem, Control &control)
{
    auto alone = problem;
    alone.communication = nullptr;
    auto solution = least_time(alone, control);
    if (solution.outcome != Outcome::found) return solution;
    return CoupledSearch(problem, control).improve(std::move(solution));
}

} // namespace hpart
