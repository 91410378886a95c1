// The order in which given costs, added one by one in double, make the least sum.
#pragma once

#include "core/progress.hpp"
#include "partitioners/sums/halving.hpp"

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

// Of several collections of the same number of parts (each by increasing size), the first whose costs have an order of least sum,
// added in double from the first to the last, least over all collections and orders; in that order, parts of no cost last. The same
// collections give the same order. Throws Status::limit, Status::cancelled.
Ordered order_of_least_sum(const std::vector<std::vector<CostedParts>> &collections, Control &control);

} // namespace hpart
