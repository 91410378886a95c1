// Search of all choices whose sum of costs may be at most a cap.
#pragma once

#include "core/progress.hpp"
#include "partitioners/search/choices.hpp"
#include "partitioners/search/relaxation.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace hpart
{

struct SumProblem {
    const Choices &choices; // sizes of each class begin at 0
    std::int64_t target;
    const Relaxation &relaxation;
};

// Sizes of a choice of least sum of costs that sums to the target; nothing when that sum, rounded, is above the cap.
// The answer does not depend on the cap. Throws Status::limit, Status::cancelled.
std::optional<std::vector<std::int64_t>> search_under_cap(const SumProblem &problem, double cap, Control &control,
                                                          Work &work);

} // namespace hpart
