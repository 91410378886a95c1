// Trials where each size may be faster or slower by itself: distributions that are likely to take less than the best that was run.
#pragma once

#include "adaptive/levelling.hpp"
#include "adaptive/trend.hpp"
#include "core/progress.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace hpart
{

// Posterior means of the variances, given the times of all functions.
Variances learned_variances(const std::vector<const PartialFunction *> &functions, double noise);

struct TrialRequest {
    std::vector<const PartialFunction *> functions; // all known
    std::vector<SizeBounds> bounds;
    std::vector<std::int64_t> origin; // the sizes of trials are steps off these
    std::vector<std::int64_t> best;   // that was run
    double seconds = 0;               // of the best one
    std::vector<std::int64_t> current;
    double horizon = 0;   // iterations in which a gain counts
    double price = 0;     // of a trial, in iterations
    double move_cost = 0; // seconds for a unit that moves
    double noise = 0;     // relative deviation of a time
};

// The limits of the exact partitions of an update, which runs between two iterations of a solver.
Control limits_of_update();

// The distribution whose trial promises most; none when no trial pays.
std::optional<std::vector<std::int64_t>> choose_trial(const TrialRequest &request);

} // namespace hpart
