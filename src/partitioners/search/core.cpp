// Rounding (u = 2^-53). With f_i the computed least of class i and r_i the computed reduced costs of a choice x that sums to n, the
// real sum of costs is multiplier x n + sum f_i + sum r_i up to the roundings of the products, at most 2u |multiplier| n in all as the
// sizes sum to n, of the differences, at most u sum (|f_i| + 2 r_i), and of the sum of the r_i. The sum of p costs, none below 0,
// rounded in any way, has a relative error of at most (p - 1) u. Together below 8u (p + 8) (|multiplier| n + sum |f_i| + sum r_i), which is
// core_margin with a cap on sum r_i; costs near the smallest double add as many times that.
// The convex hulls only propose: f_i is the least over the points themselves, whatever the hull was.

#include "partitioners/search/core.hpp"

#include "core/numbers.hpp"
#include "partitioners/search/core_program.hpp"
#include "partitioners/search/cost_functions.hpp"
#include "partitioners/search/simd/kernels.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

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

// Problem: several choices whose sums of reduced costs double cannot tell apart. Which one costs least?
//
// Backwards from the end, a sum before a stage is near when a choice within the margin of the least passes through it: the layer's
// value there is at most the budget that the stages after it leave. Forwards through the near sums alone, least sums of costs are exact
// (cost_functions.hpp). The margin covers all roundings (core.cpp), so that every choice of least cost is among these.
// Time: near sums x points, up to eight times that in the best order. Source: design of hpart.

CoreProgram::NearOptimalSums CoreProgram::near_optimal_sums(double &pairs_left, Control &control)
{
    Pacer pacer(control, "deciding among equal sums");
    pacer_ = &pacer;
    NearOptimalSums near(stages_.size());
    near.push_back({problem_.base.residual});
    std::vector<double> budgets;
    std::vector<double> budgets_before;
    std::int64_t bytes = 0;
    for (auto z = stages_.size(); z-- > 0;) {
        restore(z);
        const auto &stage = stages_[z];
        const auto &layer = layers_[z];
        if (budgets.empty()) {
            auto least = infinity;
            for (auto k = stage.begin; k < stage.end; ++k)
                least = std::min(least, value_before(stage, layer, k, near.back().front()) + costs_[k]);
            if (least > cap_) return {};
            budgets = {least + margin_};
        }
        pairs_left -= static_cast<double>(near[z + 1].size()) * static_cast<double>(stage.end - stage.begin);
        if (pairs_left < 0) return {};
        budgets_before.assign(layer.count, -infinity);
        for (std::size_t j = 0; j < near[z + 1].size(); ++j) {
            const auto sum = near[z + 1][j];
            for (auto k = stage.begin; k < stage.end; ++k) {
                const auto left = budgets[j] - costs_[k];
                if (!(value_before(stage, layer, k, sum) <= left)) continue;
                auto &budget =
                    budgets_before[static_cast<std::size_t>((sum - points_[k].shift - layer.low) / stage.divisor)];
                budget = std::max(budget, left);
            }
            pacer.spend(static_cast<std::int64_t>(stage.end - stage.begin));
        }
        budgets.clear();
        for (std::size_t k = 0; k < layer.count; ++k) {
            if (budgets_before[k] == -infinity) continue;
            near[z].push_back(layer.low + static_cast<std::int64_t>(k) * stage.divisor);
            budgets.push_back(budgets_before[k]);
        }
        bytes += static_cast<std::int64_t>(near[z].size() * (sizeof(std::int64_t) + sizeof(Wide)));
        if (bytes > control.memory_limit()) fail_memory(control.memory_limit());
        layers_[z].room.reset();
    }
    pacer_ = nullptr;
    return near;
}

