// The walk that HPOPTA, HEOPTA and HEPOPTA have in common: their kernels (Algorithms 2, 4 and 6) without recursion, since a tree may have
// a million levels. Each child is cut, completes a distribution, is answered from Mem, or is entered. A Search defines:
// - complete(level, point): the child on that level takes all work left, or is idle as all after it are;
// - read_memory(level, workload, cell): true if the node's points are examined although Mem knows the node;
// - finalise(level, workload): all points of the node are done;
// and, if it does otherwise than here, go_on and saved_choice.
#pragma once

#include "partitioners/methods/papers/solution_memory.hpp"
#include "partitioners/methods/papers/tree.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hpart
{

template <typename Search, typename Cell> class TreeWalk
{
    friend Search;

    static constexpr auto no_level = static_cast<std::size_t>(-1);

    struct Node {
        std::int64_t workload = 0;
        std::size_t point = 0; // being examined
    };

    TreeWalk(const Tree &tree, std::int64_t size, Control &control, const char *what)
        : tree_(tree), size_(size), thresholds_(tree), budget_(control.memory_limit()), memory_(tree.levels(), budget_),
          path_(tree.levels()), choice_(tree.levels()), counters_(control.counters), pacer_(control, what)
    {
    }

    Search &search() { return static_cast<Search &>(*this); }

    void walk()
    {
        if (!enter(0, size_)) return;
        for (std::size_t level = 0; level != no_level;) {
            pacer_.spend(1);
            thresholds_.skip_cut(level, path_[level].workload, path_[level].point, counters_, pacer_);
            const auto [workload, index] = path_[level];
            if (index >= thresholds_.usable(level)) {
                if (level == 0) return;
                search().finalise(level, workload);
                level = search().go_on(level - 1);
                continue;
            }
            const auto &point = tree_.points(level)[index];
            choice_[level] = &point;
            const auto left = workload - point.size;
            if (left > 0 && enter(level + 1, left)) {
                ++level;
                continue;
            }
            if (left == 0) search().complete(level + 1, *tree_.find(level + 1, 0));
            level = search().go_on(level);
        }
    }

    // True if the node has points to examine.
    bool enter(std::size_t level, std::int64_t workload)
    {
        if (thresholds_.cuts(level, workload, counters_)) return false;
        if (level == tree_.last()) {
            const auto *point = tree_.find(level, workload);
            if (point != nullptr && point->key < thresholds_.bound()) search().complete(level, *point);
            return false;
        }
        path_[level] = {workload, 0};
        const auto *cell = memory_.find(level, workload);
        return cell == nullptr || search().read_memory(level, workload, *cell);
    }

    // After a child of the node on that level: to its next point. Gives the level to continue on, or no_level.
    std::size_t go_on(std::size_t level)
    {
        ++path_[level].point;
        return level;
    }

    std::uint32_t saved_choice(std::size_t level, std::int64_t workload)
    {
        return memory_.known(level, workload).choice;
    }

    // The points of a saved solution of that workload, from that level on, into choice_.
    void recall(std::size_t level, std::int64_t workload)
    {
        for (; level < tree_.levels(); ++level) {
            const bool ends = level == tree_.last() || workload == 0;
            choice_[level] =
                ends ? tree_.find(level, workload) : &tree_.points(level)[search().saved_choice(level, workload)];
            workload -= choice_[level]->size;
        }
    }

    const Tree &tree_;
    std::int64_t size_;
    SizeThresholds thresholds_;
    MemoryBudget budget_;
    SolutionMemory<Cell> memory_; // Mem
    std::vector<Node> path_;
    std::vector<const TreePoint *> choice_; // X_cur: the points examined, a level each
    SearchCounters &counters_;
    Pacer pacer_;
};

} // namespace hpart
