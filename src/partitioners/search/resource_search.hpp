// Search of all choices whose costs may sum to at most a cap and that use no more of two resources than the limits.
#pragma once

#include "core/numbers.hpp"
#include "core/progress.hpp"
#include "partitioners/search/choices.hpp"
#include "partitioners/search/cost_functions.hpp"
#include "partitioners/search/relaxation.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <tuple>
#include <vector>

namespace hpart
{

// Amounts of two resources that options use besides their cost: a processor's being active and the work moved to it; bounds of the cost.

// Integers >= 0; the sums over a choice stay below 2^53.
using ResourceUse = std::array<std::int64_t, 2>;

constexpr auto unbounded = std::numeric_limits<std::int64_t>::max();
constexpr ResourceUse unbounded_use{unbounded, unbounded};

inline ResourceUse plus(const ResourceUse &a, const ResourceUse &b) { return {a[0] + b[0], a[1] + b[1]}; }
inline ResourceUse minus(const ResourceUse &a, const ResourceUse &b) { return {a[0] - b[0], a[1] - b[1]}; }
inline bool is_within(const ResourceUse &use, const ResourceUse &most)
{
    return use[0] <= most[0] && use[1] <= most[1];
}

// 1 if the size is not 0; and its excess over the class's previous size, 0 without previous sizes.
inline ResourceUse use_of_size(std::int64_t size, std::size_t i, std::span<const std::int64_t> previous)
{
    return {size != 0 ? 1 : 0, previous.empty() ? 0 : std::max<std::int64_t>(0, size - previous[i])};
}

// The resources that each option uses. Classes of one function have equal previous sizes.
std::vector<ResourceUse> uses_of(const Choices &choices, std::span<const std::int64_t> previous);

// The costs that are allowed: rounded together with `beside`, at most `most`.
struct CostLimit {
    double most = std::numeric_limits<double>::infinity();
    ExactSum beside{}; // >= 0
    double least = 0;  // no sum of costs, rounded, is below: where it is known, a search takes less time

    bool allows(const ExactSum &cost) const { return (beside + cost).rounded() <= most; }
    // No cost above it is allowed.
    double cap() const { return (most - beside.rounded()) + 4 * std::numeric_limits<double>::epsilon() * most; }
};

// The value that is minimised first: cost, the first resource (active processors) or the second (work moved). The others break ties.
enum class Prefer : std::uint8_t { least_cost, fewest_active, least_moved };

// The states of resource_search.cpp.

// In place of uses, where no resource matters.
struct NoResourceUse {
    NoResourceUse() = default;
    explicit NoResourceUse(const ResourceUse &) {}
    operator ResourceUse() const { return {0, 0}; }
    friend bool operator==(NoResourceUse, NoResourceUse) { return true; }
    friend bool operator<(NoResourceUse, NoResourceUse) { return false; }
};

template <typename Exact, typename Uses> struct Entry { // an option, or a partial choice
    std::int64_t size = 0;
    [[no_unique_address]] Uses use{};
    SummedCost<Exact> cost;

    friend Entry operator+(const Entry &a, const Entry &b)
    {
        return {a.size + b.size, Uses(plus(a.use, b.use)), a.cost + b.cost};
    }
    friend bool operator<(const Entry &a, const Entry &b)
    {
        return std::tie(a.size, a.use, a.cost) < std::tie(b.size, b.use, b.cost);
    }
};

// The least costs of one size by second use, of first uses that do not fall: decreasing in cost as the second use rises.
template <typename Exact> class Staircase
{
  public:
    void clear() { steps_.clear(); }

    // False when a step has neither use nor cost above it.
    bool add(std::int64_t use, const SummedCost<Exact> &cost)
    {
        const auto after =
            std::partition_point(steps_.begin(), steps_.end(), [&](const Step &step) { return step.use <= use; });
        if (after != steps_.begin() && !(cost < (after - 1)->cost)) return false;
        auto begin = after;
        if (begin != steps_.begin() && (begin - 1)->use == use) --begin;
        const auto end = std::partition_point(begin, steps_.end(), [&](const Step &s) { return !(s.cost < cost); });
        steps_.insert(steps_.erase(begin, end), {use, cost});
        return true;
    }

  private:
    struct Step {
        std::int64_t use;
        SummedCost<Exact> cost;
    };
    std::vector<Step> steps_;
};

// A value on_cost x cost + sum of weight x use that no choice wanted may have above on_cost x cap + sum of weight x most: choices of
// that value, and their relaxation, tell what can be left out.
struct Guide {
    Guide(const Choices &choices, const std::vector<ResourceUse> &uses, std::int64_t target, double on_cost,
          std::array<double, 2> weights);

    double value(double cost, const ResourceUse &use) const
    {
        return on_cost * cost + weights[0] * static_cast<double>(use[0]) + weights[1] * static_cast<double>(use[1]);
    }
    // The largest value wanted; infinity when something that counts is not bounded.
    double limit(double cap, const ResourceUse &most) const;

    double on_cost; // 0 or 1
    std::array<double, 2> weights;
    Choices choices; // the value as cost
    Relaxation relaxation;
};

struct ResourceProblem {
    const Choices &choices;               // sizes of each class begin at 0
    const std::vector<ResourceUse> &uses; // one an option, or none: they use nothing
    std::int64_t target;
    const std::vector<Guide> &guides;

    ResourceUse use(std::size_t option) const { return uses.empty() ? ResourceUse{0, 0} : uses[option]; }
};

// Sizes of a choice that sums to the target, of a cost within the limit and uses <= most, best in the sense of `prefer`; nothing if
// there is none. A resource that is neither preferred nor bounded by `most` must have use 0. The answer depends neither on the
// limit nor on the guides. Throws Status::limit, Status::cancelled.
std::optional<std::vector<std::int64_t>> search_resources(const ResourceProblem &problem, const CostLimit &limit,
                                                          const ResourceUse &most, Prefer prefer, Control &control);

} // namespace hpart
