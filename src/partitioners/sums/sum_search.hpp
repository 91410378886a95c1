// Search of all choices whose left-to-right sum of costs may be at most a cap.
#pragma once

#include "core/progress.hpp"
#include "partitioners/sums/choices.hpp"
#include "partitioners/sums/relaxation.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace hpart
{

// Of the choices that sum to the target: the one of least cost, or the one with fewest classes at a size above 0.
enum class Prefer : std::uint8_t { least_cost, fewest_active };

struct SumProblem {
    const Choices &choices; // sizes of each class begin at 0
    std::int64_t target;
    const std::vector<std::int64_t> &origins; // true size of each class's first option: 0 is idle, not active
    const Relaxation &relaxation;
};

// Sizes of one choice of a left-to-right sum <= cap that sums to the target, best in the sense of `prefer`; nothing when there is
// none. The answer does not depend on the cap. Throws Status::limit, Status::cancelled.
std::optional<std::vector<std::int64_t>> search_under_cap(const SumProblem &problem, double cap, Prefer prefer,
                                                          Control &control, Work &work);

} // namespace hpart
