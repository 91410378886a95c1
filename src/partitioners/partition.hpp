// The partitioners as the C interface calls them.
#pragma once

#include "core/progress.hpp"
#include "core/report.hpp"
#include "models/platform.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace hpart
{

enum class Objective : std::uint8_t { time, energy, total_energy };
enum class Ties : std::uint8_t { deterministic, fewest };

struct PartitionRequest {
    Objective objective = Objective::time;
    std::int64_t size = 0;
    std::string method = "exact";
    Ties ties = Ties::deterministic;
};

struct Distribution {
    bool feasible = false;      // x is a distribution of the size; false only when the limit was reached first
    bool limit_reached = false; // x is the best known, not proved optimal
    std::vector<std::int64_t> x;
    double seconds = 0;
    double joules = 0; // dynamic, or total for that objective; NaN where a processor used has no energy value
    Report report;
};

// Throws Error: infeasible with the nearest feasible sizes, cancelled, invalid_argument for an unknown method.
Distribution partition(const Platform &platform, const PartitionRequest &request, Control &control);

struct FrontPoint {
    double seconds;
    double joules;
    std::vector<std::int64_t> x;
};

struct Front {
    std::vector<FrontPoint> points; // increasing time, decreasing energy
    Report report;
};

enum class FrontEnergy : std::uint8_t { dynamic, total };

// Throws Error: infeasible, limit, cancelled.
Front compute_front(const Platform &platform, std::int64_t size, FrontEnergy energy, const std::string &method,
                    Control &control);

struct ScheduleTask {
    std::int64_t processor;
    std::int64_t size;
    std::int64_t repeats;
};

struct Schedule {
    double makespan = 0;
    std::vector<ScheduleTask> tasks;
    Report report;
};

// Throws Error: infeasible, limit, cancelled.
Schedule compute_schedule(const Platform &platform, std::int64_t size, const std::string &method, Ties ties,
                          Control &control);

} // namespace hpart
