// HPOPTA: x with sum x_i = n that minimises max t_i(x_i), by branch and bound. Exact.
//
// Source: Khaleghzadeh, Reddy, Lastovetsky, "A novel data-partitioning algorithm for performance optimization of data-parallel
// applications on heterogeneous HPC platforms" (IEEE TPDS 29, 2018) and its supplement; Khaleghzadeh's thesis (UCD, 2019), chapter
// 3 and appendix B, Algorithms 1, 2 and 13-20. Time O(m^3 p^3) and memory O(p (m + n)) as printed; here memory for the cells
// visited, at most as many.
//
// Level c of the tree gives a point to processor c, in non-decreasing order of time. Only points faster than the best distribution
// known, of time tau, are examined. Cut drops a node whose workload the processors from its level on cannot finish before tau. Every
// distribution found is the best so far, because all points on the path are faster than tau; ProcessSolution lowers tau, saves
// the distribution's tails in Mem and chooses the level nearest to the root that takes the longest: Backtrack returns to the
// node above it, since that node's further points are no faster. A node left in this way can be resumed at its last point;
// a node whose points are all done is final, and Mem answers for it.
//
// Repairs of the printed defects: docs/background/papers.md.
//
// Exact: a point, node or resumed rest is dropped only if every distribution through it takes tau or longer (Proposition B.3.1). A
// final cell has its workload's least time, or that time is tau or more. Times are only compared.

#include "core/error.hpp"
#include "core/numbers.hpp"
#include "partitioners/exact/exact.hpp"
#include "partitioners/methods/papers/copies_search.hpp"
#include "partitioners/methods/papers/papers.hpp"
#include "partitioners/methods/papers/tree.hpp"
#include "partitioners/problem/instance.hpp"
#include "partitioners/search/choices.hpp"

#include <algorithm>
#include <limits>
#include <map>

namespace hpart
{

namespace
{

// Marks of a node without a point to resume at: never left, or final.
constexpr std::uint32_t not_left = 0xFFFFFFFF;
constexpr std::uint32_t final_node = 0xFFFFFFFE;

struct HpoptaCell {
    double seconds = infinity; // of the best distribution saved; infinity: none
    std::uint32_t choice = 0;  // its point on this level
    std::uint32_t resume = not_left;
};

class HpoptaSearch : TreeWalk<HpoptaSearch, HpoptaCell>
{
    friend TreeWalk;

  public:
    HpoptaSearch(const Tree &tree, std::int64_t size, Control &control)
        : TreeWalk(tree, size, control, "HPOPTA: searching the tree")
    {
    }

    Solution run()
    {
        Solution found;
        take_load_equal();
        found.outcome = outcome_of([&] {
            walk();
            return !best_.empty();
        });
        found.x = std::move(best_);
        if (found.outcome == Outcome::found) found.lower_bound = tau();
        return found;
    }

  private:
    double tau() const { return thresholds_.bound(); }

    void take_load_equal()
    {
        if (!takes_load_equal()) return;
        double longest = 0;
        for (const auto &node : path_) longest = std::max(longest, node.point->key);
        thresholds_.lower_to(longest);
    }

    void complete(std::size_t level, const TreePoint &point)
    {
        path_[level].point = &point;
        recall(level + 1, 0);
        process(tree_.levels());
    }

    std::size_t go_on(std::size_t level)
    {
        while (backtracks(level)) {
            if (level == 0) return no_level;
            --level;
        }
        ++path_[level].point;
        return level;
    }

    bool is_remembered(std::size_t level) const { return level > 0 && level < tree_.last(); }

    // ReadMemory (Algorithm 16) and what follows it.
    bool read_memory(std::size_t level, std::int64_t workload, HpoptaCell cell)
    {
        const bool is_final = cell.resume == final_node;
        const bool improves = cell.seconds < tau() && cell.choice != cell.resume;
        if (is_final || improves) ++counters_.recalled;
        if (improves) {
            recall(level, workload);
            process(level);
        }
        if (is_final) return false;
        path_[level].point = thresholds_.begin(level) + cell.resume;
        if (!improves) return true;
        if (longest_level_ < level) return false;
        const bool longest_here = longest_level_ == level;
        longest_level_ = no_level;
        if (longest_here) finalise(level, workload);
        return !longest_here;
    }

    // ProcessSolution and Save (Algorithms 17, 18). From level `saved_from` on the distribution was read from Mem.
    void process(std::size_t saved_from)
    {
        double longest = 0;
        std::int64_t workload = 0;
        for (auto level = tree_.levels(); level-- > 0;) {
            const auto &point = *path_[level].point;
            if (point.key >= longest) {
                longest = point.key;
                longest_level_ = level;
            }
            workload += point.size;
            if (is_remembered(level) && level < saved_from && workload > 0) save(level, workload, longest);
        }
        pacer_.spend(static_cast<std::int64_t>(tree_.levels()));
        keep_path();
        thresholds_.lower_to(longest);
    }

    void save(std::size_t level, std::int64_t workload, double seconds)
    {
        auto &cell = memory_.at(level, workload);
        if (cell.seconds <= seconds) return;
        cell.seconds = seconds;
        cell.choice = choice(level);
    }

