// Problem: of the choices whose sum of costs is within a limit, one of the least sum of uses of a resource; of these the least cost, and of
// equals the choice of core_program.hpp.
//
// Costs are whole numbers (core.cpp). Let C be the largest sum within the limit, and x a choice of the least cost + b x use for a
// charge b >= 0. If cost(x) <= C and cost(x) + b > C, x is the answer: a choice of less use and a cost <= C would have a smaller
// charged sum. The first charge is above C - the least cost, so that x is the answer if it is within the limit. Else the next charges are
// the slopes between the last choice within the limit and the last one above it, whose charged sums are then equal: it ends when no
// other choice is better there.
// Nothing of it is a heuristic, but it may end without an answer: where uses of a whole step of that slope are between the two.
// Time: a dynamic program over the core for each charge, one most often. Source: design of hpart; Lagrangian relaxation of the limit.

#include "partitioners/search/least_use.hpp"

#include "core/numbers.hpp"
#include "partitioners/search/core.hpp"
#include "partitioners/search/core_program.hpp"
#include "partitioners/search/least_sum.hpp"
#include "partitioners/search/relaxation.hpp"
#include "partitioners/search/simd/kernels.hpp"
#include "partitioners/search/subset_sum.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace hpart
{

namespace
{

constexpr int most_charges = 8;
constexpr double largest_sum = 0x1p53 - 1; // of whole numbers

class LeastUseSearch
{
  public:
    LeastUseSearch(const SumOverFunctions &sum, std::span<const std::int64_t> uses,
                   std::span<const std::size_t> first_use, const CostLimit &limit, Control &control)
        : sum_(sum), uses_(uses), first_use_(first_use), limit_(limit), control_(control)
    {
    }

    std::optional<LeastSum> run()
    {
        if (!collect()) return std::nullopt;
        auto above = solve(slack_);
        if (!above) return std::nullopt;
        if (is_answer(*above, slack_)) return taken(*above);
        if (above->is_within) return std::nullopt;
        auto within = solve(0);
        if (!within || !within->is_within) return std::nullopt;
        for (int k = 2; k < most_charges; ++k) {
            const auto saved = within->use - above->use;
            if (saved <= 0) return std::nullopt;
            if (saved == 1) return taken(*within); // what uses less is no better than `above`, and not within the limit
            const auto charge = std::floor((above->cost - within->cost) / saved);
            auto found = solve(charge);
            if (!found) return std::nullopt;
            if (is_answer(*found, charge)) return taken(*found);
            const auto charged = [&](const Found &choice) { return choice.cost + charge * choice.use; };
            if (charged(*found) == charged(*within) && is_answer(*within, charge)) return taken(*within);
            auto &side = found->is_within ? within : above;
            if (found->use == side->use) return std::nullopt;
            side = std::move(found);
        }
        return std::nullopt;
    }

  private:
    struct Found {
        std::vector<BasePoint> points;
        double cost;    // whole, of the core
        double use;     // of the core
        bool is_within; // the limit
    };

    // All points of the choices within the limit, as whole numbers.
    bool collect()
    {
        auto base = find_break_solution(sum_, std::nullopt);
        if (!base || base->is_only) return false;
        base_ = std::move(*base);
        double base_deficit = 0;
        collect_core(sum_, base_, 0, true, base_deficit);
        if (base_deficit == infinity) return false;
        const auto bound = reduced_bound_of(sum_, base_);
        const auto allowed = limit_.cap() - bound.value;
        const auto margin = core_margin(sum_.classes(), bound, std::max(0.0, allowed));
        if (!(allowed + 2 * margin >= 0 && allowed < infinity)) return false;
        const auto cap = std::max(0.0, allowed) + 6 * margin;
        core_ = collect_core(sum_, base_, cap, false, base_deficit);
        const auto slack = limit_.cap() - std::max(limit_.least * (1 - 2 * unit_roundoff), bound.value - 2 * margin);
        double most_use = 0;
        for (std::size_t c = 0; c < core_.owners.size(); ++c) {
            std::int64_t most = 0;
            for (const auto &point : core_.of(c)) most = std::max(most, use_of(c, point));
            most_use += static_cast<double>(most);
        }
        const auto spare = std::max(slack, 0.0) * (1 + 2 * unit_roundoff) * (most_use + 1);
        auto whole = whole_core(base_, core_, cap + spare);
        if (!whole) return false;
        slack_ = std::ceil(std::max(slack, 0.0) * whole->per_cost) + 2;
        whole_ = std::move(*whole);
        most_sum_ = whole_.cap + 3 * (most_use + 1);
        return most_sum_ < largest_sum;
    }

    std::int64_t use_of(std::size_t c, const CorePoint &point) const
    {
        return uses_[first_use_[sum_.function_of[core_.owners[c]]] + point.point];
    }

    // Least cost + charge x use. Nothing where dense layers do not serve.
    std::optional<Found> solve(double charge)
    {
        auto charged = whole_.core;
        auto cap = most_sum_;
        for (std::size_t c = core_.owners.size(); c-- > 0;) { // copies share a list
            const auto begin = core_.first[core_.list_of[c]];
            const auto points = core_.of(c);
            auto least = infinity;
            for (std::size_t k = 0; k < points.size(); ++k) {
                auto &value = charged.points[begin + k].reduced;
                value = whole_.core.points[begin + k].reduced + charge * static_cast<double>(use_of(c, points[k]));
                least = std::min(least, value);
            }
            for (std::size_t k = 0; k < points.size(); ++k) charged.points[begin + k].reduced -= least;
            cap -= least;
        }
        CoreProgram program({sum_, base_}, charged, cap, 0, CoreOrder::of_classes);
        if (!program.is_possible() || program.is_sparse() ||
            program.least_bytes() > static_cast<double>(control_.memory_limit()))
            return std::nullopt;
        auto answer = program.run(control_);
        if (!answer) return std::nullopt;
        const bool is_within = limit_.allows(cost_of(answer->points));
        Found found{std::move(answer->points), 0, 0, is_within};
        for (std::size_t c = 0; c < core_.owners.size(); ++c) {
            const auto point = found.points[core_.owners[c]].point;
            const auto points = core_.of(c);
            const auto at = std::find_if(points.begin(), points.end(), [&](const auto &p) { return p.point == point; });
            const auto k = static_cast<std::size_t>(at - points.begin());
            found.cost += whole_.core.points[core_.first[core_.list_of[c]] + k].reduced;
            found.use += static_cast<double>(use_of(c, *at));
        }
        return found;
    }

    static ExactSum cost_of(const std::vector<BasePoint> &points)
    {
        ExactSum cost;
        for (const auto &point : points) cost.add(point.cost);
        return cost;
    }

    // Properties of a choice of the least charged sum.
    bool is_answer(const Found &found, double charge) const
    {
        if (!found.is_within) return false;
        auto beyond = cost_of(found.points);
        beyond.add(charge / whole_.per_cost);
        return !limit_.allows(beyond);
    }

    static LeastSum taken(const Found &found)
    {
        LeastSum out;
        out.outcome = Outcome::found;
        for (const auto &point : found.points) out.sizes.push_back(point.size);
        out.cost = cost_of(found.points).rounded();
        out.lower_bound = out.cost;
        return out;
    }

    const SumOverFunctions &sum_;
    std::span<const std::int64_t> uses_;
    std::span<const std::size_t> first_use_;
    const CostLimit &limit_;
    Control &control_;
    BreakSolution base_;
    Core core_;
    WholeCore whole_;
    double slack_ = 0;    // above C - the least cost
    double most_sum_ = 0; // of charged sums that matter, but for the charges
};

} // namespace

std::optional<LeastSum> least_use_by_core(const Choices &choices, const std::vector<std::int64_t> &uses,
                                          std::int64_t target, const CostLimit &limit, Control &control)
{
    const CostFunctions functions(cost_points_of(choices), best_simd_level());
    const SumOverFunctions sum{functions, choices.function_of, target};
    return LeastUseSearch(sum, uses, choices.first, limit, control).run();
}

// The relaxation's base takes whole edges of the hulls up to the target and leaves a residual. One class makes it up where it has
// that size: the cheapest such change is taken. Else a few classes are freed, each with its options of least reduced cost, the others
// stay at their base, and the two lists of sum_set.cpp look for the target: first many classes with few options, which
// are the cheapest, then fewer with more. A good first choice keeps the first cap, and so the search, small.

namespace
{

struct Freedom {
    std::size_t classes;
    std::size_t options;
};
// About as many combinations each: what two short lists hold.
constexpr Freedom freedoms[] = {{18, 4}, {12, 8}, {9, 16}, {6, 64}, {5, 256}};

std::vector<std::int64_t> repaired_by_one(const Choices &choices, const Relaxation &relaxation)
{
    const auto &base = relaxation.base();
    auto best_rise = std::numeric_limits<double>::infinity();
    std::vector<std::int64_t> best;
    for (std::size_t i = 0; i < choices.classes(); ++i) {
        const auto sizes = choices.sizes_of(i);
        const auto costs = choices.costs_of(i);
        const auto to = find_size(sizes, {}, base[i] + relaxation.residual());
        if (to == sizes.size()) continue;
        const auto rise = costs[to] - costs[find_size(sizes, {}, base[i])];
        if (!best.empty() && !(rise < best_rise)) continue;
        best_rise = rise;
        best = base;
        best[i] = sizes[to];
    }
    return best;
}

// Options of a function of least reduced cost.
struct CheapestOptions {
    std::vector<std::size_t> options; // increasing
    double rise = 0;                  // reduced cost of the dearest less the cheapest's
};

CheapestOptions cheapest_of(const Choices &choices, std::size_t f, std::size_t count, double multiplier)
{
    CheapestOptions out;
    out.options.resize(choices.sizes_of_function(f).size());
    std::iota(out.options.begin(), out.options.end(), choices.first[f]);
    const auto reduced = [&](std::size_t k) {
        return choices.costs[k] - multiplier * static_cast<double>(choices.sizes[k]);
    };
    const auto kept = out.options.begin() + static_cast<std::ptrdiff_t>(std::min(count, out.options.size()));
    std::partial_sort(out.options.begin(), kept, out.options.end(), [&](std::size_t a, std::size_t b) {
        return reduced(a) != reduced(b) ? reduced(a) < reduced(b) : a < b;
    });
    out.options.erase(kept, out.options.end());
    out.rise = reduced(out.options.back()) - reduced(out.options.front());
    std::sort(out.options.begin(), out.options.end());
    return out;
}

// The classes whose options cost least, which are chosen anew; the others stay at the base. Empty if they do not reach the target.
std::vector<std::int64_t> free_a_few(const Choices &choices, const Relaxation &relaxation, Freedom freedom)
{
    std::vector<CheapestOptions> functions;
    for (std::size_t f = 0; f < choices.functions(); ++f)
        functions.push_back(cheapest_of(choices, f, freedom.options, relaxation.multiplier()));
    std::vector<std::size_t> classes;
    for (std::size_t i = 0; i < choices.classes(); ++i)
        if (choices.count(i) > 1) classes.push_back(i);
    const auto last = classes.begin() + static_cast<std::ptrdiff_t>(std::min(freedom.classes, classes.size()));
    std::partial_sort(classes.begin(), last, classes.end(), [&](std::size_t a, std::size_t b) {
        return std::pair(functions[choices.function_of[a]].rise, a) <
               std::pair(functions[choices.function_of[b]].rise, b);
    });
    classes.erase(last, classes.end());
    auto sizes = relaxation.base();
    auto rest = relaxation.residual();
    Choices freed;
    for (const auto i : classes) {
        rest += sizes[i];
        for (const auto k : functions[choices.function_of[i]].options) freed.add(choices.sizes[k]);
        freed.end_class();
    }
    const auto reached = reach_sum_quickly(freed, rest);
    if (!reached) return {};
    for (std::size_t c = 0; c < classes.size(); ++c) sizes[classes[c]] = (*reached)[c];
    return sizes;
}

} // namespace

std::vector<std::int64_t> first_choice(const Choices &choices, const Relaxation &relaxation, const Control &control)
{
    auto repaired = repaired_by_one(choices, relaxation);
    for (const auto freedom : freedoms) {
        if (!repaired.empty() || control.time_is_up()) break;
        repaired = free_a_few(choices, relaxation, freedom);
    }
    return repaired;
}

// Blocks without a point within the bound on the time are left out, and blocks with a least reduced cost above a point found.
// The most promising block is first: few others are looked at.

namespace
{

constexpr auto block_points = CostFunctions::block_points;

} // namespace

std::size_t last_within_target(const SumOverFunctions &sum, std::size_t f)
{
    const auto sizes = sum.functions.sizes(f);
    if (sizes.empty() || sizes.back() <= sum.target) return sizes.size() - 1;
    return static_cast<std::size_t>(std::ranges::upper_bound(sizes, sum.target) - sizes.begin()) - 1;
}

std::optional<PointRange> ends_within(const SumOverFunctions &sum, std::size_t f)
{
    const auto seconds = sum.times->of(f);
    const auto *of_blocks = sum.times->of_blocks(f);
    const auto is_there = [&](std::size_t k) { return seconds[k] <= sum.longest; };
    const auto end = last_within_target(sum, f) + 1; // 0: there is none
    std::size_t first = 0;
    while (first < end && !is_there(first)) ++first;
    if (first == end) return std::nullopt;
    auto last = end - 1;
    while (!is_there(last)) {
        const auto block = last / block_points;
        last = of_blocks[block] <= sum.longest ? last - 1 : block * block_points - 1;
    }
    return PointRange{first, last};
}

LeastPoint least_within(const SumOverFunctions &sum, std::size_t f, PointRange among, double multiplier)
{
    const auto &functions = sum.functions;
    const auto *sizes = functions.sizes(f).data();
    const auto *costs = functions.costs(f).data();
    const auto *seconds = sum.times->of(f).data();
    const auto *of_blocks = sum.times->of_blocks(f);
    const auto blocks = functions.blocks(f);
    const auto tilt = functions.tilt();
    const auto rest = multiplier - tilt;
    const auto *extreme_sizes = rest >= 0 ? blocks.last_sizes : blocks.last_sizes - 1;
    LeastPoint best{among.first, infinity};
    const auto scan = [&](std::size_t b) {
        const auto begin = std::max(among.first, b * block_points);
        const auto end = std::min(among.last + 1, (b + 1) * block_points);
        const auto found = least_reduced_within(functions.simd_level(), sizes + begin, costs + begin, seconds + begin,
                                                end - begin, multiplier, sum.longest);
        if (found == end - begin) return;
        const auto k = begin + found;
        const auto reduced = costs[k] - multiplier * static_cast<double>(sizes[k]);
        if (reduced < best.reduced) best = {k, reduced};
    };
    const auto begin = among.first / block_points;
    const auto count = among.last / block_points - begin + 1;
    const auto level = functions.simd_level();
    const auto *least_costs = blocks.least_costs + begin;
    const auto promising =
        least_reduced_within(level, extreme_sizes + begin, least_costs, of_blocks + begin, count, rest, sum.longest);
    if (promising == count) return best;
    scan(begin + promising);
    // The bound of a block rounds two products and two differences.
    const auto products = (std::abs(tilt) + std::abs(multiplier)) * static_cast<double>(sizes[among.last]);
    const auto denormal = std::numeric_limits<double>::denorm_min();
    const auto most = [&] {
        return best.reduced + 8 * (unit_roundoff * (products + std::abs(best.reduced)) + denormal);
    };
    constexpr std::size_t at_once = 64;
    for (std::size_t from = 0; from < count; from += at_once) {
        const auto part = std::min(at_once, count - from);
        auto mask = blocks_within(level, least_costs + from, extreme_sizes + begin + from, part,
                                  {rest, sizes[among.last], most()});
        for (; mask != 0; mask &= mask - 1) {
            const auto b = from + static_cast<std::size_t>(std::countr_zero(mask));
            if (b != promising && of_blocks[begin + b] <= sum.longest) scan(begin + b);
        }
    }
    return best;
}

} // namespace hpart
