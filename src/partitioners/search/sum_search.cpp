// Problem: choose one option of each class, sizes summing to a target, such that the sum of the costs, added in double from the
// first class to the last, is least among all choices; only those of a sum <= cap matter.
//
// Dynamic program over the classes in order. A state is (size assigned so far, least left-to-right sum). fl(a + b) does not fall as
// a rises, so a smaller partial sum of the same size is never worse in the end: keeping the least is exact for the sum as computed.
// - Core: an option whose reduced cost alone passes the cap is dropped (CoreFilter).
// - A state is dropped when its sum plus the relaxation of the classes to come passes the cap, or when these cannot fill the rest.
// Both bounds carry the rounding of relaxation.hpp, so that only what is provably above the cap is dropped, and a choice <= cap
// survives whole. Walking back, the smallest size that attains the sum is taken: every state on that walk has a completion <= cap,
// hence was kept with its true least sum. So the choice found depends on the instance alone.
// Time: sum over the classes of states x core options (and sorting where sums are sparse). Memory: 16 bytes a state.
// Source: design of hpart; core and cap after Pisinger's multiple-choice knapsack.
#include "partitioners/search/sum_search.hpp"

#include "core/checked.hpp"
#include "partitioners/search/limits.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hpart
{

namespace
{

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Option {
    std::int64_t size;
    double cost;
};

struct State {
    std::int64_t size;
    double cost;
};

bool comes_before(const State &a, const State &b) { return a.size != b.size ? a.size < b.size : a.cost < b.cost; }

// After the class `owner`, which had several options; the classes from there to the next layer have one each.
struct Layer {
    std::size_t owner;
    std::vector<State> states;
};

class Search
{
  public:
    Search(const SumProblem &problem, double cap, Control &control, Work &work)
        : problem_(problem), cap_(cap), control_(control), work_(work), pacer_(control, "searching the least sum"),
          bound_(problem.choices, problem.relaxation)
    {
    }

    std::optional<std::vector<std::int64_t>> run();

  private:
    std::size_t classes() const { return problem_.choices.classes(); }
    bool collect_core();
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
    std::span<const State> states_that_fit(Window window, const Option &option) const;
    bool may_end_under_cap(const State &state);
    void keep_cheapest(std::vector<State> &states);
    std::int64_t free_bytes() const { return control_.memory_limit() - bytes_kept_; }
    void keep_layer(std::size_t i);
    std::optional<std::size_t> best_end() const;
    std::vector<std::int64_t> walk_back(std::size_t index) const;
    const State *before(std::size_t layer, const State &after, const Option &option) const;
    std::span<const Option> core_of(std::size_t i) const
    {
        return {core_.data() + core_first_[i], core_first_[i + 1] - core_first_[i]};
    }

    const SumProblem &problem_;
    double cap_;
    Control &control_;
    Work &work_;
    Pacer pacer_;
    SuffixBound bound_;
    std::vector<Option> core_;
    std::vector<std::size_t> core_first_;
    std::vector<std::int64_t> smallest_left_; // sums of the core's sizes of the classes from i on
    std::vector<std::int64_t> largest_left_;
    bool sums_are_finite_ = true;
    std::vector<State> states_;
    std::vector<State> next_;
    std::vector<double> window_;
    std::vector<Layer> layers_;
    std::int64_t bytes_kept_ = 0;
};

bool Search::collect_core()
{
    const auto &choices = problem_.choices;
    const CoreFilter filter(choices, problem_.target, problem_.relaxation, cap_);
    double largest_sum = 0;
    core_first_.assign(1, 0);
    for (std::size_t i = 0; i < classes(); ++i) {
        double largest = 0;
        for (auto k = choices.first[i]; k < choices.first[i + 1]; ++k) {
            if (!filter.keeps(i, k)) continue;
            core_.push_back({choices.sizes[k], choices.costs[k]});
            largest = std::max(largest, choices.costs[k]);
        }
        if (core_.size() == core_first_.back()) return false;
        core_first_.push_back(core_.size());
        largest_sum += largest;
    }
    sums_are_finite_ = largest_sum < infinity;
    return true;
}

bool Search::may_reach_target()
{
    smallest_left_.assign(classes() + 1, 0);
    largest_left_.assign(classes() + 1, 0);
    for (auto i = classes(); i-- > 0;) {
        smallest_left_[i] = saturating_add(smallest_left_[i + 1], core_of(i).front().size);
        largest_left_[i] = saturating_add(largest_left_[i + 1], core_of(i).back().size);
    }
    return smallest_left_[0] <= problem_.target && problem_.target <= largest_left_[0];
}

void Search::take_only_option(std::size_t i)
{
    const auto option = core_of(i).front();
    for (auto &state : states_) {
        state.size += option.size;
        state.cost += option.cost;
    }
    pacer_.spend(static_cast<std::int64_t>(states_.size()));
}

// Sizes after class i from which the target can still be met.
Search::Window Search::useful_sizes(std::size_t i) const
{
    const auto core = core_of(i);
    return {std::max(problem_.target - largest_left_[i + 1], states_.front().size + core.front().size),
            std::min(problem_.target - smallest_left_[i + 1], saturating_add(states_.back().size, core.back().size))};
}

std::span<const State> Search::states_that_fit(Window window, const Option &option) const
{
    const auto begin = std::partition_point(
        states_.begin(), states_.end(), [&](const State &state) { return state.size < window.lowest - option.size; });
    const auto end = std::partition_point(
        begin, states_.end(), [&](const State &state) { return state.size <= window.highest - option.size; });
    return {begin, end};
}

bool Search::may_end_under_cap(const State &state)
{
    const auto rest = bound_.at_most(problem_.target - state.size);
    const auto slack = problem_.relaxation.rounding() * (state.cost + rest.magnitude) + problem_.relaxation.underflow();
    return !(state.cost + rest.cost - slack > cap_);
}

void Search::branch(std::size_t i)
{
    bound_.rebuild(i);
    const auto window = useful_sizes(i);
    next_.clear();
    if (window.lowest <= window.highest) {
        const auto width = static_cast<double>(window.highest - window.lowest) + 1;
        const auto candidates = static_cast<double>(states_.size()) * static_cast<double>(core_of(i).size());
        const bool dense = sums_are_finite_ && width <= 4 * candidates + 64 &&
                           width * sizeof(double) <= static_cast<double>(free_bytes());
        if (dense)
            branch_densely(i, window);
        else
            branch_sparsely(i, window);
    }
    std::swap(states_, next_);
    keep_layer(i);
}

void Search::branch_densely(std::size_t i, Window window)
{
    const auto width = static_cast<std::size_t>(window.highest - window.lowest + 1);
    window_.assign(width, infinity);
    for (const auto &option : core_of(i)) {
        auto *sums = window_.data();
        const auto shift = option.size - window.lowest;
        const auto fitting = states_that_fit(window, option);
        for (const auto &state : fitting) {
            auto &sum = sums[state.size + shift];
            sum = std::min(sum, state.cost + option.cost);
        }
        pacer_.spend(static_cast<std::int64_t>(fitting.size()));
    }
    bound_.start();
    for (std::size_t k = 0; k < width; ++k) {
        pacer_.spend(1);
        if (window_[k] == infinity) continue;
        const State state{window.lowest + static_cast<std::int64_t>(k), window_[k]};
        if (may_end_under_cap(state)) next_.push_back(state);
    }
}

void Search::branch_sparsely(std::size_t i, Window window)
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
void Search::keep_cheapest(std::vector<State> &states)
{
    std::sort(states.begin(), states.end(), paced(pacer_, comes_before));
    std::size_t kept = 0;
    for (const auto &state : states) {
        if (kept == 0 || states[kept - 1].size != state.size) states[kept++] = state;
    }
    states.resize(kept);
}

void Search::keep_layer(std::size_t i)
{
    const auto bytes = static_cast<std::int64_t>(states_.size() * sizeof(State));
    if (bytes > free_bytes()) fail_memory(control_.memory_limit());
    bytes_kept_ += bytes;
    work_.states += static_cast<std::int64_t>(states_.size());
    layers_.push_back({i, states_});
}

std::optional<std::size_t> Search::best_end() const
{
    for (std::size_t k = 0; k < states_.size(); ++k)
        if (states_[k].size == problem_.target && states_[k].cost <= cap_) return k;
    return std::nullopt;
}

// The state of the layer that became `after` by the only options that follow it and then `option`; null when there is none.
const State *Search::before(std::size_t layer, const State &after, const Option &option) const
{
    const auto begin = layers_[layer].owner + 1;
    const auto end = layers_[layer + 1].owner;
    const auto size = after.size - option.size - (smallest_left_[begin] - smallest_left_[end]);
    const auto &states = layers_[layer].states;
    const auto found = std::lower_bound(states.begin(), states.end(), size,
                                        [](const State &state, std::int64_t wanted) { return state.size < wanted; });
    if (found == states.end() || found->size != size) return nullptr;
    auto cost = found->cost;
    for (auto i = begin; i < end; ++i) cost += core_of(i).front().cost;
    return cost + option.cost == after.cost ? &*found : nullptr;
}

std::vector<std::int64_t> Search::walk_back(std::size_t index) const
{
    std::vector<std::int64_t> sizes(classes());
    for (std::size_t i = 0; i < classes(); ++i) sizes[i] = core_of(i).front().size;
    const auto *state = &layers_.back().states[index];
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

std::optional<std::vector<std::int64_t>> Search::run()
{
    ++work_.searches;
    if (!collect_core() || !may_reach_target()) return std::nullopt;
    states_.assign(1, {0, 0.0});
    layers_.push_back({std::numeric_limits<std::size_t>::max(), states_});
    for (std::size_t i = 0; i < classes() && !states_.empty(); ++i) {
        if (core_of(i).size() == 1)
            take_only_option(i);
        else
            branch(i);
    }
    const auto end = best_end();
    if (!end) return std::nullopt;
    return walk_back(*end);
}

} // namespace

std::optional<std::vector<std::int64_t>> search_under_cap(const SumProblem &problem, double cap, Control &control,
                                                          Work &work)
{
    return Search(problem, cap, control, work).run();
}

} // namespace hpart
