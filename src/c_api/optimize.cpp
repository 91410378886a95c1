#include "measurement/optimize.hpp"
#include "c_api/handles.hpp"
#include "c_api/team.hpp"
#include "measurement/optimize_one_time.hpp"

#include <algorithm>
#include <numeric>

using namespace hpart;
using namespace hpart::c_api;

namespace
{

OptimizeRequest request_of(const Team &members, Objective objective, std::int64_t size, std::int64_t points,
                           const std::int64_t *sizes, const Options &options)
{
    if (points < 1) fail_argument("points is ", points, "; it must be at least 1");
    const auto wanted = array(sizes, points, "sizes");
    auto request = OptimizeRequest::from(objective, size, wanted, options);
    // A single processor has one distribution.
    if (members.count() == 1 && std::ranges::find(request.sizes, size) != request.sizes.end()) request.sizes = {size};
    std::vector<std::size_t> all(members.count());
    std::iota(all.begin(), all.end(), std::size_t{0});
    if (request.is_simultaneous()) check_cores(members, options, all);
    return request;
}

} // namespace

extern "C" {

hpart_status hpart_team_optimize(hpart_team *team, int32_t objective, int64_t size, int64_t points,
                                 const int64_t *sizes, const hpart_options *options, int64_t *x, double *value,
                                 hpart_platform **measured, hpart_report **report)
{
    return guarded([&] {
        const auto &members = with_processors(team);
        const auto wanted = objective_of(objective);
        require(x, "x");
        const auto set = options_for(options, call_optimize);
        const auto request = request_of(members, wanted, size, points, sizes, set);
        auto control = control_of(set);
        auto found = optimize(members, request, control);
        auto about = std::make_unique<hpart_report>(hpart_report{hpart::report_of(found)});
        if (measured != nullptr) *measured = new hpart_platform{std::move(found.platform)}; // the last that can fail
        if (report != nullptr) *report = about.release();
        if (value != nullptr) *value = found.value.value;
        const auto &best = found.rivals[found.winner].x;
        std::copy(best.begin(), best.end(), x);
    });
}

hpart_status hpart_team_optimize_front(hpart_team *team, int64_t size, int32_t energy, int64_t points,
                                       const int64_t *sizes, const hpart_options *options, hpart_front **front,
                                       hpart_platform **measured, hpart_report **report)
{
    return guarded([&] {
        const auto &members = with_processors(team);
        if (energy != HPART_ENERGY_DYNAMIC && energy != HPART_ENERGY_TOTAL)
            fail_argument("energy is ", energy, "; it must be 0 (dynamic) or 1 (total)");
        require(front, "front");
        const auto set = options_for(options, call_optimize);
        for (const auto *key : {"confirm", "shares", "max_runs"})
            if (set.is_set(key))
                fail_option(key, " is set; hpart_team_optimize runs distributions, no call runs a front");
        const auto objective = energy == HPART_ENERGY_TOTAL ? Objective::total_energy : Objective::energy;
        const auto request = request_of(members, objective, size, points, sizes, set);
        auto control = control_of(set);
        auto found = optimize_front(members, request, control);
        const auto about = hpart::report_of(found);
        auto report_handle = make_report(report != nullptr, about);
        auto points_found =
            std::make_unique<hpart_front>(hpart_front{Front{std::move(found.certificate.upper), about}});
        if (measured != nullptr) *measured = new hpart_platform{std::move(found.platform)}; // the last that can fail
        if (report != nullptr) *report = report_handle.release();
        *front = points_found.release();
    });
}

} // extern "C"
