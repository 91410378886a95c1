#include "dense_program.hpp"

#include "reference.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace reference
{

namespace
{

__extension__ using Wide = __int128; // energies in a common unit: exact

// table[s]: least value of the processors so far that sum to s; `absent` where there is none.
template <typename Value, typename Usable, typename Combine>
std::optional<Value> run(const hpart::Platform &platform, std::int64_t n, bool with_energy, Value absent,
                         Usable is_usable, Combine combine)
{
    std::vector<Value> table(static_cast<std::size_t>(n) + 1, absent);
    table.at(0) = 0;
    for (std::int64_t i = 0; i < platform.count(); ++i) {
        auto next = table; // idle
        for (const auto &point : usable(platform, i, with_energy)) {
            if (!is_usable(point)) continue;
            const auto size = static_cast<std::size_t>(point.size);
            for (std::size_t s = size; s < table.size(); ++s)
                if (table[s - size] != absent) next[s] = std::min(next[s], combine(table[s - size], point));
        }
        table.swap(next);
    }
    return table.back() == absent ? std::nullopt : std::optional<Value>(table.back());
}

// The power of two that makes all energies integers.
int scale_of(const hpart::Platform &platform)
{
    int lowest = 1024;
    int highest = -1074;
    for (std::int64_t i = 0; i < platform.count(); ++i)
        for (const auto &point : usable(platform, i, true)) {
            int exponent = 0;
            if (std::frexp(point.joules, &exponent) == 0) continue;
            lowest = std::min(lowest, exponent);
            highest = std::max(highest, exponent);
        }
    if (highest - lowest > 60) throw std::range_error("the energies are too unlike for this program");
    return 53 - lowest;
}

} // namespace

std::optional<double> dense_least_energy(const hpart::Platform &platform, std::int64_t n, double longest)
{
    const auto scale = scale_of(platform);
    const auto least = run(
        platform, n, true, Wide{1} << 126, [&](const Point &point) { return point.seconds <= longest; },
        [&](Wide value, const Point &point) { return value + static_cast<Wide>(std::ldexp(point.joules, scale)); });
    if (!least) return std::nullopt;
    return std::ldexp(static_cast<double>(*least), -scale);
}

std::optional<double> dense_least_time(const hpart::Platform &platform, std::int64_t n)
{
    return run(
        platform, n, false, std::numeric_limits<double>::infinity(), [](const Point &) { return true; },
        [](double value, const Point &point) { return std::max(value, point.seconds); });
}

} // namespace reference
