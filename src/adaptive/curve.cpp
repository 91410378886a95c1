#include "adaptive/curve.hpp"

#include <algorithm>
#include <cmath>

namespace hpart
{

namespace
{

double real(std::int64_t size) { return static_cast<double>(size); }

} // namespace

MonotoneCurve MonotoneCurve::of_speed(double sizes_per_second) { return MonotoneCurve({{1, 1 / sizes_per_second}}); }

double MonotoneCurve::seconds(std::int64_t size) const
{
    if (size <= 0) return 0;
    const auto above =
        std::partition_point(knots_.begin(), knots_.end(), [&](const Knot &knot) { return knot.size < size; });
    if (above == knots_.end()) return real(size) / speed();
    if (above == knots_.begin()) return above->seconds * (real(size) / real(above->size));
    const auto below = above - 1;
    return below->seconds +
           (above->seconds - below->seconds) * (real(size - below->size) / real(above->size - below->size));
}

std::int64_t MonotoneCurve::largest_within(double seconds, std::int64_t most) const
{
    if (most <= 0 || this->seconds(most) <= seconds) return std::max<std::int64_t>(most, 0);
    const auto above =
        std::partition_point(knots_.begin(), knots_.end(), [&](const Knot &knot) { return knot.seconds <= seconds; });
    double guess = 0;
    if (above == knots_.end()) {
        guess = seconds * speed();
    } else if (above == knots_.begin()) {
        guess = real(above->size) * (seconds / above->seconds);
    } else {
        const auto below = above - 1;
        guess = real(below->size) +
                real(above->size - below->size) * ((seconds - below->seconds) / (above->seconds - below->seconds));
    }
    // The guess is near the answer, or far from it where the times of two knots differ by a rounding. `most` takes longer.
    std::int64_t within = 0, beyond = most;
    const auto look_at = [&](std::int64_t size) {
        if (size > within && size < beyond) (this->seconds(size) <= seconds ? within : beyond) = size;
    };
    const auto near = static_cast<std::int64_t>(std::clamp(guess, 0.0, real(most)));
    for (std::int64_t step = -1; step <= 2; ++step) look_at(near + step);
    while (beyond - within > 1) look_at(within + (beyond - within) / 2);
    return within;
}

} // namespace hpart
