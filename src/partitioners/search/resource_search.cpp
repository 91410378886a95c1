// Problem: choose one option of each class, sizes summing to a target, such that the sum of the costs is least, or the use of one of two
// resources, of which the options use whole amounts and which are bounded. Only choices of a sum of costs <= cap matter.
//
// Dynamic program over the classes in order. A state is (size, uses, sum) so far; it is dropped when another state of the
// same size has no use and no sum above its own. Uses and sums are exact, so what dominates goes on to
// dominate. Sums in double stand beside them for the bounds. A class with one option left is part of the first state.
// - An option or a state is dropped when a guide proves that it leads above the guide's limit. For weights w >= 0 every wanted
//   choice has cost + w use <= cap + w most, so the relaxation of these values bounds the classes to come (Lagrange). The guides
//   are the cost, each bounded resource, and the cost with the weights that make its relaxation's bound high. Values and limits
//   have roundings of their own, a few units in the last place of what relaxation.hpp allows for; twice its allowance is taken.
// - Wanted choices survive whole, and so do the choices that dominate them; walking back takes the smallest size that attains the
//   sum and the uses. So the choice found depends on the instance alone.
// Time: sum over the classes of states x core options, sorted. Memory: 48 bytes a state, 32 without resources.
// Source: design of hpart; core and cap after Pisinger's multiple-choice knapsack.

#include "partitioners/search/resource_search.hpp"

#include "core/numbers.hpp"
#include "partitioners/search/choices.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <type_traits>

