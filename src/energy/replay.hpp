// Recordings of a meter: the format is in docs/background/energy.md.
#pragma once

#include "energy/tally.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace hpart
{

struct Recording {
    Quantity quantity = Quantity::watts;
    double interval = 0;
    double wrap = never_wraps;
    bool real_time = true;
    std::vector<Reading> readings; // two at least, in increasing time
};

// Status::format with `path`, line and column.
Recording parse_recording(std::string_view content, const std::string &path);
// Reads back as the same recording.
std::string format_recording(const Recording &recording);

} // namespace hpart
