// Schedules that run: one queue of packages per processor of a team, all queues at once.
#pragma once

#include "measurement/estimator.hpp"
#include "measurement/team_run.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace hpart
{

// The processor asks for a package, after the seconds that its last one took; nothing before its first. No rows: it gets no more.
using NextPackage = std::function<Slice(std::size_t processor, std::optional<double> seconds)>;

struct Queues {
    std::function<NextPackage()> start; // of a repetition
    std::int64_t size = 0;              // of all packages
    bool are_shared = false;            // a package depends on who asked before
};

struct QueueSettings {
    StopRule rule;
    std::int64_t warmup = 1;
    bool check = false;
};

struct PackageRun {
    std::size_t processor = 0;
    Slice slice;
    double seconds = 0;
};

struct QueueMeasurement {
    Measurement makespan;             // of one "processor"
    std::vector<double> busy;         // mean seconds of each processor
    std::vector<PackageRun> packages; // of the last repetition, as they were given out
    std::optional<Check> check;
    std::string broken; // processors that did not keep their cores
};

// Repeats the queues until the mean makespan is known precisely enough.
QueueMeasurement run_queues(const Team &team, const Queues &queues, const QueueSettings &settings, const Poll &poll);

} // namespace hpart
