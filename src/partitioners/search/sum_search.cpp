// Problem: choose one option of each class, sizes summing to a target, such that the sum of the costs is least among all choices;
// only those of a sum <= cap matter.
//
// Dynamic program over the classes in order. A state is (size assigned so far, least sum). Sums are compared exactly; beside them
// stand sums in double for the bounds:
// - Core: an option whose reduced cost alone passes the cap is dropped (CoreFilter).
// - A state is dropped when its sum plus the relaxation of the classes to come passes the cap, or when these cannot fill the rest.
// Both bounds carry the rounding of relaxation.hpp, so that only what is provably above the cap is dropped, and a choice <= cap
// survives whole. Walking back, the smallest size that attains the sum is taken: every state on that walk has a completion <= cap,
// hence was kept with its true least sum. So the choice found depends on the instance alone.
// Time: sum over the classes of states x core options (and sorting where sums are sparse). Memory: 32 bytes a state.
// Source: design of hpart; core and cap after Pisinger's multiple-choice knapsack.
#include "partitioners/search/sum_search.hpp"

#include "core/checked.hpp"
#include "core/doubles.hpp"
#include "partitioners/search/exact_costs.hpp"
#include "partitioners/search/limits.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hpart
{

namespace
{

// The options that can be part of a choice within the cap, function after function.
struct SumCore {
    std::vector<std::size_t> options; // of the choices
    std::vector<std::size_t> first{0};
    double largest_sum = 0;
};

std::optional<SumCore> collect_core(const SumProblem &problem, double cap)
{
    const auto &choices = problem.choices;
    const CoreFilter filter(choices, problem.target, problem.relaxation, cap);
    SumCore core;
    const auto copies = choices.copies();
    for (std::size_t f = 0; f < choices.functions(); ++f) {
        double largest = 0;
        for (auto k = choices.first[f]; k < choices.first[f + 1]; ++k) {
            if (!filter.keeps(f, k)) continue;
            core.options.push_back(k);
            largest = std::max(largest, choices.costs[k]);
        }
        if (core.options.size() == core.first.back()) return std::nullopt;
        core.first.push_back(core.options.size());
        core.largest_sum += static_cast<double>(copies[f]) * largest;
    }
    return core;
}

template <typename Exact> class SumSearch
{
  public:
    SumSearch(const SumProblem &problem, const SumCore &core, const std::vector<Exact> &exact, double cap,
              Control &control, Work &work)
        : problem_(problem), core_first_(core.first), sums_are_finite_(core.largest_sum < infinity), cap_(cap),
          control_(control), work_(work), pacer_(control, "searching the least sum"),
          bound_(problem.choices, problem.relaxation)
    {
        core_.reserve(core.options.size());
        for (std::size_t j = 0; j < core.options.size(); ++j) {
            const auto k = core.options[j];
            core_.push_back({problem.choices.sizes[k], {problem.choices.costs[k], exact[j]}});
        }
    }

    template <typename AsSum> std::optional<std::vector<std::int64_t>> run(const AsSum &as_sum);

  private:
    using Sum = SummedCost<Exact>;
    struct State { // an option, or a partial choice
        std::int64_t size;
        Sum cost;
    };
    // After the class `owner`, which had several options; the classes from there to the next layer have one each.
    struct Layer {
        std::size_t owner;
        std::vector<State> states;
    };
    static bool comes_before(const State &a, const State &b)
    {
        return a.size != b.size ? a.size < b.size : a.cost < b.cost;
    }

    std::size_t classes() const { return problem_.choices.classes(); }
    bool may_reach_target();
    void take_only_option(std::size_t i);
    struct Window {
        std::int64_t lowest;
        std::int64_t highest;
    };
    Window useful_sizes(std::size_t i) const;
    void branch(std::size_t i);
    void branch_densely(std::size_t i, Window window);
    void branch_sparsely(std::size_t i, Window window);
    std::span<const State> states_that_fit(Window window, const State &option) const;
    bool may_end_under_cap(const State &state);
    void keep_cheapest(std::vector<State> &states);
    std::int64_t free_bytes() const { return control_.memory_limit() - bytes_kept_; }
    void keep_layer(std::size_t i);
    std::vector<std::int64_t> walk_back() const;
    const State *before(std::size_t layer, const State &after, const State &option) const;
    std::span<const State> core_of(std::size_t i) const
    {
        const auto f = problem_.choices.function_of[i];
        return {core_.data() + core_first_[f], core_first_[f + std::size_t{1}] - core_first_[f]};
    }

    const SumProblem &problem_;
    std::vector<State> core_;
    const std::vector<std::size_t> &core_first_;
    bool sums_are_finite_;
    double cap_;
    Control &control_;
    Work &work_;
    Pacer pacer_;
    SuffixBound bound_;
    std::vector<std::int64_t> smallest_left_; // sums of the core's sizes of the classes from i on
    std::vector<std::int64_t> largest_left_;
    std::vector<State> states_;
    std::vector<State> next_;
    std::vector<Sum> window_;
    std::vector<Layer> layers_;
    std::int64_t bytes_kept_ = 0;
};

template <typename Exact> bool SumSearch<Exact>::may_reach_target()
{
    smallest_left_.assign(classes() + 1, 0);
    largest_left_.assign(classes() + 1, 0);
    for (auto i = classes(); i-- > 0;) {
        smallest_left_[i] = saturating_add(smallest_left_[i + 1], core_of(i).front().size);
        largest_left_[i] = saturating_add(largest_left_[i + 1], core_of(i).back().size);
    }
    return smallest_left_[0] <= problem_.target && problem_.target <= largest_left_[0];
}

template <typename Exact> void SumSearch<Exact>::take_only_option(std::size_t i)
{
    const auto option = core_of(i).front();
    for (auto &state : states_) {
        state.size += option.size;
        state.cost = state.cost + option.cost;
    }
    pacer_.spend(static_cast<std::int64_t>(states_.size()));
}

// Sizes after class i from which the target can still be met.
template <typename Exact> auto SumSearch<Exact>::useful_sizes(std::size_t i) const -> Window
{
    const auto core = core_of(i);
    return {std::max(problem_.target - largest_left_[i + 1], states_.front().size + core.front().size),
            std::min(problem_.target - smallest_left_[i + 1], saturating_add(states_.back().size, core.back().size))};
}

template <typename Exact>
auto SumSearch<Exact>::states_that_fit(Window window, const State &option) const -> std::span<const State>
{
    const auto begin = std::partition_point(
        states_.begin(), states_.end(), [&](const State &state) { return state.size < window.lowest - option.size; });
    const auto end = std::partition_point(
        begin, states_.end(), [&](const State &state) { return state.size <= window.highest - option.size; });
    return {begin, end};
}

template <typename Exact> bool SumSearch<Exact>::may_end_under_cap(const State &state)
{
    const auto rest = bound_.at_most(problem_.target - state.size);
    const auto slack =
        problem_.relaxation.rounding() * (state.cost.nearly + rest.magnitude) + problem_.relaxation.underflow();
    return !(state.cost.nearly + rest.cost - slack > cap_);
}

template <typename Exact> void SumSearch<Exact>::branch(std::size_t i)
{
    bound_.rebuild(i);
    const auto window = useful_sizes(i);
    next_.clear();
    if (window.lowest <= window.highest) {
        const auto width = static_cast<double>(window.highest - window.lowest) + 1;
        const auto candidates = static_cast<double>(states_.size()) * static_cast<double>(core_of(i).size());
        const bool dense = sums_are_finite_ && width <= 4 * candidates + 64 &&
                           width * sizeof(Sum) <= static_cast<double>(free_bytes());
        if (dense)
            branch_densely(i, window);
        else
            branch_sparsely(i, window);
    }
    std::swap(states_, next_);
    keep_layer(i);
}

template <typename Exact> void SumSearch<Exact>::branch_densely(std::size_t i, Window window)
{
    const auto width = static_cast<std::size_t>(window.highest - window.lowest + 1);
    window_.assign(width, {infinity, {}});
    for (const auto &option : core_of(i)) {
        auto *sums = window_.data();
        const auto shift = option.size - window.lowest;
        const auto fitting = states_that_fit(window, option);
        for (const auto &state : fitting) {
            auto &sum = sums[state.size + shift];
            const auto fresh = state.cost + option.cost;
            if (sum.nearly == infinity || fresh < sum) sum = fresh;
        }
        pacer_.spend(static_cast<std::int64_t>(fitting.size()));
    }
    bound_.start();
    for (std::size_t k = 0; k < width; ++k) {
        pacer_.spend(1);
        if (window_[k].nearly == infinity) continue;
        const State state{window.lowest + static_cast<std::int64_t>(k), window_[k]};
        if (may_end_under_cap(state)) next_.push_back(state);
    }
}

template <typename Exact> void SumSearch<Exact>::branch_sparsely(std::size_t i, Window window)
{
    // Two such lists, and the layer to be kept.
    const auto most = static_cast<std::size_t>(std::max<std::int64_t>(free_bytes(), 0)) / (3 * sizeof(State));
    for (const auto &option : core_of(i)) {
        bound_.start();
        const auto fitting = states_that_fit(window, option);
        for (const auto &state : fitting) {
            const State fresh{state.size + option.size, state.cost + option.cost};
            if (may_end_under_cap(fresh)) next_.push_back(fresh);
            pacer_.spend(1);
        }
        if (next_.size() <= most) continue;
        keep_cheapest(next_);
        if (next_.size() > most / 2) fail_memory(control_.memory_limit());
    }
    keep_cheapest(next_);
}

// Leaves one state of each size, in increasing order.
template <typename Exact> void SumSearch<Exact>::keep_cheapest(std::vector<State> &states)
{
    std::sort(states.begin(), states.end(), paced(pacer_, comes_before));
    std::size_t kept = 0;
    for (const auto &state : states) {
        if (kept == 0 || states[kept - 1].size != state.size) states[kept++] = state;
    }
    states.resize(kept);
}

template <typename Exact> void SumSearch<Exact>::keep_layer(std::size_t i)
{
    const auto bytes = static_cast<std::int64_t>(states_.size() * sizeof(State));
    if (bytes > free_bytes()) fail_memory(control_.memory_limit());
    bytes_kept_ += bytes;
    work_.states += static_cast<std::int64_t>(states_.size());
    layers_.push_back({i, states_});
}

// The state of the layer that became `after` by the only options that follow it and then `option`; null when there is none.
template <typename Exact>
auto SumSearch<Exact>::before(std::size_t layer, const State &after, const State &option) const -> const State *
{
    const auto begin = layers_[layer].owner + 1;
    const auto end = layers_[layer + 1].owner;
    const auto size = after.size - option.size - (smallest_left_[begin] - smallest_left_[end]);
    const auto &states = layers_[layer].states;
    const auto found = std::lower_bound(states.begin(), states.end(), size,
                                        [](const State &state, std::int64_t wanted) { return state.size < wanted; });
    if (found == states.end() || found->size != size) return nullptr;
    auto cost = found->cost;
    for (auto i = begin; i < end; ++i) cost = cost + core_of(i).front().cost;
    return cost + option.cost == after.cost ? &*found : nullptr;
}

template <typename Exact> std::vector<std::int64_t> SumSearch<Exact>::walk_back() const
{
    std::vector<std::int64_t> sizes(classes());
    for (std::size_t i = 0; i < classes(); ++i) sizes[i] = core_of(i).front().size;
    const auto *state = &layers_.back().states.front();
    for (auto layer = layers_.size() - 1; layer > 0; --layer) {
        const auto owner = layers_[layer].owner;
        for (const auto &option : core_of(owner))
            if (const auto *previous = before(layer - 1, *state, option)) {
                sizes[owner] = option.size;
                state = previous;
                break;
            }
    }
    return sizes;
}

template <typename Exact>
template <typename AsSum>
std::optional<std::vector<std::int64_t>> SumSearch<Exact>::run(const AsSum &as_sum)
{
    if (!may_reach_target()) return std::nullopt;
    states_.assign(1, {0, {}});
    layers_.push_back({std::numeric_limits<std::size_t>::max(), states_});
    for (std::size_t i = 0; i < classes() && !states_.empty(); ++i) {
        if (core_of(i).size() == 1)
            take_only_option(i);
        else
            branch(i);
    }
    // Windows leave no size but the target.
    if (states_.empty() || states_.front().size != problem_.target) return std::nullopt;
    if (as_sum(states_.front().cost.exact).rounded() > cap_) return std::nullopt;
    return walk_back();
}

} // namespace

std::optional<std::vector<std::int64_t>> search_under_cap(const SumProblem &problem, double cap, Control &control,
                                                          Work &work)
{
    ++work.searches;
    const auto core = collect_core(problem, cap);
    if (!core) return std::nullopt;
    std::vector<double> costs;
    costs.reserve(core->options.size());
    for (const auto k : core->options) costs.push_back(problem.choices.costs[k]);
    return with_exact_costs(costs, problem.choices.classes(),
                            [&]<typename Exact>(const std::vector<Exact> &exact, const auto &as_sum) {
                                return SumSearch<Exact>(problem, *core, exact, cap, control, work).run(as_sum);
                            });
}

} // namespace hpart
