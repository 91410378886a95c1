// Hockney's model of a link, latency + bytes / bandwidth, from the times of messages. Header only: libhpart_mpi uses it, too.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace hpart
{

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

} // namespace hpart
