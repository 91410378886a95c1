// A search under a cap on the cost is fast where the cap is close to the least cost, which nobody knows: caps grow from the bound.
#pragma once

#include <algorithm>

namespace hpart
{

constexpr double first_cap_fraction = 1.0 / 64; // of the first choice's gap

// search(cap) says whether it found the least cost. lower_bound rises with each cap that was in vain.
template <typename Search>
void search_under_growing_caps(double bound, double highest, double step, double &lower_bound, const Search &search)
{
    constexpr double growth = 8;
    // The cap is not above the bound where bounds overflow or the step is lost in rounding.
    auto cap = bound + step;
    while (cap < highest && cap > bound) {
        if (search(cap)) return;
        lower_bound = std::max(lower_bound, cap);
        step *= growth;
        cap = bound + step;
    }
    search(highest);
}

} // namespace hpart
