// Tests whether the energies of processors that run alone add up to the energy of all together. A distribution for energy assumes it.
#pragma once

#include "measurement/energy.hpp"
#include "measurement/team.hpp"
#include "models/platform.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <vector>

namespace hpart
{

// One entry per distribution.
struct Additivity {
    std::vector<double> parallel, parallel_error; // joules of all processors together, and their standard errors
    std::vector<double> combined, combined_error; // sums of each processor's joules alone; errors 0 if not known
    std::vector<double> differences;              // (parallel - combined) / combined, in per cent
    std::vector<double> difference_errors;        // standard errors of these
};

// distributions: x of each, of as many processors as the team has. alone: the energy functions to add up; null: they are
// measured, each processor with each of its sizes once. Needs a meter of the whole node.
Additivity additivity(const Team &team, const Platform *alone,
                      std::span<const std::span<const std::int64_t>> distributions, const EnergySettings &settings,
                      std::span<const BasePower> bases, const Poll &poll);

// Hockney's model of a link, latency + bytes / bandwidth, from the times of messages. Header only: libhpart_mpi uses it, too.

constexpr int empty_message_trips = 200;
constexpr int message_trips = 12;      // of each size
constexpr int first_message_trips = 3; // not counted: they set up connections, or touch memory
constexpr std::array<int, 5> message_bytes = {1 << 16, 1 << 18, 1 << 19, 1 << 20, 1 << 22};
using MessageSeconds = std::array<double, message_bytes.size()>;

// The larger one of the middle two, if they are even. Moves the values.
inline double median_of_trips(std::vector<double> &values)
{
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

// The slope of the line of least squares through (bytes, seconds), as bytes per second; the largest message's own if the line falls.
inline double bandwidth_of(const MessageSeconds &seconds)
{
    double mean_bytes = 0, mean_seconds = 0, above = 0, below = 0;
    for (std::size_t k = 0; k < seconds.size(); ++k) {
        mean_bytes += message_bytes[k] / static_cast<double>(seconds.size());
        mean_seconds += seconds[k] / static_cast<double>(seconds.size());
    }
    for (std::size_t k = 0; k < seconds.size(); ++k) {
        above += (message_bytes[k] - mean_bytes) * (seconds[k] - mean_seconds);
        below += (message_bytes[k] - mean_bytes) * (message_bytes[k] - mean_bytes);
    }
    return above > 0 ? below / above : message_bytes.back() / seconds.back();
}

// The links between the processors of a team: messages through this machine's memory.

// Sets latency and bandwidth of the links between all processors of the platform, which are the team's, in both directions. Each
// processor is a thread on its cores, with a buffer in the memory near them. Pairs are measured one after another by ping-pong;
// around_rings: bandwidths of all threads at once: in round k, thread i takes from thread i + k.
void measure_links(const Team &team, bool around_rings, Platform &platform, const Poll &poll);

} // namespace hpart
