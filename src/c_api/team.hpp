// Shared by the calls on teams.
#pragma once

#include "c_api/handles.hpp"
#include "core/options.hpp"
#include "core/progress.hpp"
#include "core/text.hpp"
#include "measurement/team.hpp"
#include "measurement/team_run.hpp"

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

struct hpart_team {
    hpart::Team value;
};

namespace hpart::c_api
{

inline const Team &with_processors(const hpart_team *team)
{
    require(team, "team");
    if (team->value.count() == 0)
        fail_argument("the team has no processors; hpart_team_add and hpart_team_add_builtin add them");
    return team->value;
}

inline Control control_of(const Options &options)
{
    return {options.progress(), std::numeric_limits<double>::infinity(), std::numeric_limits<std::int64_t>::max()};
}

inline std::vector<std::size_t> active_of(std::span<const Slice> slices)
{
    std::vector<std::size_t> active;
    for (std::size_t i = 0; i < slices.size(); ++i)
        if (slices[i].rows > 0) active.push_back(i);
    return active;
}

// The processors' cores, unless the options allow that they share some.
inline void check_cores(const Team &team, const Options &options, std::span<const std::size_t> together)
{
    if (options.get_text("overlap") == "refused") require_own_cores(team, together);
}

// After the outputs are set, which have the repetitions before the caller stopped the call.
[[noreturn]] inline void fail_cancelled(std::int64_t repetitions, const char *unit)
{
    fail(Status::cancelled, "the progress callback stopped the call after ", pluralise(repetitions, unit));
}

} // namespace hpart::c_api
