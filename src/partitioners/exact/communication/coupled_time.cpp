// Problem: x with sum x_i = n whose longest time, exchanges included, is least (docs/background/communication.md). Exact: each
// pattern is a graph whose walks are the possible arrangements (walks.hpp), with the loads of Communication::seconds_of.
// - chain: nodes (a, b), b the last active processor so far, a the one before it: b's size is chosen when its successor is known. p^2 nodes,
//   p^3 / 6 edges. This is the dynamic program over (processor, last active, assigned) with the last coordinate as a set.
// - any order: nodes (set of active processors, a, b). 2^p p^2 nodes: p is at most Communication::most_in_any_order.
// - SUMMA: the cost is known when the number q of active processors is: for each q that may win, nodes (processor, active so far).
//   p q nodes.
// The distribution without exchanges is the first to beat; its time is a lower bound. Source: design of hpart.
#include "partitioners/exact/communication/graphs.hpp"
#include "partitioners/exact/communication/walks.hpp"
#include "partitioners/exact/exact.hpp"

#include <algorithm>
#include <cmath>

namespace hpart
{

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
