// Rounding (u = 2^-53). With f_i the computed least of class i and r_i the computed reduced costs of a choice x that sums to n, the
// real sum of costs is multiplier x n + sum f_i + sum r_i up to the roundings of the products, at most 2u |multiplier| n in all as the
// sizes sum to n, of the differences, at most u sum (|f_i| + 2 r_i), and of the sum of the r_i. The sum of p costs, none below 0,
// rounded in any way, has a relative error of at most (p - 1) u. Together below 8u (p + 8) (|multiplier| n + sum |f_i| + sum r_i), which is
// core_margin with a cap on sum r_i; costs near the smallest double add as many times that.
// The convex hulls only propose: f_i is the least over the points themselves, whatever the hull was.
#include "partitioners/search/core.hpp"

#include "core/numbers.hpp"
#include "partitioners/search/simd/kernels.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace hpart
{

namespace
{

constexpr std::int64_t largest_residual = std::int64_t{1} << 61U; // beyond, sums of sizes may not fit
constexpr std::size_t most_repairs = 512; // classes that are tried one by one, if any of them can

// Appends the points of class i of cost - multiplier x size <= most.
void collect(const SumOverFunctions &sum, const BreakSolution &base, std::size_t i, double most,
             std::vector<CorePoint> &out)
{
    constexpr std::size_t at_once = 64;
    const auto &functions = sum.functions;
    const auto f = sum.function_of[i];
    const auto sizes = functions.sizes(f);
    const auto costs = functions.costs(f);
    const auto blocks = functions.blocks(f);
    const ReducedCostBound bound{base.multiplier, sum.target, most};
    // A block's least cost - tilt x size, and the size in it where the rest of the multiplier takes most off.
    const auto tilt = functions.tilt();
    const auto rest = base.multiplier - tilt;
    const auto *extreme_sizes = rest >= 0 ? blocks.last_sizes : blocks.last_sizes - 1;
    // A block's bound rounds the two products and three differences between them and `most`: costs with a large common offset make
    // these large. In this order: unit roundoff times a multiplier near the smallest double would be nothing.
    const auto products = (std::abs(tilt) + std::abs(base.multiplier)) * static_cast<double>(sum.target);
    const auto rounding = 8 * (unit_roundoff * (products + std::abs(most)) + std::numeric_limits<double>::denorm_min());
    const ReducedCostBound block_bound{rest, sum.target, most + rounding};
    std::uint32_t indices[CostFunctions::block_points];
    double reduced[CostFunctions::block_points + 8];
    for (std::size_t from = 0; from < blocks.count; from += at_once) {
        const auto count = std::min(at_once, blocks.count - from);
        auto mask = blocks_within(sum.functions.simd_level(), blocks.least_costs + from, extreme_sizes + from, count,
                                  block_bound);
        for (; mask != 0; mask &= mask - 1) {
            const auto block = from + static_cast<std::size_t>(std::countr_zero(mask));
            if (sum.times != nullptr && sum.times->of_blocks(f)[block] > sum.longest) continue;
            const auto first = block * CostFunctions::block_points;
            const auto points = std::min(CostFunctions::block_points, sizes.size() - first);
            const auto found = points_within(sum.functions.simd_level(), sizes.data() + first, costs.data() + first,
                                             points, bound, indices, reduced);
            for (std::size_t j = 0; j < found; ++j) {
                const auto k = first + indices[j];
                if (sum.is_absent(f, k)) continue;
                out.push_back({sizes[k] - base.points[i].size, reduced[j], costs[k], k});
            }
        }
    }
}

// The least two reduced costs of a shift, of different classes.
struct CheapestTwo {
    double reduced[2] = {infinity, infinity};
    std::uint32_t owner[2] = {0, 0};
    std::size_t point[2] = {0, 0};

    void see(double value, std::uint32_t of, std::size_t k)
    {
        if (value < reduced[0]) {
            if (owner[0] != of) {
                reduced[1] = reduced[0];
                owner[1] = owner[0];
                point[1] = point[0];
            }
            reduced[0] = value;
            owner[0] = of;
            point[0] = k;
        } else if (value < reduced[1] && owner[0] != of) {
            reduced[1] = value;
            owner[1] = of;
            point[1] = k;
        }
    }
};

constexpr std::int64_t widest_table = 1 << 16; // of shifts, in repair_by_two

} // namespace

ReducedBound reduced_bound_of(const SumOverFunctions &sum, const BreakSolution &base)
{
    ReducedBound bound;
    bound.value = base.multiplier * static_cast<double>(sum.target);
    bound.magnitude = std::abs(bound.value);
    for (const auto &point : base.points) {
        const auto least = base.reduced(point);
        bound.value += least;
        bound.magnitude += std::abs(least);
        bound.largest = std::max(bound.largest, std::abs(least));
    }
    return bound;
}

double core_margin(std::size_t classes, const ReducedBound &bound, double cap)
{
    const auto terms = 8 * (static_cast<double>(classes) + 8);
    return terms * (unit_roundoff * (bound.magnitude + cap) + std::numeric_limits<double>::denorm_min());
}

Core collect_core(const SumOverFunctions &sum, BreakSolution &base, double cap, bool moves, double &base_deficit)
{
    constexpr auto no_list = std::numeric_limits<std::size_t>::max();
    struct Collected { // of the last class of a function
        std::uint32_t function;
        std::size_t base;
        CorePoint best;
        std::size_t list;
    };
    const bool has_copies = sum.functions.functions() < sum.classes();
    std::vector<Collected> collected(has_copies ? sum.functions.functions() : 1, {0, no_list, {}, no_list});
    Core core;
    base_deficit = 0;
    for (std::size_t i = 0; i < sum.classes(); ++i) {
        const auto at_base = base.reduced(base.points[i]);
        const auto f = sum.function_of[i];
        auto &of_class = collected[has_copies ? f : 0];
        if (of_class.function != f || of_class.base != base.points[i].point) {
            collect(sum, base, i, at_base + cap, core.points);
            const auto points = std::span(core.points).subspan(core.first.back());
            CorePoint best{0, at_base, base.points[i].cost, base.points[i].point};
            for (const auto &point : points)
                if (point.reduced < best.reduced) best = point;
            const bool is_moved = best.reduced < at_base && moves;
            for (auto &point : points) {
                point.shift -= is_moved ? best.shift : 0;
                point.reduced -= best.reduced;
            }
            const bool has_choice = points.size() > 1;
            of_class = {f, base.points[i].point, best, has_choice ? core.lists() : no_list};
            if (has_choice)
                core.end_list();
            else
                core.points.resize(core.first.back());
        }
        const auto &best = of_class.best;
        if (best.reduced < at_base && moves) {
            base.points[i] = {best.point, base.points[i].size + best.shift, best.cost};
            base.residual -= best.shift;
            base.break_class.reset();
            if (std::abs(base.residual) > largest_residual) {
                base_deficit = infinity;
                return {};
            }
        } else {
            base_deficit += at_base - best.reduced;
        }
        if (of_class.list != no_list) core.add_owner(i, of_class.list);
    }
    return core;
}

Core part_of(const Core &core, double cap)
{
    constexpr auto no_list = std::numeric_limits<std::size_t>::max();
    Core part;
    std::vector<std::size_t> list_of; // of each list of the core
    for (std::size_t l = 0; l < core.lists(); ++l) {
        for (const auto &point : core.list(l))
            if (point.reduced <= cap) part.points.push_back(point);
        const auto begin = part.first.back();
        const bool is_fixed = part.points.size() - begin == 1 && part.points.back().shift == 0;
        list_of.push_back(is_fixed ? no_list : part.lists());
        if (is_fixed)
            part.points.pop_back();
        else
            part.end_list();
    }
    for (std::size_t c = 0; c < core.owners.size(); ++c)
        if (list_of[core.list_of[c]] != no_list) part.add_owner(core.owners[c], list_of[core.list_of[c]]);
    return part;
}

Repair repair_by_one(const SumOverFunctions &sum, const BreakSolution &base)
{
    Repair best;
    if (base.residual == 0) {
        best.reduced = 0;
        return best;
    }
    const auto try_all = [&](std::int64_t residual, const BreakSolution::BreakClass *break_class) {
        const auto already = break_class != nullptr
                                 ? base.reduced(break_class->next) - base.reduced(base.points[break_class->owner])
                                 : 0;
        for (std::size_t i = 0; i < sum.classes(); ++i) {
            if (break_class != nullptr && i == break_class->owner) continue;
            if (i >= most_repairs && best.count > 0) return;
            const auto f = sum.function_of[i];
            const auto to = sum.functions.find(f, base.points[i].size + residual);
            if (to == sum.functions.count(f) || sum.is_absent(f, to)) continue;
            const BasePoint next{to, base.points[i].size + residual, sum.functions.costs(f)[to]};
            const auto reduced = already + (base.reduced(next) - base.reduced(base.points[i]));
            if (!(reduced < best.reduced)) continue;
            best.reduced = reduced;
            best.count = 0;
            if (break_class != nullptr) best.changes[best.count++] = {break_class->owner, break_class->next.point};
            best.changes[best.count++] = {i, to};
        }
    };
    try_all(base.residual, nullptr);
    if (base.break_class)
        try_all(base.residual - (base.break_class->next.size - base.points[base.break_class->owner].size),
                &*base.break_class);
    best.reduced = std::max(0.0, best.reduced);
    return best;
}

Repair repair_by_two(const BreakSolution &base, const Core &core)
{
    Repair best;
    std::int64_t low = 0;
    std::int64_t high = 0;
    for (const auto &point : core.points) {
        low = std::min(low, point.shift);
        high = std::max(high, point.shift);
    }
    if (low < -widest_table || high > widest_table) return best;
    std::vector<CheapestTwo> table(static_cast<std::size_t>(high - low + 1));
    std::vector<std::size_t> some; // two owners of each list: more of them change nothing
    std::vector<std::size_t> count(core.lists());
    for (std::size_t c = 0; c < core.owners.size(); ++c)
        if (++count[core.list_of[c]] <= 2) some.push_back(c);
    for (const auto c : some)
        for (const auto &point : core.of(c))
            table[static_cast<std::size_t>(point.shift - low)].see(point.reduced, core.owners[c], point.point);
    for (const auto c : some)
        for (const auto &point : core.of(c)) {
            const auto wanted = base.residual - point.shift;
            if (wanted < low || wanted > high) continue;
            const auto &other = table[static_cast<std::size_t>(wanted - low)];
            const std::size_t which = other.owner[0] == core.owners[c] ? 1 : 0;
            if (!(point.reduced + other.reduced[which] < best.reduced)) continue;
            best.reduced = point.reduced + other.reduced[which];
            best.changes = {{{core.owners[c], point.point}, {other.owner[which], other.point[which]}}};
            best.count = 2;
        }
    return best;
}

} // namespace hpart
