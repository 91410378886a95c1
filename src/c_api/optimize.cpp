#include "measurement/optimize.hpp"
#include "c_api/guard.hpp"
#include "c_api/handles.hpp"
#include "c_api/team.hpp"

#include <algorithm>
#include <numeric>

using namespace hpart;
using namespace hpart::c_api;

extern "C" {

hpart_status hpart_team_optimize(hpart_team *team, int32_t objective, int64_t size, int64_t points,
                                 const int64_t *sizes, const hpart_options *options, int64_t *x, double *value,
                                 hpart_platform **measured, hpart_report **report)
{
    return guarded([&] {
        const auto &members = with_processors(team);
        if (objective == HPART_OBJECTIVE_TOTAL_ENERGY)
            fail(Status::unsupported, "objective is HPART_OBJECTIVE_TOTAL_ENERGY; hpart_team_optimize finds the least "
                                      "time or dynamic energy; for total energy measure functions with "
                                      "hpart_team_profile");
        if (objective != HPART_OBJECTIVE_TIME && objective != HPART_OBJECTIVE_ENERGY)
            fail_argument("objective is ", objective, "; it must be HPART_OBJECTIVE_TIME or HPART_OBJECTIVE_ENERGY");
        if (points < 1) fail_argument("points is ", points, "; it must be at least 1");
        const auto wanted = array(sizes, points, "sizes");
        require(x, "x");
        const auto set = options_for(options, call_optimize);
        std::vector<std::size_t> all(members.count());
        std::iota(all.begin(), all.end(), std::size_t{0});
        check_cores(members, set, all);
        auto control = control_of(set);
        auto found =
            optimize(members,
                     OptimizeRequest::from(objective == HPART_OBJECTIVE_TIME ? Objective::time : Objective::energy,
                                           size, wanted, set),
                     control);
        auto about = std::make_unique<hpart_report>(hpart_report{hpart::report_of(found)});
        if (measured != nullptr) *measured = new hpart_platform{std::move(found.platform)}; // the last that can fail
        if (report != nullptr) *report = about.release();
        if (value != nullptr) *value = found.value.value;
        const auto &best = found.rivals[found.winner].x;
        std::copy(best.begin(), best.end(), x);
    });
}

} // extern "C"
