// HPOPTA: x with sum x_i = n that minimises max t_i(x_i), by branch and bound. Exact.
//
// Source: Khaleghzadeh, Reddy, Lastovetsky, "A novel data-partitioning algorithm for performance optimization of data-parallel
// applications on heterogeneous HPC platforms" (IEEE TPDS 29, 2018) and its supplement; Khaleghzadeh's thesis (UCD, 2019), chapter 3
// and appendix B, Algorithms 1, 2 and 13-20. Time O(m^3 p^3) and memory O(p (m + n)) as printed; here the memory is that of the cells
// visited, at most as many.
//
// Level c of the tree gives a point to processor c, in non-decreasing order of time. Only points faster than the best distribution
// known, of time tau, are examined. Cut drops a node whose workload the processors from its level on cannot finish before tau. Every
// distribution found is the best so far, because all points on the path are faster than tau; ProcessSolution lowers tau, saves
// the distribution's tails in Mem and chooses the level nearest to the root that takes the longest: Backtrack returns to the
// node above it, since that node's further points are no faster. A node left in this way can be resumed at its last point;
// a node whose points are all done is final, and Mem answers for it.
//
// Repaired, each with the printed defect:
// - Algorithm 1, lines 3-5: the load-equal distribution is the first incumbent only where every processor has its size. As
//   printed a missing size brings the time -1 into tau, and that distribution may be returned.
// - Algorithm 2, line 6: on the last level GetTime gives -1, which is below tau, for a size that is not there. Presence first.
// - Algorithm 2, lines 8 and 35, with Algorithm 17, line 11: m_idx is -1 where nothing came from Mem, and i < m_idx then saves nothing.
//   Here all levels are saved.
// - Algorithm 19: bk = NULL (no distribution since) must compare as below every level.
// - Supplement, Algorithm 8: Save compares the wrong way round; the thesis has it right (Algorithm 18).
// - Algorithm 17, lines 24-38, the rule of fewest active processors for equal times, never fires: each distribution processed
//   lowers tau. It is left out; ties=fewest is a second, exact solve.
// - The text of figure 3.12 says tau = 2 where it is 3.
//
// Exact: a point, node or resumed rest is dropped only if every distribution through it takes tau or longer (Proposition B.3.1). A
// final cell has its workload's least time, or that time is tau or more. Times are only compared.
#include "partitioners/methods/papers/hpopta.hpp"

#include "core/doubles.hpp"
#include "core/error.hpp"
#include "partitioners/exact/exact.hpp"
#include "partitioners/methods/papers/papers.hpp"
#include "partitioners/methods/papers/solution_memory.hpp"
#include "partitioners/search/limits.hpp"

#include <algorithm>

namespace hpart
{

namespace
{

class HpoptaSearch
{
  public:
    HpoptaSearch(const Tree &tree, Control &control)
        : tree_(tree), thresholds_(tree), budget_(control.memory_limit()), memory_(tree.levels(), budget_),
          path_(tree.levels()), choice_(tree.levels()), counters_(control.counters),
          pacer_(control, "HPOPTA: searching the tree")
    {
    }

    FastestDistribution run(std::int64_t size)
    {
        FastestDistribution found;
        take_load_equal(size);
        try {
            walk(size);
            found.outcome = best_.empty() ? Outcome::none : Outcome::found;
        } catch (const Error &error) {
            if (error.status() != Status::limit) throw;
            found.outcome = Outcome::limit;
        }
        if (!best_.empty()) found.x = tree_.distribution(best_);
        found.seconds = tau_;
        return found;
    }

  private:
    // Marks of a node without a point to resume at: never left, or final.
    static constexpr std::uint32_t not_left = 0xFFFFFFFF;
    static constexpr std::uint32_t final = 0xFFFFFFFE;
    static constexpr auto no_level = static_cast<std::size_t>(-1);

    struct Cell {
        double seconds = infinity; // of the best distribution saved; infinity: none
        std::uint32_t choice = 0;  // its point on this level
        std::uint32_t resume = not_left;
    };

    struct Node {
        std::int64_t workload;
        std::size_t point; // being examined
    };

    void take_load_equal(std::int64_t size)
    {
        best_ = tree_.load_equal(size);
        if (best_.empty()) return;
        tau_ = 0;
        for (const auto *point : best_) tau_ = std::max(tau_, point->key);
        thresholds_.lower_to(tau_);
    }

    // HPOPTA_Kernel (Algorithm 2) without recursion: a tree may have a million levels.
    void walk(std::int64_t size)
    {
        if (!enter(0, size)) return;
        for (std::size_t level = 0; level != no_level;) {
            pacer_.spend(1);
            thresholds_.skip_cut(level, path_[level].workload, path_[level].point, counters_, pacer_);
            const auto [workload, index] = path_[level];
            if (index >= thresholds_.usable(level)) {
                finalise(level, workload);
                level = leave(level);
                continue;
            }
            const auto &point = tree_.points(level)[index];
            choice_[level] = &point;
            if (point.size == workload) {
                rest_from(level + 1);
                process(tree_.levels());
            } else if (point.size < workload && enter(level + 1, workload - point.size)) {
                ++level;
                continue;
            }
            level = go_on(level);
        }
    }

