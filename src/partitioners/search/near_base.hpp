// A first choice that sums to the target at little more than the relaxation's cost.
#pragma once

#include "core/progress.hpp"
#include "partitioners/search/choices.hpp"
#include "partitioners/search/relaxation.hpp"

#include <cstdint>
#include <vector>

namespace hpart
{

// Sizes of each class begin at 0. Empty when none was found, which proves nothing.
std::vector<std::int64_t> choice_near_base(const Choices &choices, const Relaxation &relaxation,
                                           const Control &control);

} // namespace hpart
