// Plans of FFTW.
#pragma once

#include "core/error.hpp"

#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>

#include <fftw3.h>

namespace hpart
{

// A size as FFTW takes it.
inline int fftw_integer(std::int64_t value, const char *name)
{
    if (value > std::numeric_limits<int>::max())
        fail(Status::unsupported, name, " is ", value, "; FFTW takes at most ", std::numeric_limits<int>::max());
    return static_cast<int>(value);
}

// FFTW makes and destroys plans for one thread of the process at a time.
std::mutex &fftw_planner_mutex();

struct DestroyFftwPlan {
    void operator()(fftw_plan plan) const
    {
        const std::lock_guard lock(fftw_planner_mutex());
        fftw_destroy_plan(plan);
    }
};
using FftwPlan = std::unique_ptr<std::remove_pointer_t<fftw_plan>, DestroyFftwPlan>;

} // namespace hpart
