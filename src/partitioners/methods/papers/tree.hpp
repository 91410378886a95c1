// Shared by the tree searches of Khaleghzadeh's thesis. The tree has a level for each processor. A node is the workload left for the
// processors from its level on; an edge is a point of its level's processor.
#pragma once

#include "core/doubles.hpp"
#include "partitioners/problem/instance.hpp"
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

    // The load-equal distribution, a point a level; empty when a processor lacks its size.
    std::vector<const TreePoint *> load_equal(std::int64_t size) const;

    // The sizes of one point a level, in the order of the processors.
    std::vector<std::int64_t> distribution(const std::vector<const TreePoint *> &choice) const;

  private:
    std::size_t processor_of(std::size_t level) const
    {
        return order_ == LevelOrder::first_processor_at_root ? level : last() - level;
    }

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
        if (workload <= largest_[level]) return false;
        ++counters.cuts;
        return true;
    }

    // The number of the level's points with key < bound: the first ones.
    std::size_t usable(std::size_t level) const { return usable_[tree_.function_of(level)]; }

    // Past the usable points of a node, from `point` on, that leave the next level a workload that it cuts: most are.
    void skip_cut(std::size_t level, std::int64_t workload, std::size_t &point, SearchCounters &counters,
                  Pacer &pacer) const
    {
        const auto least = workload - largest_[level + 1];
        const auto *points = tree_.points(level).data();
        const auto usable = usable_[tree_.function_of(level)];
        const auto first = point;
        while (point < usable && points[point].size < least) ++point;
        const auto skipped = static_cast<std::int64_t>(point - first);
        counters.nodes += skipped;
        counters.cuts += skipped;
        pacer.spend(skipped);
    }

  private:
    const Tree &tree_;
    double bound_ = infinity;
    std::vector<std::vector<std::int64_t>> largest_so_far_; // of each function: of a point and those before it
    std::vector<std::size_t> usable_;                       // of each function
    std::vector<std::int64_t> largest_;                     // of each level
};

} // namespace hpart
