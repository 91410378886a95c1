// HPOPTA as the other methods of its authors call it.
#pragma once

#include "core/progress.hpp"
#include "partitioners/methods/papers/tree.hpp"
#include "partitioners/search/limits.hpp"

#include <cstdint>
#include <limits>
#include <vector>

namespace hpart
{

struct FastestDistribution {
    Outcome outcome = Outcome::none;
    std::vector<std::int64_t> x; // empty when none is known
    double seconds = std::numeric_limits<double>::infinity();
};

// The tree sorted by time, the first processor at its root. size > 0.
FastestDistribution search_fastest(const Tree &tree, std::int64_t size, Control &control);

} // namespace hpart
