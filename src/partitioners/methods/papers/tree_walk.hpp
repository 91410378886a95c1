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
        const TreePoint *point = nullptr; // being examined
    };

    TreeWalk(const Tree &tree, std::int64_t size, Control &control, const char *what)
        : tree_(tree), size_(size), thresholds_(tree), budget_(control.memory_limit()), memory_(tree.levels(), budget_),
          path_(tree.levels()), counters_(control.counters), pacer_(control, what)
    {
    }

    Search &search() { return static_cast<Search &>(*this); }

    void walk()
    {
        if (!enter(0, size_)) return;
        for (std::size_t level = 0; level != no_level;) {
            auto &node = path_[level];
            pacer_.spend(1 + thresholds_.skip_cut(level, node.workload, node.point, counters_));
            if (node.point >= thresholds_.end(level)) {
                if (level == 0) return;
                search().finalise(level, node.workload);
                level = search().go_on(level - 1);
                continue;
            }
            const auto left = node.workload - node.point->size;
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
        path_[level] = {workload, thresholds_.begin(level)};
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

    std::uint32_t choice(std::size_t level) const
    {
        return static_cast<std::uint32_t>(path_[level].point - thresholds_.begin(level));
    }

    // The points of a saved solution of that workload, from that level on, into the path.
    void recall(std::size_t level, std::int64_t workload)
    {
        for (; level < tree_.levels(); ++level) {
            const bool ends = level == tree_.last() || workload == 0;
            auto &point = path_[level].point;
            point =
                ends ? tree_.find(level, workload) : thresholds_.begin(level) + search().saved_choice(level, workload);
            workload -= point->size;
        }
    }

    // The load-equal distribution, into the path and best_; false if a processor lacks its size.
    bool takes_load_equal()
    {
        const auto count = static_cast<std::int64_t>(tree_.levels());
        for (std::size_t level = 0; level < tree_.levels(); ++level) {
            const auto i = static_cast<std::int64_t>(tree_.processor_of(level));
            path_[level].point = tree_.find(level, size_ / count + (i < size_ % count ? 1 : 0));
            if (path_[level].point == nullptr) return false;
        }
        keep_path();
        return true;
    }

    void keep_path()
    {
        best_.resize(tree_.levels());
        for (std::size_t level = 0; level < tree_.levels(); ++level)
            best_[tree_.processor_of(level)] = path_[level].point->size;
    }

    const Tree &tree_;
    std::int64_t size_;
    SizeThresholds thresholds_;
    MemoryBudget budget_;
    SolutionMemory<Cell> memory_;    // Mem
    std::vector<Node> path_;         // X_cur
    std::vector<std::int64_t> best_; // X_opt, a size a processor; empty when none is known
    SearchCounters &counters_;
    Pacer pacer_;
};

} // namespace hpart
