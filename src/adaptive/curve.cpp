#include "adaptive/curve.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace hpart
{

namespace
{

// Sizes that differ by a smaller factor do not tell a fixed cost from noise.
constexpr double spread_of_sizes = 1.5;
// The share by which times may be off.
constexpr double error_of_time = 0.1;

double real(std::int64_t size) { return static_cast<double>(size); }

// The least time at which a line through the first knot and a larger one meets the size 0, however the two are off.
double fixed_cost(const std::vector<Knot> &knots)
{
    const auto &first = knots.front();
    const double seconds = first.seconds * (1 - error_of_time);
    double fixed = seconds;
    bool is_known = false;
    for (const auto &knot : knots) {
        if (real(knot.size) < spread_of_sizes * real(first.size)) continue;
        is_known = true;
        const double slope = (knot.seconds * (1 + error_of_time) - seconds) / real(knot.size - first.size);
        fixed = std::min(fixed, seconds - slope * real(first.size));
    }
    return is_known ? std::max(fixed, 0.0) : 0;
}

} // namespace

MonotoneCurve::MonotoneCurve(std::vector<Knot> knots) : knots_(std::move(knots)), fixed_(fixed_cost(knots_)) {}

MonotoneCurve MonotoneCurve::of_speed(double sizes_per_second) { return MonotoneCurve({{1, 1 / sizes_per_second}}); }

double MonotoneCurve::seconds(std::int64_t size) const
{
    if (size <= 0) return 0;
    const auto above =
        std::partition_point(knots_.begin(), knots_.end(), [&](const Knot &knot) { return knot.size < size; });
    if (above == knots_.end()) return real(size) / speed();
    if (above == knots_.begin()) return fixed_ + (above->seconds - fixed_) * (real(size) / real(above->size));
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
        guess = seconds > fixed_ ? real(above->size) * ((seconds - fixed_) / (above->seconds - fixed_)) : 0;
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
