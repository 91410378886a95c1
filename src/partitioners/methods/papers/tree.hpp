// Shared by the tree searches of Khaleghzadeh's thesis. The tree has a level for each processor. A node is the workload left for the
// processors from its level on; an edge is a point of its level's processor.
#pragma once

#include "core/error.hpp"
#include "core/numbers.hpp"
#include "partitioners/problem/problem.hpp"
#include "partitioners/search/choices.hpp"

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

// The matrix Mem of the searches: the knowledge about each workload left at each level, or for so many copies. As printed it has a
// cell for every workload up to n; here the cells are made as they are visited, so that any sizes fit and memory_limit holds.

// Bytes in use, which may not exceed the limit.
class MemoryBudget
{
  public:
    explicit MemoryBudget(std::int64_t limit_bytes) : limit_(limit_bytes) {}

    void take(std::size_t bytes)
    {
        used_ += static_cast<std::int64_t>(bytes);
        if (used_ > limit_) fail_memory(limit_);
    }
    void give_back(std::size_t bytes) { used_ -= static_cast<std::int64_t>(bytes); }

  private:
    std::int64_t limit_;
    std::int64_t used_ = 0;
};

template <typename Cell> class SolutionMemory
{
  public:
    SolutionMemory(std::size_t levels, MemoryBudget &budget) : budget_(budget), rows_(levels) {}

    // Null when there is none yet. A pointer holds until the next call of `at` for that level.
    Cell *find(std::size_t level, std::int64_t workload)
    {
        auto &row = rows_[level];
        if (row.slots.empty()) return nullptr;
        auto &slot = row.slots[place_of(row, workload)];
        return slot.workload == workload ? &slot.cell : nullptr;
    }

    // The cell of a workload that has one.
    const Cell &known(std::size_t level, std::int64_t workload)
    {
        const auto *const cell = find(level, workload);
        if (cell == nullptr) fail(Status::internal, "no solution of workload ", workload, " is saved on level ", level);
        return *cell;
    }

    // The cell, made if there is none yet.
    Cell &at(std::size_t level, std::int64_t workload)
    {
        auto &row = rows_[level];
        if (row.used * 4 >= row.slots.size() * 3) grow(row);
        auto &slot = row.slots[place_of(row, workload)];
        if (slot.workload != workload) {
            slot.workload = workload;
            ++row.used;
        }
        return slot.cell;
    }

  private:
    static constexpr int first_bits = 4; // 16 slots to begin with

    struct Slot {
        std::int64_t workload = -1; // free
        Cell cell{};
    };

    // Open addressing; as many slots as the bits can tell, a quarter or more of them free.
    struct Row {
        std::vector<Slot> slots;
        std::size_t used = 0;
        int bits = first_bits - 1;
    };

    static std::size_t place_of(const Row &row, std::int64_t workload)
    {
        constexpr std::uint64_t golden_ratio = 0x9E3779B97F4A7C15; // of 2^64: spreads neighbours and multiples
        auto place = static_cast<std::size_t>((static_cast<std::uint64_t>(workload) * golden_ratio) >> (64 - row.bits));
        while (row.slots[place].workload != workload && row.slots[place].workload >= 0)
            place = (place + 1) & (row.slots.size() - 1);
        return place;
    }

    void grow(Row &row)
    {
        const auto old_bytes = row.slots.size() * sizeof(Slot);
        Row larger;
        larger.bits = row.bits + 1;
        larger.used = row.used;
        budget_.take(sizeof(Slot) << larger.bits);
        larger.slots.resize(std::size_t{1} << larger.bits);
        for (const auto &slot : row.slots)
            if (slot.workload >= 0) larger.slots[place_of(larger, slot.workload)] = slot;
        row = std::move(larger);
        budget_.give_back(old_bytes);
    }

    MemoryBudget &budget_;
    std::vector<Row> rows_;
};

// The walk that HPOPTA, HEOPTA and HEPOPTA have in common: their kernels (Algorithms 2, 4 and 6) without recursion, since a tree may have
// a million levels. Each child is cut, completes a distribution, is answered from Mem, or is entered. A Search defines:
// - complete(level, point): the child on that level takes all work left, or is idle as all after it are;
// - read_memory(level, workload, cell): true if the node's points are examined although Mem knows the node;
// - finalise(level, workload): all points of the node are done;
// and, if it does otherwise than here, go_on and saved_choice.

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