namespace hpart
{

namespace
{

constexpr double roundings = 2; // of the relaxation's allowance

// The values that no choice wanted has above a limit.
struct LimitedGuide {
    const Guide &guide;
    double limit;
};

std::vector<LimitedGuide> limited(const std::vector<Guide> &guides, double cap, const ResourceUse &most)
{
    std::vector<LimitedGuide> out;
    for (const auto &guide : guides)
        if (const auto limit = guide.limit(cap, most); limit < infinity) out.push_back({guide, limit});
    return out;
}

// The options that can be part of a choice wanted, function after function.
struct ResourceCore {
    std::vector<std::size_t> options; // of the choices
    std::vector<std::size_t> first{0};
};

std::optional<ResourceCore> collect_resource_core(const ResourceProblem &problem,
                                                  const std::vector<LimitedGuide> &guides, const ResourceUse &most)
{
    std::vector<CoreFilter> filters;
    for (const auto &[guide, limit] : guides) {
        // The filter's own allowance is once the relaxation's; the other goes on top of the limit.
        const auto spare =
            (roundings - 1) * guide.relaxation.rounding() * std::abs(limit) + guide.relaxation.underflow();
        filters.emplace_back(guide.choices, problem.target, guide.relaxation, limit + spare);
    }
    const auto &choices = problem.choices;
    ResourceCore core;
    for (std::size_t f = 0; f < choices.functions(); ++f) {
        for (auto k = choices.first[f]; k < choices.first[f + 1]; ++k)
            if (is_within(problem.use(k), most) &&
                std::all_of(filters.begin(), filters.end(), [&](const auto &filter) { return filter.keeps(f, k); }))
                core.options.push_back(k);
        if (core.options.size() == core.first.back()) return std::nullopt;
        core.first.push_back(core.options.size());
    }
    return core;
}

template <typename Exact, typename Uses> class ResourceSearch
{
  public:
    ResourceSearch(const ResourceProblem &problem, const std::vector<LimitedGuide> &guides, const ResourceCore &core,
                   const std::vector<Exact> &exact, const ResourceUse &most, Prefer prefer, Control &control)
        : problem_(problem), core_first_(core.first), most_(most), prefer_(prefer), control_(control),
          pacer_(control, "searching the least sum under bounds")
    {
        for (const auto &[guide, limit] : guides) bounds_.push_back({guide, limit, {guide.choices, guide.relaxation}});
        core_.reserve(core.options.size());
        for (std::size_t j = 0; j < core.options.size(); ++j) {
            const auto k = core.options[j];
            core_.push_back({problem.choices.sizes[k], Uses(problem.use(k)), {problem.choices.costs[k], exact[j]}});
        }
    }

    template <typename AsSum> std::optional<std::vector<std::int64_t>> run(const AsSum &as_sum, const CostLimit &limit)
    {
        if (!take_only_options() || !may_reach_target()) return std::nullopt;
        for (std::size_t c = 0; c < owners_.size() && !states_.empty(); ++c) branch(c);
        const State *best = nullptr;
        for (const auto &state : states_) // all of them at the target
            if (is_within(state.use, most_) && limit.allows(as_sum(state.cost.exact)) &&
                (best == nullptr || is_better(state, *best)))
                best = &state;
        if (best == nullptr) return std::nullopt;
        return walk_back(*best);
    }

  private:
    using State = Entry<Exact, Uses>;
    struct Bound {
        const Guide &guide;
        double limit = 0;
        SuffixBound suffix;
    };

    // False when they are larger than the target.
    bool take_only_options()
    {
        const auto &choices = problem_.choices;
        State first;
        for (std::size_t i = 0; i < choices.classes(); ++i) {
            const auto f = choices.function_of[i];
            if (core_of(f).size() > 1) {
                owners_.push_back(i);
                continue;
            }
            if (core_of(f).front().size > problem_.target - first.size) return false;
            first = first + core_of(f).front();
            for (auto &bound : bounds_) bound.suffix.leave_out(f, 1);
            pacer_.spend(1);
        }
        states_.assign(1, first);
        layers_.push_back(states_);
        return true;
    }

    bool may_reach_target()
    {
        smallest_left_.assign(owners_.size() + 1, 0);
        largest_left_.assign(owners_.size() + 1, 0);
        for (auto c = owners_.size(); c-- > 0;) {
            smallest_left_[c] = saturating_add(smallest_left_[c + 1], core_of(function(c)).front().size);
            largest_left_[c] = saturating_add(largest_left_[c + 1], core_of(function(c)).back().size);
        }
        const auto left = problem_.target - states_.front().size;
        return smallest_left_[0] <= left && left <= largest_left_[0];
    }

    void branch(std::size_t c)
    {
        const auto f = function(c);
        for (auto &bound : bounds_) {
            bound.suffix.leave_out(f, 1);
            bound.suffix.rebuild();
        }
        const auto core = core_of(f);
        const Window window{
            std::max(problem_.target - largest_left_[c + 1], states_.front().size + core.front().size),
            std::min(problem_.target - smallest_left_[c + 1], saturating_add(states_.back().size, core.back().size))};
        next_.clear();
        if (window.lowest <= window.highest) {
            const auto width = static_cast<double>(window.highest - window.lowest) + 1;
            const auto candidates = static_cast<double>(states_.size()) * static_cast<double>(core.size());
            const bool is_dense = std::is_same_v<Uses, NoResourceUse> && width <= 4 * candidates + 64 &&
                                  width * sizeof(State) <= static_cast<double>(free_bytes());
            if (is_dense)
                branch_densely(core, window);
            else
                branch_sparsely(core, window);
        }
        std::swap(states_, next_);
        keep_layer();
    }

    struct Window { // sizes from which the target can still be met
        std::int64_t lowest;
        std::int64_t highest;
    };

    std::span<const State> states_that_fit(const State &option, Window window) const
    {
        const auto begin = std::partition_point(states_.begin(), states_.end(), [&](const State &state) {
            return state.size < window.lowest - option.size;
        });
        const auto end = std::partition_point(
            begin, states_.end(), [&](const State &state) { return state.size <= window.highest - option.size; });
        return {begin, end};
    }

    void branch_sparsely(std::span<const State> core, Window window)
    {
        // Two such lists, and the layer to be kept.
        const auto most = static_cast<std::size_t>(std::max<std::int64_t>(free_bytes(), 0)) / (3 * sizeof(State));
        for (const auto &option : core) {
            for (auto &bound : bounds_) bound.suffix.start();
            for (const auto &state : states_that_fit(option, window)) {
                const auto fresh = state + option;
                if (may_be_wanted(fresh)) next_.push_back(fresh);
                pacer_.spend(static_cast<std::int64_t>(1 + bounds_.size()));
            }
            if (next_.size() <= most) continue;
            drop_dominated();
            if (next_.size() > most / 2) fail_memory(control_.memory_limit());
        }
        drop_dominated();
    }

    // One place for each size of the window: where no uses tell states of one size apart.
    void branch_densely(std::span<const State> core, Window window)
    {
        State none;
        none.size = -1;
        std::vector<State> least(static_cast<std::size_t>(window.highest - window.lowest + 1), none);
        for (const auto &option : core) {
            const auto fitting = states_that_fit(option, window);
            for (const auto &state : fitting) {
                const auto fresh = state + option;
                auto &place = least[static_cast<std::size_t>(fresh.size - window.lowest)];
                if (place.size < 0 || fresh.cost < place.cost) place = fresh;
            }
            pacer_.spend(static_cast<std::int64_t>(fitting.size()));
        }
        for (auto &bound : bounds_) bound.suffix.start();
        for (const auto &state : least) {
            pacer_.spend(1);
            if (state.size >= 0 && may_be_wanted(state)) next_.push_back(state);
        }
    }

    // Asked for states whose sizes do not fall, after each bound's start().
    bool may_be_wanted(const State &state)
    {
        if (!is_within(state.use, most_)) return false;
        for (auto &[guide, limit, suffix] : bounds_) {
            const auto value = guide.value(state.cost.nearly, state.use);
            const auto rest = suffix.at_most(problem_.target - state.size);
            const auto slack = roundings * guide.relaxation.rounding() * (value + rest.magnitude + limit) +
                               roundings * guide.relaxation.underflow();
            if (value + rest.cost - slack > limit) return false;
        }
        return true;
    }

    // Leaves the states that no other of their size is as good as in all respects, in increasing order.
    void drop_dominated()
    {
        std::sort(next_.begin(), next_.end(), paced(pacer_, std::less<>()));
        Staircase<Exact> staircase;
        std::size_t kept = 0;
        for (const auto &state : next_) {
            pacer_.spend(1);
            if (kept == 0 || next_[kept - 1].size != state.size) staircase.clear();
            if (staircase.add(ResourceUse(state.use)[1], state.cost)) next_[kept++] = state;
        }
        next_.resize(kept);
    }

    std::int64_t free_bytes() const { return control_.memory_limit() - bytes_kept_; }

    void keep_layer()
    {
        const auto bytes = static_cast<std::int64_t>(states_.size() * sizeof(State));
        if (bytes > free_bytes()) fail_memory(control_.memory_limit());
        bytes_kept_ += bytes;
        control_.counters.states += static_cast<std::int64_t>(states_.size());
        layers_.push_back(states_);
    }

    bool is_better(const State &a, const State &b) const
    {
        const auto preferred = [&](const State &state) {
            switch (prefer_) {
            case Prefer::fewest_active: return ResourceUse(state.use)[0];
            case Prefer::least_moved: return ResourceUse(state.use)[1];
            case Prefer::least_cost: break;
            }
            return std::int64_t{0};
        };
        return std::make_tuple(preferred(a), std::cref(a.cost), a.use) <
               std::make_tuple(preferred(b), std::cref(b.cost), b.use);
    }

    std::vector<std::int64_t> walk_back(const State &end) const
    {
        const auto &choices = problem_.choices;
        std::vector<std::int64_t> sizes;
        sizes.reserve(choices.classes());
        for (const auto f : choices.function_of) sizes.push_back(core_of(f).front().size);
        const auto *state = &end;
        for (auto c = owners_.size(); c-- > 0;)
            for (const auto &option : core_of(function(c)))
                if (const auto *previous = before(c, *state, option)) {
                    sizes[owners_[c]] = option.size;
                    state = previous;
                    break;
                }
        return sizes;
    }

    // The state of the layer that became `after` by `option`; null when there is none.
    const State *before(std::size_t layer, const State &after, const State &option) const
    {
        const State wanted{after.size - option.size, Uses(minus(after.use, option.use)), {}};
        const auto &states = layers_[layer];
        const auto found = std::lower_bound(states.begin(), states.end(), wanted, [](const State &a, const State &b) {
            return std::tie(a.size, a.use) < std::tie(b.size, b.use);
        });
        if (found == states.end() || found->size != wanted.size || !(found->use == wanted.use)) return nullptr;
        return found->cost + option.cost == after.cost ? &*found : nullptr;
    }

    std::size_t function(std::size_t c) const { return problem_.choices.function_of[owners_[c]]; }
    std::span<const State> core_of(std::size_t f) const
    {
        return {core_.data() + core_first_[f], core_first_[f + 1] - core_first_[f]};
    }

    const ResourceProblem &problem_;
    std::vector<State> core_;
    const std::vector<std::size_t> &core_first_;
    ResourceUse most_;
    Prefer prefer_;
    Control &control_;
    Pacer pacer_;
    std::vector<Bound> bounds_;
    std::vector<std::size_t> owners_;         // the classes with several options
    std::vector<std::int64_t> smallest_left_; // sums of the core's sizes of the owners from c on
    std::vector<std::int64_t> largest_left_;
    std::vector<State> states_;
    std::vector<State> next_;
    std::vector<std::vector<State>> layers_; // before each owner, and after the last
    std::int64_t bytes_kept_ = 0;
};

} // namespace

Guide::Guide(const Choices &choices_given, const std::vector<ResourceUse> &uses, std::int64_t target,
             double on_cost_given, std::array<double, 2> weights_given)
    : on_cost(on_cost_given), weights(weights_given), choices(choices_given), relaxation([&] {
          for (std::size_t k = 0; k < uses.size(); ++k) choices.costs[k] = value(choices_given.costs[k], uses[k]);
          return Relaxation(choices, target);
      }())
{
}

double Guide::limit(double cap, const ResourceUse &most) const
{
    double sum = on_cost > 0 ? on_cost * cap : 0;
    for (std::size_t r = 0; r < most.size(); ++r) {
        if (weights[r] == 0) continue;
        if (most[r] == unbounded) return infinity;
        sum += weights[r] * static_cast<double>(most[r]);
    }
    return sum;
}

std::optional<std::vector<std::int64_t>> search_resources(const ResourceProblem &problem, const CostLimit &limit,
                                                          const ResourceUse &most, Prefer prefer, Control &control)
{
    ++control.counters.searches;
    const auto guides = limited(problem.guides, limit.cap(), most);
    const auto core = collect_resource_core(problem, guides, most);
    if (!core) return std::nullopt;
    std::vector<double> costs;
    costs.reserve(core->options.size());
    for (const auto k : core->options) costs.push_back(problem.choices.costs[k]);
    return with_exact_costs(
        costs, problem.choices.classes(), [&]<typename Exact>(const std::vector<Exact> &exact, const auto &as_sum) {
            const auto search = [&]<typename Uses>(Uses) {
                return ResourceSearch<Exact, Uses>(problem, guides, *core, exact, most, prefer, control)
                    .run(as_sum, limit);
            };
            return problem.uses.empty() ? search(NoResourceUse{}) : search(ResourceUse{});
        });
}

std::vector<ResourceUse> uses_of(const Choices &choices, std::span<const std::int64_t> previous)
{
    std::vector<ResourceUse> uses;
    uses.reserve(choices.sizes.size());
    std::size_t functions = 0;
    for (std::size_t i = 0; i < choices.classes(); ++i) {
        if (choices.function_of[i] < functions) continue;
        ++functions;
        for (const auto size : choices.sizes_of(i)) uses.push_back(use_of_size(size, i, previous));
    }
    return uses;
}

} // namespace hpart
