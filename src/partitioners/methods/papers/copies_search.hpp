// The memoised search that POPTA and EOPTA share: a point at or above the mean is given to one, two, ... of the identical
// processors, and the rest of the workload to the processors left, by the same search. See hpopta.cpp.
//
// Rule says what the two differ in:
//     double cost_of(const AlikePoint &) const;
//     bool examines_before(const AlikePoint &, const AlikePoint &) const;   the order in which points are examined
//     std::int64_t most_copies(const AlikePoint &) const;
//     double join(double cost, std::int64_t copies, double rest) const;     the whole's cost from a point's and the rest's
//     double limit_of_rest(double limit, double cost, std::int64_t copies) const;
//     bool ends_at(double cost, double best) const;                         no point from here on gives less than best
//     double bound(std::int64_t size, std::int64_t copies) const;           nothing costs less
#pragma once

#include "core/error.hpp"
#include "core/numbers.hpp"
#include "core/progress.hpp"
#include "partitioners/methods/papers/tree.hpp"
#include "partitioners/problem/instance.hpp"
#include "partitioners/search/choices.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

namespace hpart
{

// The one function of identical processors, as the papers on homogeneous clusters have it.

struct AlikePoint {
    std::int64_t size; // in units
    double seconds;
    double joules; // 0 where only times are needed
};

struct AlikeFunction {
    std::vector<AlikePoint> points; // by increasing size, without the idle point
    bool may_idle = false;
    std::int64_t unit = 1; // common divisor of the sizes
    std::int64_t copies = 0;

