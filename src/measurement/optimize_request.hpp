// The request for a certified optimum or front of a team.
#pragma once

#include "core/options.hpp"
#include "measurement/batches.hpp"
#include "measurement/energy_profile.hpp"
#include "measurement/estimator.hpp"
#include "optimum/search.hpp"

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
    std::optional<double> resume_tolerance = {}; // as tolerance_of() takes it
    std::string file;                            // "": none
    EnergyRequest energy;                        // of a search for the least energy
    std::vector<double> shares;                  // of a distribution to compare with; empty: none
    std::optional<std::int64_t> max_runs;        // of a search with one time

    // False: the processors run one after another.
    bool is_simultaneous() const { return !objective_kind(rules.objective).adds_times; }

    static OptimizeRequest from(Objective objective, std::int64_t size, std::span<const std::int64_t> sizes,
                                const Options &options);
};

} // namespace hpart
