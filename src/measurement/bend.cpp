// After Lastovetsky and Reddy's geometric bisection (Data partitioning with a functional performance model, 2007), which halves
// intervals until the measured middle agrees with the line. Here the second differences say which interval to halve, so that the
// next size depends on the points alone and an interrupted measurement goes on as it would have.
#include "measurement/bend.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hpart
{

namespace
{

double second_difference(const Curves &curves, const std::vector<double> &seconds, std::size_t first)
{
    const auto size = [&](std::size_t k) { return static_cast<double>(curves.sizes[first + k]); };
    const auto slope = [&](std::size_t k) {
        return (seconds[first + k + 1] - seconds[first + k]) / (size(k + 1) - size(k));
    };
    return (slope(1) - slope(0)) / (size(2) - size(0));
}

// Deviation of the function from the line in the middle of interval k, with the neighbourhood's second derivative, over the smaller end:
// a bound of the relative error if the function is monotone there.
double error_of_line(const Curves &curves, const std::vector<double> &seconds, std::size_t k)
{
    const std::size_t last = curves.sizes.size() - 1;
    if (last == 1) return std::numeric_limits<double>::infinity();
    double bend = 0;
    if (k > 0) bend = std::abs(second_difference(curves, seconds, k - 1));
    if (k + 1 < last) bend = std::max(bend, std::abs(second_difference(curves, seconds, k)));
    const double half = static_cast<double>(curves.sizes[k + 1] - curves.sizes[k]) / 2;
    const double error = bend * half * half;
    return error == 0 ? 0 : error / std::min(seconds[k], seconds[k + 1]);
}

std::optional<std::int64_t> middle_of(std::int64_t low, std::int64_t high, std::int64_t block)
{
    const std::int64_t first = low / block + 1, last = (high - 1) / block; // multiples strictly inside
    if (first > last) return std::nullopt;
    return (first + (last - first) / 2) * block;
}

} // namespace

std::optional<std::int64_t> size_at_bend(const Curves &curves, double tolerance, std::int64_t block)
{
    std::optional<std::int64_t> best;
    double worst = tolerance;
    for (std::size_t k = 0; k + 1 < curves.sizes.size(); ++k) {
        const auto middle = middle_of(curves.sizes[k], curves.sizes[k + 1], block);
        if (!middle) continue;
        for (const auto &seconds : curves.seconds) {
            const double error = error_of_line(curves, seconds, k);
            if (!(error > worst)) continue;
            worst = error;
            best = middle;
        }
    }
    return best;
}

} // namespace hpart
