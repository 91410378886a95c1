// The calls of teams with a control of their own, under which they go on to their end.
#pragma once

#include "measurement/measure.hpp"
#include "measurement/optimize.hpp"
#include "measurement/optimize_one_time.hpp"
#include "measurement/profile.hpp"

#include <numeric>

namespace hpart
{

inline Execution execute(const Team &team, std::span<const std::int64_t> x, std::int64_t warmup, bool check)
{
    Control control;
    return execute(team, x, warmup, check, control);
}

inline ProfileResult profile(const Team &team, const ProfileRequest &request)
{
    Control control;
    return profile(team, request, control);
}

inline Optimum optimize(const Team &team, const OptimizeRequest &request)
{
    Control control;
    return optimize(team, request, control);
}

inline OptimalFront optimize_front(const Team &team, const OptimizeRequest &request)
{
    Control control;
    return optimize_front(team, request, control);
}

// Sizes from 1 on.
inline std::vector<std::int64_t> up_to(std::int64_t most)
{
    std::vector<std::int64_t> sizes(static_cast<std::size_t>(most));
    std::iota(sizes.begin(), sizes.end(), 1);
    return sizes;
}

} // namespace hpart
