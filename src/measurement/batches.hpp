// Batches of repetitions: each processor runs those asked of it one after another, all processors at the same time.
#pragma once

#include "measurement/team.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace hpart
{

struct Batch {
    std::size_t processor;
    std::int64_t size;
    std::int64_t repetitions;
    std::vector<double> seconds; // written by run_batches
    std::string failure;         // why the size cannot be run; empty: it can
};

// `warmup` runs before each batch do not count. look is called on this thread again and again; what it throws ends the runs after their
// repetition and is thrown here. Returns the longest time that a processor measured. A kernel's failure is thrown with the processor
// and the size; that of a size alone (RunFailure) stands in the batch.
double run_batches(const Team &team, std::span<Batch> batches, std::int64_t warmup, const std::function<void()> &look);

} // namespace hpart
