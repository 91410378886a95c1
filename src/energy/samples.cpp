#include "energy/samples.hpp"

#include <algorithm>

namespace hpart
{

namespace
{

Reading power_at(const std::vector<Reading> &readings, double seconds)
{
    const auto next = std::lower_bound(readings.begin(), readings.end(), seconds,
                                       [](const Reading &reading, double time) { return reading.seconds < time; });
    if (next == readings.end()) return {seconds, readings.back().values};
    if (next == readings.begin()) return {seconds, next->values};
    const auto &a = *(next - 1), &b = *next;
    const double part = (seconds - a.seconds) / (b.seconds - a.seconds);
    return {seconds, {a.values.front() + (b.values.front() - a.values.front()) * part}};
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
