// Search of all choices whose costs may sum to at most a cap and that use no more of two resources than the limits.
#pragma once

#include "core/progress.hpp"
#include "partitioners/search/choices.hpp"
#include "partitioners/search/relaxation.hpp"
#include "partitioners/search/resources.hpp"

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace hpart
{

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
