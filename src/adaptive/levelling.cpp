#include "adaptive/levelling.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace hpart
{

namespace
{

// Bisections of an interval [t, 2t] until none of a double's 53 bits is open.
constexpr int bisections = 54;

struct Level {
    std::vector<std::int64_t> x;
    std::int64_t sum = 0;
};

Level level_at(const std::vector<MonotoneCurve> &curves, const std::vector<SizeBounds> &bounds, double seconds)
{
    Level level;
    for (std::size_t i = 0; i < curves.size(); ++i) {
        level.x.push_back(std::max(bounds[i].smallest, curves[i].largest_within(seconds, bounds[i].largest)));
        level.sum += level.x.back();
    }
    return level;
}

} // namespace

std::vector<std::int64_t> level(const std::vector<MonotoneCurve> &curves, const std::vector<SizeBounds> &bounds,
                                std::int64_t size)
{
    double enough = 0;
    for (std::size_t i = 0; i < curves.size(); ++i)
        enough = std::max(enough, curves[i].seconds(std::min(bounds[i].largest, size)));
    enough = std::min(enough, std::numeric_limits<double>::max()); // a time measured may be near it
    auto below = level_at(curves, bounds, 0);
    auto above = level_at(curves, bounds, enough);
    if (below.sum >= size) above = below; // then all is at its smallest
    while (above.sum > size) {
        auto half = level_at(curves, bounds, enough / 2);
        if (half.sum < size) break;
        enough /= 2;
        above = std::move(half);
    }
    double too_short = enough / 2;
    for (int k = 0; k < bisections && above.sum > size; ++k) {
        const double middle = too_short + (enough - too_short) / 2;
        auto found = level_at(curves, bounds, middle);
        if (found.sum >= size) {
            enough = middle;
            above = std::move(found);
        } else {
            too_short = middle;
            below = std::move(found);
        }
    }
    // Processors that reach the next size at exactly this time share the rest.
    auto surplus = above.sum - size;
    for (std::size_t i = 0; i < curves.size() && surplus > 0; ++i) {
        const auto back = std::min(surplus, above.x[i] - below.x[i]);
        above.x[i] -= back;
        surplus -= back;
    }
    return above.x;
}

std::vector<std::int64_t> move_least(const std::vector<MonotoneCurve> &curves, std::vector<SizeBounds> bounds,
                                     double seconds, const std::vector<std::int64_t> &current, std::int64_t size)
{
    std::vector<std::int64_t> nearest;
    for (std::size_t i = 0; i < curves.size(); ++i) {
        auto &[smallest, largest] = bounds[i];
        largest = std::max(smallest, curves[i].largest_within(seconds, largest));
        nearest.push_back(std::clamp(current[i], smallest, largest));
    }
    // Adds the missing work or removes the excess, never both.
    const bool adds = std::accumulate(nearest.begin(), nearest.end(), std::int64_t{0}) <= size;
    for (std::size_t i = 0; i < curves.size(); ++i) (adds ? bounds[i].smallest : bounds[i].largest) = nearest[i];
    return level(curves, bounds, size);
}

double seconds_of(const std::vector<MonotoneCurve> &curves, const std::vector<std::int64_t> &x)
{
    double seconds = 0;
    for (std::size_t i = 0; i < curves.size(); ++i) seconds = std::max(seconds, curves[i].seconds(x[i]));
    return seconds;
}

std::int64_t moved_between(const std::vector<std::int64_t> &from, const std::vector<std::int64_t> &to)
{
    std::int64_t moved = 0;
    for (std::size_t i = 0; i < from.size(); ++i) moved += std::max<std::int64_t>(0, to[i] - from[i]);
    return moved;
}

} // namespace hpart
