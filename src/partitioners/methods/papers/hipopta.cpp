// HiPOPTA: x with sum x_i = n that minimises max t_i(x_i) on h identical nodes of c processors. Exact.
//
// Source: Khaleghzadeh's thesis (UCD, 2019), section 3.6.4, and the supplement of the HPOPTA paper (IEEE TPDS 29, 2018), section 5.4;
// no pseudo-code. As printed O(h^2 + c^3) in h and c, the sizes fixed: HPOPTA for the function of a node, POPTA between the nodes.
//
// 1. The time of each workload that a node can take is its least time by HPOPTA: the node's function.
// 2. POPTA distributes n over h identical processors with that function.
// 3. HPOPTA distributes each node's share within the node.
//
// The nodes are found by content: the fewest processors c, a divisor of p, such that processor i has the usable points of processor i - c.
//
// Completed: the text builds the node's function for "each workload"; here for each sum of sizes of its processors, as only those
// have a time.
//
// Exact: a distribution's time is the longest of its nodes' times, none of which is less than the node's least time for that share.
#include "core/error.hpp"
#include "partitioners/exact/exact.hpp"
#include "partitioners/methods/papers/papers.hpp"
#include "partitioners/methods/papers/tree.hpp"
#include "partitioners/problem/instance.hpp"
#include "partitioners/search/limits.hpp"

#include <algorithm>
#include <map>

namespace hpart
{

namespace
{

// The first processor that is unlike the one `period` before it; the number of processors when there is none.
std::size_t first_unlike(const Instance &instance, std::size_t period)
{
    auto i = period;
    while (i < instance.processors() && instance.function_of[i] == instance.function_of[i - period]) ++i;
    return i;
}

// Processors a node; fails when the platform is no repetition.
std::size_t node_size(const Instance &instance)
{
    const auto count = instance.processors();
    if (count == 1) return 1;
    std::size_t nearest = 1; // the period that holds the furthest
    for (std::size_t period = 1; period <= count / 2; ++period) {
        if (count % period != 0) continue;
        if (first_unlike(instance, period) == count) return period;
        if (first_unlike(instance, period) > first_unlike(instance, nearest)) nearest = period;
    }
    const auto unlike = first_unlike(instance, nearest);
    fail_argument("method is hipopta, which is for identical nodes, processors 0 to c - 1 repeated, but the ", count,
                  " processors are no such repetition: with c = ", nearest, " the usable points of processor[", unlike,
                  "] are not those of processor[", unlike - nearest, "]; use hpopta or exact");
}

class HipoptaSearch
{
  public:
    HipoptaSearch(const PartitionProblem &problem, Control &control)
        : problem_(problem), control_(control), node_size_(node_size(problem.instance)),
          node_(problem.instance, node_size_, TreeKey::seconds, LevelOrder::first_processor_at_root)
    {
    }

    Solution run()
    {
        const auto nodes = problem_.instance.processors() / node_size_;
        InstanceBuilder builder(Needs::time);
        builder.add_point(0, 0);
        for (const auto workload : workloads_of(problem_.instance, node_size_, problem_.size, control_)) {
            const auto found = fastest(workload);
            if (found.outcome == Outcome::found) builder.add_point(workload, found.lower_bound);
        }
        builder.end_processor();
        for (std::size_t i = 1; i < nodes; ++i) builder.add_processor_like(0);
        const Prepared prepared(builder.take());
        auto solution = popta(
            {.platform = problem_.platform, .prepared = prepared, .size = problem_.size, .options = problem_.options},
            control_);
        if (!solution.x.empty()) solution.x = within_nodes(solution.x);
        return solution;
    }

  private:
    Solution fastest(std::int64_t workload)
    {
        auto found = search_fastest(node_, workload, control_);
        if (found.outcome == Outcome::limit)
            fail(Status::limit, "the time or memory limit was reached before the node's function was known");
        return found;
    }

    std::vector<std::int64_t> within_nodes(const std::vector<std::int64_t> &shares)
    {
        std::map<std::int64_t, std::vector<std::int64_t>> distributions;
        std::vector<std::int64_t> x;
        for (const auto share : shares) {
            auto &distribution = distributions[share];
            if (distribution.empty()) distribution = fastest(share).x;
            x.insert(x.end(), distribution.begin(), distribution.end());
        }
        return x;
    }

    const PartitionProblem &problem_;
    Control &control_;
    std::size_t node_size_;
    Tree node_;
};

} // namespace

Solution hipopta(const PartitionProblem &problem, Control &control)
{
    HipoptaSearch search(problem, control);
    auto solution = within_limits([&] { return search.run(); }).value_or(Solution{Outcome::limit, {}, 0});
    if (solution.outcome == Outcome::limit) solution.lower_bound = bound_at_limit(problem);
    if (solution.outcome == Outcome::found && problem.ties == Ties::fewest) return least_time(problem, control);
    return solution;
}

} // namespace hpart
