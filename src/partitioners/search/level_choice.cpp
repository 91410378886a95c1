// At the slope E / D of a hull's edge, D cost - E x size of each class has a least value, exact as whole numbers. A choice of points of
// these least values alone, if it sums to the target, costs least: D x its cost is a constant plus the sum of what its points are above them.
// If such points of each class are evenly spaced, so most often are the sums of the first classes, whatever their number: they are then
// known by their ends. From the last class on, the smallest size is taken that leaves one of these sums.
// Time: O(points + classes). Source: design of hpart.
#include "partitioners/search/level_choice.hpp"

#include "partitioners/search/exact_costs.hpp"

#include <algorithm>

namespace hpart
{

namespace
{

constexpr int level_cost_bits = 72;
constexpr std::int64_t largest_shift = std::int64_t{1} << 40; // products with costs then fit
constexpr std::int64_t farthest_level_sum = std::int64_t{1} << 61;

// low, low + step, ... high; step 0: one number.
struct Spaced {
    std::int64_t low = 0;
    std::int64_t high = 0;
    std::int64_t step = 0;

    bool has(std::int64_t number) const
    {
        return low <= number && number <= high && (step == 0 || (number - low) % step == 0);
    }
};

std::optional<Spaced> sums_of(const Spaced &a, const Spaced &b)
{
    Spaced sums{a.low + b.low, a.high + b.high, std::max(a.step, b.step)};
    if (std::abs(sums.low) > farthest_level_sum || std::abs(sums.high) > farthest_level_sum) return std::nullopt;
    if (a.step == 0 || b.step == 0) return sums;
    const auto &fine = a.step < b.step ? a : b;
    const bool is_even = sums.step % fine.step == 0 && fine.high - fine.low + fine.step >= sums.step;
    sums.step = fine.step;
    return is_even ? std::optional(sums) : std::nullopt;
}

std::optional<Spaced> spaced(const std::vector<CorePoint> &points)
{
    Spaced out{points.front().shift, points.back().shift, 0};
    if (points.size() > 1) out.step = points[1].shift - points[0].shift;
    for (std::size_t k = 1; k < points.size(); ++k)
        if (points[k].shift - points[k - 1].shift != out.step) return std::nullopt;
    return out;
}

// An edge of that multiplier: the points of its ends.
struct LevelEdge {
    BasePoint low;
    BasePoint high;
};

std::optional<LevelEdge> edge_of(const SumOverFunctions &sum, const BreakSolution &base)
{
    if (base.break_class) return LevelEdge{base.points[base.break_class->owner], base.break_class->next};
    for (std::size_t f = 0; f < sum.functions.functions(); ++f) {
        const auto hull = sum.functions.hull(f);
        for (std::size_t v = 0; v + 1 < hull.size(); ++v)
            if (hull[v].slope == base.multiplier)
                return LevelEdge{{hull[v].point, hull[v].size, hull[v].cost},
                                 {hull[v + 1].point, hull[v + 1].size, hull[v + 1].cost}};
    }
    return std::nullopt;
}

// The points of least D cost - E x size of each list. Empty where these are not exact.
std::vector<std::vector<CorePoint>> level_points(const Core &core, const LevelEdge &edge)
{
    std::vector<double> costs{edge.low.cost, edge.high.cost};
    for (const auto &point : core.points) {
        costs.push_back(point.cost);
        if (std::abs(point.shift) > largest_shift) return {};
    }
    const auto exact = ExactCosts::of(costs, level_cost_bits);
    const auto length = edge.high.size - edge.low.size;
    if (!exact || length > largest_shift) return {};
    const auto rise = exact->values()[1] - exact->values()[0];
    std::vector<std::vector<CorePoint>> lists(core.lists());
    for (std::size_t l = 0; l < core.lists(); ++l) {
        Wide least = 0;
        for (auto k = core.first[l]; k < core.first[l + 1]; ++k) {
            const auto &point = core.points[k];
            const auto reduced = exact->values()[k + 2] * length - rise * point.shift;
            if (lists[l].empty() || reduced < least) {
                lists[l].clear();
                least = reduced;
            }
            if (reduced == least) lists[l].push_back(point);
        }
        if (lists[l].empty()) return {};
    }
    return lists;
}

} // namespace

std::optional<std::vector<BasePoint>> level_choice(const SumOverFunctions &sum, const BreakSolution &base,
                                                   const Core &core)
{
    const auto edge = edge_of(sum, base);
    if (!edge) return std::nullopt;
    const auto lists = level_points(core, *edge);
    if (lists.size() != core.lists()) return std::nullopt;
    std::vector<Spaced> of_list;
    for (const auto &list : lists) {
        const auto shifts = spaced(list);
        if (!shifts) return std::nullopt;
        of_list.push_back(*shifts);
    }
    std::vector<Spaced> before{{}}; // sums of the first classes
    before.reserve(core.owners.size() + 1);
    for (const auto l : core.list_of) {
        const auto sums = sums_of(before.back(), of_list[l]);
        if (!sums) return std::nullopt;
        before.push_back(*sums);
    }
    auto left = base.residual;
    if (!before.back().has(left)) return std::nullopt;
    auto points = base.points;
    for (auto c = core.owners.size(); c-- > 0;) {
        const auto &list = lists[core.list_of[c]];
        const auto fits = std::find_if(list.begin(), list.end(),
                                       [&](const CorePoint &point) { return before[c].has(left - point.shift); });
        auto &point = points[core.owners[c]];
        point = {fits->point, point.size + fits->shift, fits->cost};
        left -= fits->shift;
    }
    return points;
}

} // namespace hpart
