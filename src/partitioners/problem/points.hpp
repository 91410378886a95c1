// The points of a call that does not use the platform's own as they are.
#pragma once

#include "core/error.hpp"
#include "core/progress.hpp"
#include "partitioners/problem/instance.hpp"
#include "partitioners/problem/interpolation.hpp"

#include <cstdint>
#include <string>
#include <utility>

namespace hpart
{

struct PointRules {
    std::int64_t block = 1; // sizes are multiples of it
    bool all_work = false;  // nobody may be idle
    Interpolation interpolation = Interpolation::none;

    bool is_empty() const { return block == 1 && !all_work && interpolation == Interpolation::none; }
};

// Status::limit: interpolated points do not fit the memory limit. The message says what would help.
class TooManyPoints : public Error
{
  public:
    explicit TooManyPoints(std::string message) : Error(Status::limit, std::move(message), "interpolate") {}
};

// The platform's own points, `usable`, that follow the rules; with interpolation those between them too, up to the size. Throws
// TooManyPoints, and Status::limit when the time is up.
Instance points_by(const PointRules &rules, const Platform &platform, const Instance &usable, Needs needs,
                   std::int64_t size, std::int64_t memory_limit, Control &control);

// True if, as a look at the ends of the functions shows, interpolated points have a distribution of the size; false proves nothing.
bool surely_allow(const PointRules &rules, const Platform &platform, Needs needs, std::int64_t size);

// Those of time <= seconds.
Instance points_within(const Instance &usable, double seconds);

} // namespace hpart
