#include "energy/samples.hpp"

#include <algorithm>

namespace hpart
{

Reading power_on_line(const Reading &before, const Reading &after, double seconds)
{
    const double length = after.seconds - before.seconds;
    const double part = length > 0 ? (seconds - before.seconds) / length : 1;
    return {seconds, {before.values.front() + (after.values.front() - before.values.front()) * part}};
}

namespace
{

Reading power_at(const std::vector<Reading> &readings, double seconds)
{
    const auto next = std::lower_bound(readings.begin(), readings.end(), seconds,
                                       [](const Reading &reading, double time) { return reading.seconds < time; });
    if (next == readings.end()) return {seconds, readings.back().values};
    if (next == readings.begin()) return {seconds, next->values};
    return power_on_line(*(next - 1), *next, seconds);
}

} // namespace

std::vector<Reading> power_between(const std::vector<Reading> &readings, double from, double to)
{
    std::vector<Reading> inside{power_at(readings, from)};
    for (const auto &reading : readings)
        if (reading.seconds > from && reading.seconds < to) inside.push_back(reading);
    inside.push_back(power_at(readings, to));
    return inside;
}

} // namespace hpart