    // The point of a size in units; null if there is none.
    const AlikePoint *find(std::int64_t size) const
    {
        const auto found =
            std::lower_bound(points.begin(), points.end(), size,
                             [](const AlikePoint &point, std::int64_t wanted) { return point.size < wanted; });
        return found != points.end() && found->size == size ? &*found : nullptr;
    }
};

// Fails unless all processors have the function of the first, naming the first that has not and the methods to use instead.
inline AlikeFunction alike_function_of(const Instance &instance, std::string_view method, std::string_view instead)
{
    for (std::size_t i = 1; i < instance.processors(); ++i)
        if (instance.function_of[i] != 0)
            fail_argument("method is ", method,
                          ", which is for identical processors, but the usable points of processor[", i,
                          "] are not those of processor[0]; use ", instead);
    AlikeFunction function;
    function.copies = static_cast<std::int64_t>(instance.processors());
    const auto &points = instance.of_function.front();
    function.unit = std::max<std::int64_t>(common_divisor(0, points.sizes, 0), 1);
    function.may_idle = points.may_idle();
    function.points.reserve(points.count());
    for (std::size_t k = function.may_idle ? 1 : 0; k < points.count(); ++k)
        function.points.push_back(
            {points.sizes[k] / function.unit, points.seconds[k], instance.has_energies ? points.joules[k] : 0.0});
    return function;
}

template <typename Rule> class CopiesSearch
{
  public:
    CopiesSearch(const AlikeFunction &function, const Rule &rule, const char *what, Control &control)
        : rule_(rule), order_(function.points), may_idle_(function.may_idle), control_(control), pacer_(control, what),
          budget_(control.memory_limit()), memory_(static_cast<std::size_t>(function.copies) + 1, budget_)
    {
        for (const auto &point : order_) {
            largest_ = std::max(largest_, point.size);
            smallest_ = smallest_ == 0 ? point.size : std::min(smallest_, point.size);
        }
        std::stable_sort(order_.begin(), order_.end(),
                         [&](const AlikePoint &a, const AlikePoint &b) { return rule_.examines_before(a, b); });
    }

    // Least cost of so many processors sharing size (in units), if it is below the limit; else infinity.
    double run(std::int64_t size, std::int64_t copies, double limit)
    {
        double result = infinity;
        if (!enter({size, copies}, limit, result)) return result;
        while (!stack_.empty()) advance(result);
        return result;
    }

    // The distribution found, in units; idle processors last.
    std::vector<std::int64_t> distribution(std::int64_t size, std::int64_t copies)
    {
        std::vector<std::int64_t> x;
        auto left = copies;
        for (Part part{size, copies}; part.size > 0;) {
            const auto &cell = memory_.known(level_of(part), part.size);
            const auto taken = order_[cell.point].size;
            x.insert(x.end(), static_cast<std::size_t>(cell.copies), taken);
            part.size -= taken * cell.copies;
            part.copies -= cell.copies;
            left = part.copies;
        }
        x.insert(x.end(), static_cast<std::size_t>(left), 0);
        return x;
    }

  private:
    struct Part {
        std::int64_t size;
        std::int64_t copies;
    };
    struct Cell {
        double cost = infinity; // least, once it is known
        double proved = 0;      // nothing costs less than this
        std::uint32_t point = 0;
        std::int64_t copies = 0; // of the point
    };
    static constexpr std::int64_t work_of_look_up = 64;
    static constexpr std::int64_t work_of_point = 4;

    struct Node {
        Part part;
        double limit;
        double best;
        std::uint32_t best_point;
        std::int64_t best_copies;
        std::uint32_t point; // being examined
        std::int64_t copies; // of it, given to the rest that is being searched
        bool waits;          // for that rest
    };

    static std::size_t level_of(const Part &part) { return static_cast<std::size_t>(part.copies); }

    // True when the part must be searched, and stands on the stack; else its result is known.
    bool enter(Part part, double limit, double &result)
    {
        result = infinity;
        if (part.size == 0) {
            if (may_idle_ || part.copies == 0) result = 0;
            return false;
        }
        if (part.copies == 0 || part.size > saturating_mul(part.copies, largest_)) return false;
        if (!may_idle_ && part.size < saturating_mul(part.copies, smallest_)) return false;
        pacer_.spend(work_of_look_up);
        if (const auto *cell = memory_.find(level_of(part), part.size)) {
            ++control_.counters.recalled;
            if (cell->cost < infinity) {
                if (cell->cost < limit) result = cell->cost;
                return false;
            }
            if (cell->proved >= limit) return false;
            --control_.counters.recalled;
        }
        ++control_.counters.nodes;
        stack_.push_back({part, limit, limit, 0, 0, 0, 1, false});
        return true;
    }

    void advance(double &result)
    {
        auto &node = stack_.back();
        if (node.waits) {
            node.waits = false;
            take(node, result);
        }
        const auto mean = (node.part.size - 1) / node.part.copies + 1;
        while (node.point < order_.size()) {
            pacer_.spend(work_of_point);
            const auto &point = order_[node.point];
            const auto cost = rule_.cost_of(point);
            if (rule_.ends_at(cost, node.best)) break;
            if (point.size < mean || node.copies > rule_.most_copies(point) || node.copies > node.part.copies ||
                node.copies > node.part.size / point.size) {
                ++node.point;
                node.copies = 1;
                continue;
            }
            const Part rest{node.part.size - node.copies * point.size, node.part.copies - node.copies};
            if (rule_.join(cost, node.copies, rule_.bound(rest.size, rest.copies)) >= node.best) {
                ++control_.counters.cuts;
                ++node.copies;
                continue;
            }
            node.waits = true;
            if (enter(rest, rule_.limit_of_rest(node.best, cost, node.copies), result)) return;
            node.waits = false;
            take(node, result);
        }
        leave(node, result);
    }

    void take(Node &node, double rest)
    {
        if (rest < infinity) {
            const auto cost = rule_.join(rule_.cost_of(order_[node.point]), node.copies, rest);
            if (cost < node.best) {
                node.best = cost;
                node.best_point = node.point;
                node.best_copies = node.copies;
            }
        }
        ++node.copies;
    }

    void leave(const Node &node, double &result)
    {
        auto &cell = memory_.at(level_of(node.part), node.part.size);
        const bool found = node.best_copies > 0;
        if (found) {
            cell.cost = node.best;
            cell.point = node.best_point;
            cell.copies = node.best_copies;
        } else {
            cell.proved = std::max(cell.proved, node.limit);
        }
        result = found ? node.best : infinity;
        stack_.pop_back();
    }

    const Rule &rule_;
    std::vector<AlikePoint> order_;
    bool may_idle_;
    std::int64_t largest_ = 0;
    std::int64_t smallest_ = 0;
    Control &control_;
    Pacer pacer_;
    MemoryBudget budget_;
    SolutionMemory<Cell> memory_; // a level for each number of copies
    std::vector<Node> stack_;
};

} // namespace hpart
