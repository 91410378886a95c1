// The states of resource_search.cpp.
#pragma once

#include "partitioners/search/exact_costs.hpp"
#include "partitioners/search/resources.hpp"

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

namespace hpart
{

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

} // namespace hpart
