#include "dense_program.hpp"

#include "reference.hpp"

#include <algorithm>
#include <vector>

namespace reference
{

namespace
{

constexpr double infinity = std::numeric_limits<double>::infinity();

// table[s]: least value of the processors so far that sum to s. `combine` must not fall as its first argument rises.
template <typename Usable, typename Combine>
std::optional<double> run(const hpart::Platform &platform, std::int64_t n, bool with_energy, Usable is_usable,
                          Combine combine)
{
    std::vector<double> table(static_cast<std::size_t>(n) + 1, infinity);
    table.at(0) = 0;
    for (std::int64_t i = 0; i < platform.count(); ++i) {
        auto next = table; // idle
        for (const auto &point : usable(platform, i, with_energy)) {
            if (!is_usable(point)) continue;
            const auto size = static_cast<std::size_t>(point.size);
            for (std::size_t s = size; s < table.size(); ++s)
                next[s] = std::min(next[s], combine(table[s - size], point));
        }
        table.swap(next);
    }
    return table.back() == infinity ? std::nullopt : std::optional<double>(table.back());
}

} // namespace

std::optional<double> dense_least_energy(const hpart::Platform &platform, std::int64_t n, double longest)
{
    return run(
        platform, n, true, [&](const Point &point) { return point.seconds <= longest; },
        [](double value, const Point &point) { return value + point.joules; });
}

std::optional<double> dense_least_time(const hpart::Platform &platform, std::int64_t n)
{
    return run(
        platform, n, false, [](const Point &) { return true; },
        [](double value, const Point &point) { return std::max(value, point.seconds); });
}

} // namespace reference
