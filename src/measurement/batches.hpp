// A step of batches: processors measure at the same time. A finished processor keeps running, uncounted, until all have finished,
// so that every repetition sees the real load.
#pragma once

#include "measurement/disturbance.hpp"
#include "measurement/team.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace hpart
{

struct Batch {
    std::size_t processor;
    std::int64_t size;
    std::int64_t repetitions;    // 0: it only keeps the others company
    std::vector<double> seconds; // written by run_batches; with an application also for company
    std::string failure;         // why the size cannot be run; empty: it can
    bool is_ready = false;       // its uncounted runs have ended; of an application: unknown
};

struct BatchRules {
    std::int64_t warmup = 1;          // runs before each batch, which do not count
    double precision = 0.05;          // a smaller share of the time is no disturbance
    bool repeats_contaminated = true; // a third of all repetitions at most
    std::int64_t smallest_size = 1;   // that any processor may be asked for
    // The counters to judge a processor's repetitions by, asked for on its thread; none: repetitions are not judged.
    std::function<std::unique_ptr<Counters>(const Member &)> counters = {};
};

// The counters of this machine for the thread that calls.
std::unique_ptr<Counters> counters_of_thread(const Member &member);

struct BatchCounts {
    double seconds = 0; // the longest time that a processor measured
    std::int64_t repetitions = 0, contaminated = 0, dropped = 0;
    std::string who; // disturbed the last contaminated ones

    void add(const BatchCounts &others);
    // Who disturbed more than a third of the repetitions; empty: nobody.
    std::string busy() const;
};

// Runs at most one batch per processor and returns the counts of this step. so_far: the counts of each processor of the team; this
// step is added. At most a third of a processor's repetitions is repeated. What poll throws ends the runs after their repetition and
// is rethrown. Throws a kernel's failure with processor and size. A RunFailure is stored in its
// batch; in an uncounted run it only ends the company.
BatchCounts run_batches(const Team &team, std::span<Batch> batches, const BatchRules &rules,
                        std::vector<BatchCounts> &so_far, const Poll &poll);

} // namespace hpart
