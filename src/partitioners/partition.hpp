// The partitioners as the C interface calls them. `prepared_measured` belongs to the platform, as it is; calls without it prepare anew.
#pragma once

#include "core/options.hpp"
#include "core/progress.hpp"
#include "core/report.hpp"
#include "models/platform.hpp"
#include "partitioners/prepared.hpp"

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
    Options options{};        // what the method itself wants to know
    bool wants_joules = true; // else the energy of a least time is not looked up
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
Distribution partition(const Platform &measured, const PreparedPlatform &prepared_measured,
                       const PartitionRequest &request, Control &control);
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

struct FrontRequest {
    std::int64_t size = 0;
    FrontEnergy energy = FrontEnergy::dynamic;
    std::string method = "exact";
    Options options{};
};

// Throws Error: infeasible, limit, cancelled.
Front compute_front(const Platform &measured, const PreparedPlatform &prepared_measured, const FrontRequest &request,
                    Control &control);
Front compute_front(const Platform &platform, const FrontRequest &request, Control &control);

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

struct ScheduleRequest {
    std::int64_t size = 0;
    std::string method = "exact";
    Ties ties = Ties::deterministic;
    Options options{};
};

// Throws Error: infeasible, limit, cancelled.
Schedule compute_schedule(const Platform &measured, const PreparedPlatform &prepared_measured,
                          const ScheduleRequest &request, Control &control);
Schedule compute_schedule(const Platform &platform, const ScheduleRequest &request, Control &control);

} // namespace hpart
