// Rounding (u = 2^-53). With f_i the computed least of class i and r_i the computed reduced costs of a choice x that sums to n, the
// real sum of costs is multiplier x n + sum f_i + sum r_i up to the roundings of the products, at most 2u |multiplier| n in all as the
// sizes sum to n, of the differences, at most u sum (|f_i| + 2 r_i), and of the sum of the r_i. The left-to-right sum of p costs,
// none below 0, has a relative error of (p - 1) u. Together below 8u (p + 8) (|multiplier| n + sum |f_i| + sum r_i), which is
// core_margin with a cap on sum r_i; costs near the smallest double add as many times that.
// The convex hulls only propose: f_i is the least over the points themselves, whatever the hull was.
#include "partitioners/sums/core.hpp"

#include "core/checked.hpp"

#include <algorithm>
#include <cmath>

namespace hpart
{

namespace
{

constexpr double unit_roundoff = 0x1p-53;
constexpr double infinity = std::numeric_limits<double>::infinity();

double cost_at(const SumOverFunctions &sum, const BaseChoice &base, std::size_t point)
{
    return sum.functions.costs()[point] - base.multiplier * static_cast<double>(sum.functions.sizes()[point]);
}

// Appends the points of a function of cost - multiplier x size <= most.
void collect(const SumOverFunctions &sum, const BaseChoice &base, std::size_t i, double most,
             std::vector<CorePoint> &out)
{
    const auto &functions = sum.functions;
    const auto f = sum.function_of[i];
    const auto *sizes = functions.sizes();
    const auto *costs = functions.costs();
    const auto base_size = sizes[base.points[i]];
    const auto largest = static_cast<double>(sum.target);
    auto from = functions.begin(f);
    double before = 0; // sizes of a block are not below those of the block before
    for (const auto &block : functions.blocks(f)) {
        const auto to = std::min(from + CostFunctions::block_points, functions.end(f));
        const auto size = base.multiplier >= 0 ? std::min(block.last_size, largest) : before;
        if (block.least_cost - base.multiplier * size <= most)
            for (auto k = from; k < to; ++k) {
                const auto reduced = costs[k] - base.multiplier * static_cast<double>(sizes[k]);
                if (reduced <= most && sizes[k] <= sum.target) out.push_back({sizes[k] - base_size, reduced, k});
            }
        before = block.last_size;
        from = to;
    }
}

// The least two reduced costs of a shift, of different classes.
struct Cheapest {
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

constexpr std::int64_t widest_table = 1 << 16; // of shifts, in complete_by_two

} // namespace

double core_margin(const SumOverFunctions &sum, const BaseChoice &base, double cap)
{
    double magnitude = std::abs(base.multiplier) * static_cast<double>(sum.target) + cap;
    for (const auto point : base.points) magnitude += std::abs(cost_at(sum, base, point));
    const auto terms = 8 * (static_cast<double>(sum.classes()) + 8);
    return terms * (unit_roundoff * magnitude + std::numeric_limits<double>::denorm_min());
}

Core collect_core(const SumOverFunctions &sum, const BaseChoice &base, double cap)
{
    Core core;
    core.cap = cap;
    core.first.reserve(sum.classes() + 1);
    core.least.reserve(sum.classes());
    core.points.reserve(2 * sum.classes());
    core.first.push_back(0);
    for (std::size_t i = 0; i < sum.classes(); ++i) {
        collect(sum, base, i, cost_at(sum, base, base.points[i]) + cap, core.points);
        const auto points = std::span(core.points).subspan(core.first.back());
        auto least = infinity;
        for (const auto &point : points) least = std::min(least, point.reduced);
        for (auto &point : points) point.reduced -= least;
        core.least.push_back(least);
        core.first.push_back(core.points.size());
    }
    return core;
}

std::optional<double> move_base(const SumOverFunctions &sum, BaseChoice &base, Core &core)
{
    double fall = 0;
    for (std::size_t i = 0; i < core.classes(); ++i) {
        const auto above = cost_at(sum, base, base.points[i]) - core.least[i];
        if (!(above > 0)) continue;
        fall += above;
        const auto points = std::span(core.points).subspan(core.first[i], core.first[i + 1] - core.first[i]);
        const auto best = *std::find_if(points.begin(), points.end(), [](auto &point) { return point.reduced == 0; });
        for (auto &point : points) point.shift -= best.shift;
        base.points[i] = best.point;
        const auto left = checked_add(base.residual, -best.shift);
        if (!left) return std::nullopt;
        base.residual = *left;
        base.open.reset();
    }
    return fall;
}

Completion complete_by_one(const SumOverFunctions &sum, const BaseChoice &base)
{
    Completion best;
    std::size_t changed = 0;
    std::size_t changed_to = 0;
    bool moves_open = false;
    const auto try_all = [&](std::int64_t residual, std::size_t but, double already) {
        for (std::size_t i = 0; i < sum.classes(); ++i) {
            if (i == but) continue;
            const auto f = sum.function_of[i];
            const auto from = base.points[i];
            const auto to = sum.functions.find(f, sum.functions.sizes()[from] + residual);
            if (to == sum.functions.end(f) || sum.functions.costs()[to] == infinity) continue;
            const auto reduced = already + (cost_at(sum, base, to) - cost_at(sum, base, from));
            if (!(reduced < best.reduced)) continue;
            best.reduced = reduced;
            changed = i;
            changed_to = to;
            moves_open = but < sum.classes();
        }
    };
    if (base.residual == 0) return {0, base.points};
    try_all(base.residual, sum.classes(), 0);
    if (base.open) {
        const auto [owner, next] = *base.open;
        const auto move = sum.functions.sizes()[next] - sum.functions.sizes()[base.points[owner]];
        try_all(base.residual - move, owner, cost_at(sum, base, next) - cost_at(sum, base, base.points[owner]));
    }
    if (best.reduced == infinity) return best;
    best.points = base.points;
    if (moves_open) best.points[base.open->owner] = base.open->next;
    best.points[changed] = changed_to;
    best.reduced = std::max(0.0, best.reduced);
    return best;
}

Completion complete_by_two(const BaseChoice &base, const Core &core)
{
    Completion best;
    std::int64_t low = 0;
    std::int64_t high = 0;
    for (const auto &point : core.points) {
        low = std::min(low, point.shift);
        high = std::max(high, point.shift);
    }
    if (low < -widest_table || high > widest_table) return best;
    std::vector<Cheapest> table(static_cast<std::size_t>(high - low + 1));
    for (std::size_t i = 0; i < core.classes(); ++i)
        for (const auto &point : core.of(i))
            table[static_cast<std::size_t>(point.shift - low)].see(point.reduced, static_cast<std::uint32_t>(i),
                                                                   point.point);
    std::size_t changed[2] = {0, 0};
    std::size_t to[2] = {0, 0};
    for (std::size_t i = 0; i < core.classes(); ++i)
        for (const auto &point : core.of(i)) {
            const auto wanted = base.residual - point.shift;
            if (wanted < low || wanted > high) continue;
            const auto &other = table[static_cast<std::size_t>(wanted - low)];
            const std::size_t which = other.owner[0] == i ? 1 : 0;
            if (!(point.reduced + other.reduced[which] < best.reduced)) continue;
            best.reduced = point.reduced + other.reduced[which];
            changed[0] = i;
            to[0] = point.point;
            changed[1] = other.owner[which];
            to[1] = other.point[which];
        }
    if (best.reduced == infinity) return best;
    best.points = base.points;
    for (int which = 0; which < 2; ++which) best.points[changed[which]] = to[which];
    return best;
}

} // namespace hpart
