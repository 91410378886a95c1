// The certified optimum of a team: which distribution is the fastest here, within a ratio, from few measurements.
#pragma once

#include "core/options.hpp"
#include "core/progress.hpp"
#include "core/report.hpp"
#include "measurement/batches.hpp"
#include "measurement/compare.hpp"
#include "measurement/energy_profile.hpp"
#include "measurement/team.hpp"
#include "models/platform.hpp"
#include "optimum/certified_search.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace hpart
{

struct OptimizeRequest {
    std::vector<std::int64_t> sizes; // increasing
    optimum::SearchRules rules;
    StopRule race;        // of the confirmation in place
    bool confirms = true; // whether there is one
    BatchRules batches;
    double max_total_seconds = 300;
    double resume_tolerance = 0.25;
    std::string file;     // "": none
    EnergyRequest energy; // of a search for the least energy

    static OptimizeRequest from(Objective objective, std::int64_t size, std::span<const std::int64_t> sizes,
                                const Options &options);
};

struct Rival {
    std::string method;
    std::vector<std::int64_t> x;
};

struct Optimum {
    optimum::SearchRules rules;
    double confidence = 0;
    optimum::Certificate certificate; // of the search's distribution, the first of the rivals
    bool time_was_up = false;
    std::vector<Rival> rivals;
    std::optional<Comparison> race;                     // of the rivals; nothing where there is one only
    std::string race_failure;                           // why there is none; empty: nothing failed
    std::size_t winner = 0;                             // index of rivals
    optimum::Interval value{};                          // of the winner: seconds or joules
    std::int64_t measured_points = 0, known_points = 0; // in all; of the file
    std::string failed;                                 // sizes that could not be run, by processor; empty: none
    BatchCounts counts;                                 // of all rounds
    Platform platform{1};                               // all that was measured
};

// Throws Error: infeasible when no sizes sum to the size, limit when the time was up before a distribution was measured.
Optimum optimize(const Team &team, const OptimizeRequest &request, Control &control);

// The keys of hpart_team_optimize.
Report report_of(const Optimum &optimum);

} // namespace hpart
