// Least sum of costs under bounds on resources: exact.
#pragma once

#include "core/progress.hpp"
#include "partitioners/search/choices.hpp"
#include "partitioners/search/least_sum.hpp"
#include "partitioners/search/resource_search.hpp"
#include "partitioners/search/resources.hpp"

#include <cstdint>
#include <limits>
#include <vector>

namespace hpart
{

struct ResourceQuery {
    Prefer prefer = Prefer::least_cost;
    CostLimit limit{}; // finite where a resource is preferred
    Use most = any_use;
};

// One option of each class, sizes summing to the target, of a cost within the limit and uses <= most, best in the sense of `prefer`. `uses` has one
// entry an option.
LeastSum least_sum_within(const Choices &choices, const std::vector<Use> &uses, std::int64_t target,
                          const ResourceQuery &query, Control &control);

// least_sum without bounds, for any sizes.
LeastSum least_sum_by_states(const Choices &choices, std::int64_t target, const SumQuery &query, Control &control);

// A choice within the bounds that uses least of a resource. The cost of the result is that use; at a limit its sizes, if any, are within
// the bounds.
LeastSum least_use_within(const Choices &choices, const std::vector<Use> &uses, std::int64_t target,
                          std::size_t resource, const Use &most, Control &control);

} // namespace hpart
