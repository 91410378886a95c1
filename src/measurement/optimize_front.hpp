// The certified Pareto front of a team, from few measurements.
#pragma once

#include "core/options.hpp"
#include "core/progress.hpp"
#include "measurement/optimize_request.hpp"
#include "measurement/rounds.hpp"
#include "measurement/team.hpp"
#include "optimum/certified_front.hpp"

#include <vector>

namespace hpart
{

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

} // namespace hpart
