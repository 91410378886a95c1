// Slowdown of processors that run together, and the pairs that disturb each other.
#pragma once

#include "arguments.hpp"
#include "library.hpp"
#include "output.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace hpart_command
{

struct Slowdown {
    std::string processor;
    std::int64_t size = 0;
    double alone = 0, together = 0;        // seconds
    double ratio_low = 0, ratio_high = 0;  // of together to alone, by both intervals
    std::vector<std::string> disturbed_by; // one of these others suffices to make it slower
    bool is_slower() const { return ratio_low > 1; }
};

// Measures the processors that have work alone, all together, and, where some are slower together, in pairs.
std::vector<Slowdown> interference(hpart_team *team, const std::vector<std::string> &names,
                                   const std::vector<std::int64_t> &x, const Common &common, double most_seconds);
constexpr double most_seconds_alone = 5; // of each measurement, usually

Json interference_json(const std::vector<Slowdown> &slowdowns);
// "interference: GPU is 1.31 x (1.28 to 1.34) slower together than alone, disturbed by CPU"
std::string interference_text(const std::vector<Slowdown> &slowdowns);

} // namespace hpart_command
