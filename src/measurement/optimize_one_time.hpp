// The best distribution of an application if only the time of whole runs is known. Nothing is certified.
#pragma once

#include "core/options.hpp"
#include "core/progress.hpp"
#include "measurement/application.hpp"
#include "measurement/optimize.hpp"
#include "measurement/optimize_request.hpp"
#include "measurement/rounds.hpp"
#include "measurement/team.hpp"
#include "optimum/certified_search.hpp"

#include <optional>
#include <vector>

namespace hpart
{

// The certified Pareto front of a team, from few measurements.

struct OptimalFront : Findings {
    optimum::SearchRules rules;
    double confidence = 0, jaggedness = 1;
    optimum::FrontCertificate certificate;
    std::vector<optimum::Interval> times, energies; // of the points of certificate.upper
};

// request.rules.objective: energy or total_energy. Throws Error as optimize does.
OptimalFront optimize_front(const Team &team, const OptimizeRequest &request, Control &control);

// The keys of hpart_team_optimize_front.
Report report_of(const OptimalFront &front);

// shown: the run that showed it, if any. Returns nothing if a run of several processors gives the time of each. Throws Error: callback when
// all fail, limit when the budget ends before a run.
std::optional<Optimum> optimize_one_time(const Team &team, const OptimizeRequest &request, Control &control,
                                         std::optional<ApplicationRun> shown = {});

} // namespace hpart