// States are near sums and, between copies in the best order, the size of the last one: copies take falling sizes, so of all exchanges
// among them only the choice among equals is looked at. Gives up, in that order, where there are too many states.
template <typename Exact>
void CoreProgram::decide_among(const NearOptimalSums &sums, const std::vector<Exact> &costs, double pairs_left,
                               CoreAnswer &answer, Control &control) const
{
    struct State {
        std::size_t sum;
        std::int64_t last; // size of the copy before
        Exact cost;
        std::size_t point;
        std::size_t before; // the state before the point
        bool is_least;      // no other way to here costs as little
        bool is_only;       // there is no other way to here
        std::size_t other;  // state of the same sum
    };
    constexpr auto none = std::numeric_limits<std::size_t>::max();
    constexpr std::size_t most_states = 8; // for each near sum
    Pacer pacer(control, "deciding among equal sums");
    const auto size_of = [&](std::size_t z, std::size_t k) {
        return problem_.base.points[stages_[z].owner].size + points_[k].shift;
    };
    std::vector<std::vector<State>> layers;
    layers.push_back({State{0, 0, Exact{}, 0, 0, true, true, none}});
    std::vector<State> next;
    std::vector<std::size_t> first; // state of each sum
    std::int64_t bytes = 0;
    const auto add = [&](const State &fresh) {
        auto *at = &first[fresh.sum];
        while (*at != none && next[*at].last != fresh.last) at = &next[*at].other;
        if (*at == none) {
            *at = next.size();
            next.push_back(fresh);
            return;
        }
        auto &now = next[*at];
        now.is_only = false;
        if (now.cost < fresh.cost) return;
        const auto other = now.other;
        const auto is_least = fresh.is_least && fresh.cost < now.cost;
        now = fresh; // points come by falling size: the smallest of equals stays
        now.is_least = is_least;
        now.is_only = false;
        now.other = other;
    };
    for (std::size_t z = 0; z < stages_.size(); ++z) {
        const auto &states = layers.back();
        const auto &after = sums[z + 1];
        const bool is_copy = continues_copies(z), has_copy = continues_copies(z + 1);
        pairs_left -=
            static_cast<double>(states.size() + after.size()) * static_cast<double>(stages_[z].end - stages_[z].begin);
        if (pairs_left < 0) return;
        next.clear();
        first.assign(after.size(), none);
        for (auto k = stages_[z].begin; k < stages_[z].end; ++k) {
            const auto size = size_of(z, k);
            std::size_t at = 0;
            for (std::size_t s = 0; s < states.size(); ++s) {
                const auto &state = states[s];
                if (is_copy && size > state.last) continue;
                const auto sum = sums[z][state.sum] + points_[k].shift;
                while (at < after.size() && after[at] < sum) ++at;
                if (at == after.size()) break;
                if (after[at] != sum) continue;
                add({at, has_copy ? size : 0, state.cost + costs[k], k, s, state.is_least, state.is_only, none});
            }
            pacer.spend(static_cast<std::int64_t>(states.size() + after.size()));
            if (order_ == CoreOrder::best && next.size() > most_states * (after.size() + most_states)) return;
        }
        bytes += static_cast<std::int64_t>(next.size() * sizeof(State));
        if (bytes > control.memory_limit()) fail_memory(control.memory_limit());
        std::vector<State> kept;
        kept.reserve(next.size());
        for (auto at : first)
            for (; at != none; at = next[at].other) kept.push_back(next[at]);
        layers.push_back(std::move(kept));
    }
    const auto *state = &layers.back().front();
    answer.is_only = state->is_only;
    answer.is_best = state->is_least || order_ == CoreOrder::of_classes;
    for (auto z = stages_.size(); z-- > 0 && answer.is_best;) {
        const auto &point = points_[state->point];
        answer.points[stages_[z].owner] = {point.point, size_of(z, state->point), point.cost};
        state = &layers[z][state->before];
    }
}

void CoreProgram::decide(CoreAnswer &answer, double most_pairs, Control &control)
{
    const auto sums = near_optimal_sums(most_pairs, control);
    if (sums.empty()) return;
    std::vector<double> costs;
    costs.reserve(points_.size());
    for (const auto &point : points_) costs.push_back(point.cost);
    with_exact_costs(costs, stages_.size(), [&](const auto &exact, const auto &) {
        decide_among(sums, exact, most_pairs, answer, control);
        return 0;
    });
}

// Costs are whole numbers C of a power of 2, and the multiplier is rounded to a whole number L of it. A choice that sums to the target
// has sum (C - L x shift) = sum C - a constant, for any L: the order of the exact sums of costs. The least of each list is taken off.
// The unit is as fine as the cap allows, so that L is near the multiplier and the sums stay small: within the cap all of them are below
// 2^53, and double adds them exactly. A sum above the cap may be rounded, but not to below it.
// Source: design of hpart.

namespace
{

constexpr int cost_bits = 80;
constexpr int most_refined = 40; // bits of the unit below the unit that costs need
constexpr int sum_bits = 52;     // of the cap without the rounding of the multiplier
constexpr double largest_product = 0x1p120;
constexpr double largest_cap = 0x1p53 - 1;

} // namespace

std::optional<WholeCore> whole_core(const BreakSolution &base, const Core &core, double cap)
{
    std::vector<double> costs;
    costs.reserve(core.points.size());
    for (const auto &point : core.points) costs.push_back(point.cost);
    const auto exact = ExactCosts::of(costs, cost_bits);
    if (!exact) return std::nullopt;
    std::vector<std::int64_t> longest_shift(core.lists()); // |shift|
    for (std::size_t l = 0; l < core.lists(); ++l)
        for (const auto &point : core.list(l)) longest_shift[l] = std::max(longest_shift[l], std::abs(point.shift));
    double span = std::abs(static_cast<double>(base.residual)); // bounds all shifts of a choice together
    for (const auto l : core.list_of) span += static_cast<double>(longest_shift[l]);

    const auto in_units = std::ldexp(cap, -exact->exponent());
    if (!(in_units < std::ldexp(1, sum_bits))) return std::nullopt;
    const auto refined = in_units > 0 ? std::min(most_refined, sum_bits - 1 - std::ilogb(in_units)) : most_refined;
    const auto scale = refined - exact->exponent();
    const auto multiplier = std::ldexp(base.multiplier, scale);
    if (!(std::abs(multiplier) * span < largest_product)) return std::nullopt;
    const auto rounded = std::nearbyint(multiplier);
    WholeCore whole{core, std::ldexp(cap, scale) + std::abs(multiplier - rounded) * span + 4, std::ldexp(1, scale)};
    if (!(whole.cap < largest_cap)) return std::nullopt;
    const auto slope = static_cast<Wide>(rounded);
    std::vector<Wide> reduced(core.points.size());
    for (std::size_t l = 0; l < core.lists(); ++l) {
        const auto begin = core.first[l];
        const auto end = core.first[l + 1];
        if (begin == end) continue;
        for (auto k = begin; k < end; ++k) reduced[k] = (exact->values()[k] << refined) - slope * core.points[k].shift;
        const auto least = *std::min_element(reduced.begin() + static_cast<std::ptrdiff_t>(begin),
                                             reduced.begin() + static_cast<std::ptrdiff_t>(end));
        for (auto k = begin; k < end; ++k) whole.core.points[k].reduced = static_cast<double>(reduced[k] - least);
    }
    return whole;
}

} // namespace hpart
