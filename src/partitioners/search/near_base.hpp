// A first choice that sums to the target at little more than the relaxation's cost, and the caps that grow towards it.
#pragma once

#include "core/progress.hpp"
#include "partitioners/search/choices.hpp"
#include "partitioners/search/relaxation.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace hpart
{

// Sizes of each class begin at 0. Empty when none was found, which proves nothing.
std::vector<std::int64_t> choice_near_base(const Choices &choices, const Relaxation &relaxation,
                                           const Control &control);

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
