// Problem: several choices whose sums of reduced costs double cannot tell apart. Which one costs least?
//
// Backwards from the end, a sum before a stage is near when a choice within the margin of the least passes through it: the layer's
// value there is at most the budget that the stages after it leave. Forwards through the near sums alone, least sums of costs are exact
// (exact_costs.hpp). The margin covers all roundings (core.cpp), so that every choice of least cost is among these.
// Time: near sums x points, up to eight times that in the best order. Source: design of hpart.
#include "core/numbers.hpp"
#include "partitioners/search/core_program.hpp"
#include "partitioners/search/exact_costs.hpp"

#include <algorithm>
#include <limits>

namespace hpart
{

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

} // namespace hpart
