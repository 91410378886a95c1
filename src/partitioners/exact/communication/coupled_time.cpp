// Problem: x with sum x_i = n whose longest time, exchanges included, is least (docs/communication.md). Exact: each pattern is a graph whose
// walks are the possible arrangements (walks.hpp), its loads those of Communication::seconds_of.
// - chain: nodes (a, b), b the last active processor so far, a the one before it: b's size is chosen when its successor is known. p^2 nodes,
//   p^3 / 6 edges. This is the dynamic program over (processor, last active, assigned) with the last coordinate as a set.
// - any order: nodes (set of active processors, a, b). 2^p p^2 nodes: p is at most Communication::most_in_any_order.
// - SUMMA: the cost is known when the number q of active processors is: for each q that may win, nodes (processor, active so far). p q nodes.
// The distribution without exchanges is the first to beat; its time is a lower bound. Source: design of hpart.
#include "partitioners/exact/communication/coupled_time.hpp"

#include "core/error.hpp"
#include "partitioners/exact/communication/walks.hpp"
#include "partitioners/exact/exact.hpp"

#include <algorithm>
#include <cmath>

namespace hpart
{

namespace
{

// Nodes: the start, (a, b) with a < b or a = nobody, which is p, the end.
class ChainGraph
{
  public:
    ChainGraph(const Communication &communication, std::size_t processors)
        : communication_(communication), p_(processors)
    {
    }

    std::size_t nodes() const { return p_ * (p_ + 1) + 2; }

    template <typename Visit> void for_each_edge(std::size_t node, const Visit &visit) const
    {
        if (node == 0) {
            for (std::size_t b = 0; b < p_; ++b) visit(WalkEdge{node_of(p_, b)});
            return;
        }
        const auto b = (node - 1) / (p_ + 1);
        const auto a = (node - 1) % (p_ + 1);
        if (a >= b && a != p_) return;
        const auto before = a == p_ ? 0 : communication_.exchange(a, b);
        for (auto next = b + 1; next < p_; ++next)
            visit(WalkEdge{node_of(b, next), b, before, communication_.exchange(b, next)});
        visit(WalkEdge{nodes() - 1, b, before, 0});
    }

  private:
    std::size_t node_of(std::size_t a, std::size_t b) const { return 1 + b * (p_ + 1) + a; }

    const Communication &communication_;
    std::size_t p_;
};

// Nodes: the start, (set, a, b) with a and b in the set or a = nobody, which is p, and the set {b}; the end.
class AnyOrderGraph
{
  public:
    AnyOrderGraph(const Communication &communication, std::size_t processors)
        : communication_(communication), p_(processors)
    {
    }

    std::size_t nodes() const { return (std::size_t{1} << p_) * p_ * (p_ + 1) + 2; }

    template <typename Visit> void for_each_edge(std::size_t node, const Visit &visit) const
    {
        if (node == 0) {
            for (std::size_t b = 0; b < p_; ++b) visit(WalkEdge{node_of(bit(b), p_, b)});
            return;
        }
        const auto a = (node - 1) % (p_ + 1);
        const auto b = (node - 1) / (p_ + 1) % p_;
        const auto set = (node - 1) / (p_ + 1) / p_;
        const bool exists = a == p_ ? set == bit(b) : a != b && (set & bit(a)) != 0 && (set & bit(b)) != 0;
        if (!exists) return;
        const auto before = a == p_ ? 0 : communication_.exchange(a, b);
        for (std::size_t next = 0; next < p_; ++next)
            if ((set & bit(next)) == 0)
                visit(WalkEdge{node_of(set | bit(next), b, next), b, before, communication_.exchange(b, next)});
        visit(WalkEdge{nodes() - 1, b, before, 0});
    }

  private:
    static std::size_t bit(std::size_t b) { return std::size_t{1} << b; }
    std::size_t node_of(std::size_t set, std::size_t a, std::size_t b) const
    {
        return 1 + (set * p_ + b) * (p_ + 1) + a;
    }

    const Communication &communication_;
    std::size_t p_;
};

// Nodes: (processors decided, of them active).
class CountGraph
{
  public:
    CountGraph(std::size_t processors, std::size_t active) : p_(processors), active_(active) {}

    std::size_t nodes() const { return (p_ + 1) * (active_ + 1); }

    template <typename Visit> void for_each_edge(std::size_t node, const Visit &visit) const
    {
        const auto i = node / (active_ + 1);
        const auto so_far = node % (active_ + 1);
        if (i == p_) return;
        visit(WalkEdge{node + active_ + 1});
        if (so_far < active_) visit(WalkEdge{node + active_ + 2, i, 0, 0});
    }

  private:
    std::size_t p_;
    std::size_t active_;
};

class CoupledSearch
{
  public:
    CoupledSearch(const PartitionProblem &problem, Control &control, Work &work)
        : problem_(problem), communication_(*problem.communication), p_(problem.instance.processors()),
          control_(control), work_(work)
    {
    }

    // From a distribution that is the fastest without exchanges.
    Solution improve(Solution solution)
    {
        x_ = std::move(solution.x);
        best_ = communication_.seconds_of(problem_.instance, x_);
        bound_ = solution.lower_bound;
        try {
            search();
            bound_ = best_;
        } catch (const Error &error) {
            if (error.status() != Status::limit) throw;
            solution.outcome = Outcome::limit;
        }
        solution.x = std::move(x_);
        solution.lower_bound = bound_;
        return solution;
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
        WalkSearch<Graph> walks(graph, problem_.instance, problem_.size, control_, work_);
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
            WalkSearch<CountGraph> walks(graph, problem_.instance, problem_.size, control_, work_);
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
        std::fill(x_.begin(), x_.end(), 0);
        for (const auto &[processor, size] : walk.given) x_[processor] = size;
        best_ = seconds;
    }

    const PartitionProblem &problem_;
    const Communication &communication_;
    std::size_t p_;
    Control &control_;
    Work &work_;
    std::vector<std::int64_t> x_;
    double best_ = 0;
    double bound_ = 0;
};

} // namespace

Solution least_coupled_time(const PartitionProblem &problem, Control &control, Work &work)
{
    auto alone = problem;
    alone.communication = nullptr;
    auto solution = least_time(alone, control, work);
    if (solution.outcome != Outcome::found) return solution;
    return CoupledSearch(problem, control, work).improve(std::move(solution));
}

} // namespace hpart
