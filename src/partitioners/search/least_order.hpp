// The order in which given costs, added one by one in double, make the least sum.
#pragma once

#include "core/progress.hpp"
#include "partitioners/search/halving.hpp"

#include <cstdint>
#include <vector>

namespace hpart
{

struct CostedParts {
    std::int64_t size;
    std::int64_t copies;
    double cost; // of one
};

struct Ordered {
    std::vector<std::int64_t> sizes;
    double cost;
    std::int64_t states = 0; // partial sums that were kept to find it
};

// Orders costs so that their sum in double, from the first to the last, is least over all orders and over several collections of the
// same number of parts (each by increasing size). Returns the first collection that attains it, in that order, parts of no cost last.
// The result depends on the collections alone. Throws Status::limit, Status::cancelled.
Ordered order_of_least_sum(const std::vector<std::vector<CostedParts>> &collections, Control &control);

} // namespace hpart