    // Backtrack (Algorithm 19), after a child of the node on that level.
    bool backtracks(std::size_t level)
    {
        if (longest_level_ > level) {
            longest_level_ = no_level;
            return false;
        }
        if (longest_level_ == level) {
            longest_level_ = no_level;
            finalise(level, path_[level].workload);
        } else if (is_remembered(level)) {
            const auto &[workload, point] = path_[level];
            memory_.at(level, workload).resume = point->key == tau() ? final_node : choice(level);
        }
        return true;
    }

    // MakeFinal (Algorithm 20).
    void finalise(std::size_t level, std::int64_t workload)
    {
        if (is_remembered(level)) memory_.at(level, workload).resume = final_node;
    }

    std::size_t longest_level_ = no_level; // bk: where to go back to; no_level: nothing found since
};

} // namespace

Solution search_fastest(const Tree &tree, std::int64_t size, Control &control)
{
    return HpoptaSearch(tree, size, control).run();
}

Solution hpopta(const PartitionProblem &problem, Control &control)
{
    const Tree tree(problem.instance, problem.instance.processors(), TreeKey::seconds,
                    LevelOrder::first_processor_at_root);
    auto found = search_fastest(tree, problem.size, control);
    if (found.outcome == Outcome::found && problem.ties == Ties::fewest) return least_time(problem, control);
    if (found.outcome == Outcome::limit) found.lower_bound = bound_at_limit(problem);
    return found;
}

// POPTA: POPT, x with sum x_i = n that minimises max t(x_i) over p identical processors. Exact.
//
// Source: Lastovetsky and Reddy, "New model-based methods and algorithms for performance and energy optimization of data parallel
// applications on homogeneous multicore clusters" (IEEE TPDS 28, 2017), as printed by Reddy and Lastovetsky, "Parallel data
// partitioning algorithms ..." (IEEE Access 6, 2018), section IV.A, Algorithms 1 and 2. Time O(m^2 p^2), memory O(n p^2) as
// printed; here memory for the subproblems visited, at most n p.
//
// Kernel: the points at or above the mean size n / p (line B) are examined in non-decreasing order of time, up to the best time known
// (line E); each is given to r = 1, 2, ... processors and the rest of the workload to the processors left, by the same kernel with
// the best time as its line E. Results are memorised by (workload, processors). It ends as soon as the rest takes no longer than the
// point, since all further points are no faster.
//
// Repairs of the printed defects: docs/background/papers.md. Here a rest is bounded by the best time known, not by the point's
// time, and the memory is indexed by the workload and keeps the bound below which there is nothing.
//
// Exact: in every distribution of n over p some processor has a size at or above the mean. Take that point and one copy: the rest is
// a distribution of n - x over p - 1 processors, no slower than the whole. All such points faster than the best are examined.

namespace
{

struct LongestTime {
    static double cost_of(const AlikePoint &point) { return point.seconds; }
    static bool examines_before(const AlikePoint &a, const AlikePoint &b) { return a.seconds < b.seconds; }
    static std::int64_t most_copies(const AlikePoint &) { return std::numeric_limits<std::int64_t>::max(); }
    static double join(double cost, std::int64_t, double rest) { return std::max(cost, rest); }
    static double limit_of_rest(double limit, double, std::int64_t) { return limit; }
    static bool ends_at(double cost, double best) { return cost >= best; }
    static double bound(std::int64_t, std::int64_t) { return 0; }
};

struct LoadEqual {
    std::vector<std::int64_t> x; // empty when the function lacks a size
    double seconds = infinity;
};

LoadEqual load_equal(const AlikeFunction &function, std::int64_t size)
{
    LoadEqual out;
    const auto share = size / function.copies;
    const auto larger = size % function.copies;
    const auto *below = function.find(share);
    const auto *above = larger > 0 ? function.find(share + 1) : below;
    if (above == nullptr || (below == nullptr && !(share == 0 && function.may_idle))) return out;
    out.seconds = std::max(above->seconds, below == nullptr ? 0 : below->seconds);
    out.x.assign(static_cast<std::size_t>(function.copies), share);
    std::fill_n(out.x.begin(), larger, share + 1);
    return out;
}

} // namespace

Solution popta(const PartitionProblem &problem, Control &control)
{
    const auto function = alike_function_of(problem.instance, "popta", "hpopta or exact");
    if (problem.size % function.unit != 0) return {};
    if (problem.ties == Ties::fewest) return least_time(problem, control);
    const auto size = problem.size / function.unit;
    auto equal = load_equal(function, size);
    Solution out;
    try {
        const LongestTime rule;
        CopiesSearch<LongestTime> search(function, rule, "POPTA: searching", control);
        const auto seconds = search.run(size, function.copies, equal.seconds);
        out.x = seconds < infinity ? search.distribution(size, function.copies) : std::move(equal.x);
        out.lower_bound = std::min(seconds, equal.seconds);
        out.outcome = out.x.empty() ? Outcome::none : Outcome::found;
    } catch (const Error &error) {
        if (error.status() != Status::limit) throw;
        out = {Outcome::limit, std::move(equal.x), bound_at_limit(problem)};
    }
    for (auto &share : out.x) share *= function.unit;
    return out;
}

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
