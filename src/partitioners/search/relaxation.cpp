// Rounding. A point is left out of a hull only if it is above the chord, or below by at most 8u of the costs that the chord
// spans (u = 2^-53): cross products of differences of exact numbers have that relative error. Chords nest at most as deep as a class has
// options. A slope has 3u; a sum of k terms of known magnitude has k u. So 16u (options of the longest class + edges + classes),
// times the sum of the magnitudes involved, covers every bound here together with a rounded sum over the classes.

#include "partitioners/search/relaxation.hpp"

#include "core/numbers.hpp"
#include "partitioners/search/cost_functions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hpart
{

namespace
{

// True if option b is on or above the chord from a to c.
bool is_above_chord(const Choices &choices, std::size_t a, std::size_t b, std::size_t c)
{
    const auto run = [&](std::size_t from, std::size_t to) {
        return static_cast<double>(choices.sizes[to] - choices.sizes[from]);
    };
    const auto rise = [&](std::size_t from, std::size_t to) { return choices.costs[to] - choices.costs[from]; };
    return rise(a, b) * run(a, c) >= rise(a, c) * run(a, b);
}

} // namespace

Relaxation::Relaxation(const Choices &choices, std::int64_t target) : base_(choices.classes(), 0)
{
    std::size_t longest = 0;
    std::size_t edges = 0;         // of all classes
    std::vector<std::size_t> hull; // reused
    const auto copies = choices.copies();
    for (std::size_t f = 0; f < choices.functions(); ++f) {
        longest = std::max(longest, choices.sizes_of_function(f).size());
        bound_ += static_cast<double>(copies[f]) * choices.costs[choices.first[f]];
        add_hull(choices, f, copies[f], hull);
        edges += static_cast<std::size_t>(copies[f]) * (hull.size() - 1);
    }
    std::stable_sort(edges_.begin(), edges_.end(), [](const Edge &a, const Edge &b) { return a.slope < b.slope; });
    rounding_ = 16 * unit_roundoff * static_cast<double>(longest + edges + choices.classes() + 8);
    // A slope is off by half the smallest double at most, over sizes up to the target; products and sums of such costs once each.
    underflow_ = std::numeric_limits<double>::denorm_min() *
                 (static_cast<double>(target) + 4 * static_cast<double>(edges + choices.classes() + 8));
    find_base(choices, target);
}

void Relaxation::add_hull(const Choices &choices, std::size_t f, std::int64_t copies, std::vector<std::size_t> &hull)
{
    hull.clear();
    for (auto k = choices.first[f]; k < choices.first[f + 1]; ++k) {
        while (hull.size() >= 2 && is_above_chord(choices, hull[hull.size() - 2], hull.back(), k)) hull.pop_back();
        hull.push_back(k);
    }
    for (std::size_t v = 1; v < hull.size(); ++v) {
        const auto size = choices.sizes[hull[v]] - choices.sizes[hull[v - 1]];
        const auto cost = choices.costs[hull[v]] - choices.costs[hull[v - 1]];
        auto slope = cost / static_cast<double>(size);
        if (v > 1) slope = std::max(slope, edges_.back().slope);
        edges_.push_back({slope, size, cost, f, copies});
    }
}

// Whole edges go to the first copies.
void Relaxation::find_base(const Choices &choices, std::int64_t target)
{
    std::vector<std::int64_t> sizes(choices.functions());
    const Edge *open = nullptr; // only `taken` copies have it
    std::int64_t taken = 0;
    residual_ = target;
    for (const auto &edge : edges_) {
        if (residual_ == 0) break;
        multiplier_ = edge.slope;
        taken = std::min(edge.copies, residual_ / edge.size);
        residual_ -= taken * edge.size;
        bound_ += static_cast<double>(taken) * edge.cost;
        if (taken < edge.copies) {
            open = &edge;
            bound_ += edge.slope * static_cast<double>(residual_);
            break;
        }
        sizes[edge.function] += edge.size;
    }
    for (std::size_t i = 0; i < base_.size(); ++i) {
        const auto f = choices.function_of[i];
        base_[i] = sizes[f] + (open != nullptr && f == open->function && taken-- > 0 ? open->size : 0);
    }
}

CoreFilter::CoreFilter(const Choices &choices, std::int64_t target, const Relaxation &relaxation, double cap)
    : choices_(choices), multiplier_(relaxation.multiplier()), rounding_(relaxation.rounding()),
      least_(choices.functions(), std::numeric_limits<double>::infinity())
{
    auto bound = multiplier_ * static_cast<double>(target);
    auto magnitude = std::abs(bound);
    const auto copies = choices.copies();
    for (std::size_t f = 0; f < choices.functions(); ++f) {
        for (auto k = choices.first[f]; k < choices.first[f + 1]; ++k) least_[f] = std::min(least_[f], reduced(k));
        bound += static_cast<double>(copies[f]) * least_[f];
        magnitude += static_cast<double>(copies[f]) * std::abs(least_[f]);
    }
    spare_ = cap - bound + rounding_ * (std::abs(cap) + magnitude) + relaxation.underflow();
}

void SuffixBound::rebuild()
{
    Value value{0, 0};
    for (std::size_t f = 0; f < left_.size(); ++f)
        value.cost += static_cast<double>(left_[f]) * choices_.costs[choices_.first[f]];
    value.magnitude = value.cost;
    sizes_.assign(1, 0);
    values_.assign(1, value);
    slopes_.clear();
    for (const auto &edge : relaxation_.edges()) {
        const auto copies = left_[edge.function];
        if (copies == 0) continue;
        value.cost += static_cast<double>(copies) * edge.cost;
        value.magnitude += static_cast<double>(copies) * std::abs(edge.cost);
        sizes_.push_back(saturating_add(sizes_.back(), saturating_mul(copies, edge.size)));
        values_.push_back(value);
        slopes_.push_back(edge.slope);
    }
    slopes_.push_back(0);
    start();
}

SuffixBound::Value SuffixBound::at_most(std::int64_t size)
{
    while (sizes_[at_] > size) --at_;
    const auto beyond = slopes_[at_] * static_cast<double>(size - sizes_[at_]);
    return {values_[at_].cost + beyond, values_[at_].magnitude + std::abs(beyond)};
}

// At the slope E / D of a hull's edge, D cost - E x size of each class has a least value, exact as whole numbers. A choice of points of
// these least values alone, if it sums to the target, costs least: D x its cost is a constant plus the sum of what its points are above them.
// If such points of each class are evenly spaced, so most often are the sums of the first classes, whatever their number: they are then
// known by their ends. From the last class on, the smallest size is taken that leaves one of these sums.
// Time: O(points + classes). Source: design of hpart.

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