    // To the node above, as soon as one has further points to examine; no_level when the root has none.
    std::size_t leave(std::size_t level) { return level == 0 ? no_level : go_on(level - 1); }

    std::size_t go_on(std::size_t level)
    {
        while (backtracks(level)) {
            if (level == 0) return no_level;
            --level;
        }
        ++path_[level].point;
        return level;
    }

    // True if the node has points to examine; false if it is answered for or cut.
    bool enter(std::size_t level, std::int64_t workload)
    {
        if (thresholds_.cuts(level, workload, counters_)) return false;
        if (level == tree_.last()) {
            const auto *point = tree_.find(level, workload);
            if (point == nullptr || point->key >= tau_) return false;
            choice_[level] = point;
            process(tree_.levels());
            return false;
        }
        path_[level] = {workload, 0};
        return !is_remembered(level) || read_memory(level, workload);
    }

    bool is_remembered(std::size_t level) const { return level > 0 && level < tree_.last(); }

    // ReadMemory (Algorithm 16) and what follows it: whether the node's points are to be examined.
    bool read_memory(std::size_t level, std::int64_t workload)
    {
        const auto *cell = memory_.find(level, workload);
        if (cell == nullptr) return true;
        const auto [seconds, choice, resume] = *cell;
        const bool is_final = resume == final;
        if (is_final) ++counters_.recalled;
        if (seconds < tau_ && choice != resume) {
            recall_choices(level, workload);
            process(level);
            if (is_final) return false;
            ++counters_.recalled;
            path_[level].point = resume;
            if (longest_level_ < level) return false;
            const bool longest_here = longest_level_ == level;
            longest_level_ = no_level;
            if (longest_here) finalise(level, workload);
            return !longest_here;
        }
        if (is_final) return false;
        path_[level].point = resume;
        return true;
    }

    // The saved distribution of a workload, into choice_ from that level on.
    void recall_choices(std::size_t level, std::int64_t workload)
    {
        for (; level < tree_.last() && workload > 0; ++level) {
            choice_[level] = &tree_.points(level)[memory_.at(level, workload).choice];
            workload -= choice_[level]->size;
        }
        if (workload == 0)
            rest_from(level);
        else
            choice_[level] = tree_.find(level, workload);
    }

    void rest_from(std::size_t level)
    {
        for (; level < tree_.levels(); ++level) choice_[level] = tree_.find(level, 0);
    }

    // ProcessSolution and Save (Algorithms 17, 18). From level `saved_from` on the distribution was read from Mem.
    void process(std::size_t saved_from)
    {
        double longest = 0;
        std::int64_t workload = 0;
        for (auto level = tree_.levels(); level-- > 0;) {
            const auto &point = *choice_[level];
            if (point.key >= longest) {
                longest = point.key;
                longest_level_ = level;
            }
            workload += point.size;
            if (is_remembered(level) && level < saved_from && workload > 0) save(level, workload, longest);
        }
        pacer_.spend(static_cast<std::int64_t>(tree_.levels()));
        tau_ = longest;
        best_ = choice_;
        thresholds_.lower_to(tau_);
    }

    void save(std::size_t level, std::int64_t workload, double seconds)
    {
        auto &cell = memory_.at(level, workload);
        if (cell.seconds <= seconds) return;
        cell.seconds = seconds;
        cell.choice = static_cast<std::uint32_t>(choice_[level] - tree_.points(level).data());
    }

    // Backtrack (Algorithm 19), after a child of the node on that level.
    bool backtracks(std::size_t level)
    {
        const auto [workload, index] = path_[level];
        if (longest_level_ > level) {
            longest_level_ = no_level;
            return false;
        }
        if (longest_level_ == level) {
            longest_level_ = no_level;
            finalise(level, workload);
        } else if (is_remembered(level)) {
            memory_.at(level, workload).resume =
                choice_[level]->key == tau_ ? final : static_cast<std::uint32_t>(index);
        }
        return true;
    }

    // MakeFinal (Algorithm 20).
    void finalise(std::size_t level, std::int64_t workload)
    {
        if (is_remembered(level)) memory_.at(level, workload).resume = final;
    }

    const Tree &tree_;
    SizeThresholds thresholds_;
    MemoryBudget budget_;
    SolutionMemory<Cell> memory_; // Mem
    std::vector<Node> path_;
    std::vector<const TreePoint *> choice_; // X_cur
    std::vector<const TreePoint *> best_;   // X_opt
    double tau_ = infinity;
    std::size_t longest_level_ = no_level; // bk: where to go back to; no_level: nothing found since
    SearchCounters &counters_;
    Pacer pacer_;
};

} // namespace

FastestDistribution search_fastest(const Tree &tree, std::int64_t size, Control &control)
{
    return HpoptaSearch(tree, control).run(size);
}

Solution hpopta(const PartitionProblem &problem, Control &control)
{
    const Tree tree(problem.instance, problem.instance.processors(), TreeKey::seconds,
                    LevelOrder::first_processor_at_root);
    auto found = search_fastest(tree, problem.size, control);
    if (found.outcome == Outcome::found && problem.ties == Ties::fewest) return least_time(problem, control);
    return {found.outcome, std::move(found.x),
            found.outcome == Outcome::found ? found.seconds : bound_at_limit(problem)};
}

} // namespace hpart
