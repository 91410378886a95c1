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
#include "partitioners/methods/papers/tree.hpp"

#include "core/numbers.hpp"
#include "partitioners/exact/exact.hpp"
#include "partitioners/methods/papers/papers.hpp"
#include "partitioners/methods/papers/tree_walk.hpp"

#include <algorithm>

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

} // namespace hpart
