// Requests to the partitioners, and their results.
#pragma once

#include "core/objectives.hpp"
#include "core/options.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace hpart
{

enum class Ties : std::uint8_t { deterministic, fewest };

struct PartitionRequest {
    Objective objective = Objective::time;
    std::int64_t size = 0;
    std::string method = "exact";
    Ties ties = Ties::deterministic;
    Options options{}; // what the method itself wants to know
    bool wants_utilisation = true;
    bool wants_joules = true; // else the energy of a least time is not looked up
};

struct Distribution {
    bool feasible = false;      // x is a distribution of the size; false only when the limit was reached first
    bool limit_reached = false; // x is the best known, not proved optimal
    std::vector<std::int64_t> x;
    double seconds = 0; // the largest, or the sum with sum_time
    double joules = 0;  // dynamic, or total for that objective; NaN where a processor used has no energy value
    Report report;
};

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

struct ScheduleTask {
    std::int64_t processor;
    std::int64_t size;
    std::int64_t repeats;
};

struct Schedule {
    double makespan = 0;
    std::vector<std::string> processors; // their names
    std::vector<ScheduleTask> tasks;
    Report report;
};

struct ScheduleRequest {
    std::int64_t size = 0;
    std::string method = "exact";
    Ties ties = Ties::deterministic;
    Options options{};
};

} // namespace hpart
