// Shared by the tree searches of Khaleghzadeh's thesis. The tree has a level for each processor. A node is the workload left for the
// processors from its level on; an edge is a point of its level's processor.
#pragma once

#include "core/numbers.hpp"
#include "partitioners/problem/solution.hpp"
#include "partitioners/search/limits.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace hpart
{

struct TreePoint {
    std::int64_t size;
    double key; // what the levels are sorted by: time or energy
    double seconds;
};

enum class TreeKey : std::uint8_t { seconds, joules };
enum class LevelOrder : std::uint8_t {
    first_processor_at_root, // as printed
    last_processor_at_root   // sums from the leaves up are then sums in the order of the processors
};

// The functions, sorted by key for the search and by size for look-ups.
class Tree
{
  public:
    // A tree of the instance's first `processors` processors.
    Tree(const Instance &instance, std::size_t processors, TreeKey key, LevelOrder order);

    std::size_t levels() const { return function_of_.size(); }
    std::size_t last() const { return levels() - 1; }

    // In non-decreasing order of key; points of the same key by size, so that the idle point is the first.
    std::span<const TreePoint> points(std::size_t level) const { return points_of_function(function_of_[level]); }

    // Levels whose processors are equal have one function.
    std::size_t functions() const { return first_.size() - 1; }
    std::size_t function_of(std::size_t level) const { return function_of_[level]; }
    std::span<const TreePoint> points_of_function(std::size_t f) const
    {
        return {points_.data() + first_[f], first_[f + 1] - first_[f]};
    }

    // The point of that size; null when the level's processor has none.
    const TreePoint *find(std::size_t level, std::int64_t size) const;

    std::size_t processor_of(std::size_t level) const
    {
        return order_ == LevelOrder::first_processor_at_root ? level : last() - level;
    }

  private:
    const Instance &instance_;
    LevelOrder order_;
    std::vector<std::uint32_t> function_of_; // of each level
    std::vector<std::size_t> first_{0};      // of each function
    std::vector<TreePoint> points_;
    std::vector<TreePoint> by_size_; // as in the instance
};

// SizeThresholdCalc and Cut (Algorithms 14, 15, 22, 23, 29, 30): the largest workload that the processors from a level on can share
// with points of key < bound. The bound only falls.
class SizeThresholds
{
  public:
    explicit SizeThresholds(const Tree &tree);

    // O(levels), and the points that it drops.
    void lower_to(double bound);
    double bound() const { return bound_; } // of the keys; infinity at first

    // Counts a node that is entered; true if it is cut.
    bool cuts(std::size_t level, std::int64_t workload, SearchCounters &counters) const
    {
        ++counters.nodes;
        if (workload <= levels_[level].largest) return false;
        ++counters.cuts;
        return true;
    }

    // The level's points with key < bound are [begin, end): the first ones.
    const TreePoint *begin(std::size_t level) const { return levels_[level].begin; }
    const TreePoint *end(std::size_t level) const { return levels_[level].end; }

    // Moves `point` past the points of a node that leave the next level a workload that it cuts: most are. Gives how many.
    std::int64_t skip_cut(std::size_t level, std::int64_t workload, const TreePoint *&point,
                          SearchCounters &counters) const
    {
        const auto least = workload - levels_[level + 1].largest;
        const auto *const end = levels_[level].end;
        const auto *at = point;
        while (at < end && at->size < least) ++at;
        const auto skipped = at - point;
        point = at;
        counters.nodes += skipped;
        counters.cuts += skipped;
        return skipped;
    }

  private:
    struct Level {
        const TreePoint *begin;
        const TreePoint *end;
        std::int64_t largest;
    };

    const Tree &tree_;
    double bound_ = infinity;
    std::vector<std::vector<std::int64_t>> largest_so_far_; // of each function: of a point and those before it
    std::vector<std::size_t> usable_;                       // of each function: its points with key < bound
    std::vector<Level> levels_;
};

// HPOPTA, as the other methods of its authors call it: the tree is sorted by time, the first processor at its root. size > 0.
Solution search_fastest(const Tree &tree, std::int64_t size, Control &control);

} // namespace hpart
