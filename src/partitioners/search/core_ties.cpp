// Problem: several choices whose sums of reduced costs double cannot tell apart. Which one costs least?
//
// Backwards from the end, a sum before a stage is near when a choice within the margin of the least passes through it: the layer's
// value there is at most the budget that the stages after it leave. Forwards through the near sums alone, least sums of costs are exact
// (exact_costs.hpp). The margin covers all roundings (core.cpp), so that every choice of least cost is among these.
// Time: near sums x points. Source: design of hpart.
#include "partitioners/search/core_program.hpp"
#include "partitioners/search/exact_costs.hpp"

#include <algorithm>
#include <limits>

namespace hpart
{

namespace
{
constexpr double infinity = std::numeric_limits<double>::infinity();
}

CoreProgram::NearSums CoreProgram::near_sums(Control &control)
{
    Pacer pacer(control, "deciding among equal sums");
    pacer_ = &pacer;
    NearSums near(stages_.size());
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

template <typename Exact>
std::vector<BasePoint> CoreProgram::decide(const NearSums &sums, const std::vector<Exact> &costs,
                                           Control &control) const
{
    Pacer pacer(control, "deciding among equal sums");
    struct Least {
        Exact cost{};
        bool is_reached = false;
    };
    std::vector<std::vector<Least>> least(sums.size());
    for (std::size_t z = 0; z < sums.size(); ++z) least[z].resize(sums[z].size());
    least.front().front().is_reached = true;
    // Calls visit(before, after) for the indices of sums that the point joins.
    const auto join = [&](std::size_t z, std::size_t k, const auto &visit) {
        std::size_t after = 0;
        for (std::size_t before = 0; before < sums[z].size(); ++before) {
            const auto sum = sums[z][before] + points_[k].shift;
            while (after < sums[z + 1].size() && sums[z + 1][after] < sum) ++after;
            if (after == sums[z + 1].size()) return;
            if (sums[z + 1][after] == sum && least[z][before].is_reached) visit(before, after);
        }
    };
    for (std::size_t z = 0; z < stages_.size(); ++z)
        for (auto k = stages_[z].begin; k < stages_[z].end; ++k) {
            join(z, k, [&](std::size_t before, std::size_t after) {
                auto cost = least[z][before].cost + costs[k];
                auto &now = least[z + 1][after];
                if (!now.is_reached || cost < now.cost) now = {std::move(cost), true};
            });
            pacer.spend(static_cast<std::int64_t>(sums[z].size() + sums[z + 1].size()));
        }
    auto points = problem_.base.points;
    std::size_t at = 0;
    for (auto z = stages_.size(); z-- > 0;) {
        std::size_t best = 0;
        std::size_t from = 0;
        for (auto k = stages_[z].begin; k < stages_[z].end; ++k) // by falling size: the smallest of equals stays
            join(z, k, [&](std::size_t before, std::size_t after) {
                if (after != at || !(least[z][before].cost + costs[k] == least[z + 1][at].cost)) return;
                best = k;
                from = before;
            });
        auto &chosen = points[stages_[z].owner];
        chosen = {points_[best].point, chosen.size + points_[best].shift, points_[best].cost};
        at = from;
    }
    return points;
}

std::optional<std::vector<BasePoint>> CoreProgram::run_exactly(Control &control, Work &work)
{
    if (!fill(control, work)) return std::nullopt;
    const auto sums = near_sums(control);
    if (sums.empty()) return std::nullopt;
    std::vector<double> costs;
    costs.reserve(points_.size());
    for (const auto &point : points_) costs.push_back(point.cost);
    return with_exact_costs(costs, stages_.size(),
                            [&](const auto &exact, const auto &) { return decide(sums, exact, control); });
}

} // namespace hpart
