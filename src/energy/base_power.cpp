#include "energy/base_power.hpp"

#include "core/error.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hpart
{

namespace
{

constexpr double fewest_batches = 10;
// Beyond this more batches make the error no better known.
constexpr double most_batches = 30;
// A correlation of neighbouring batches above this cannot be told from one.
constexpr double highest_correlation = 0.9;

// The unit of the last decimal of the shortest number that is no further from the value.
double decimal_step_within(double value, double distance)
{
    constexpr int most_digits = 15;
    for (int digits = 1; digits < most_digits; ++digits) {
        const auto unit = std::pow(10.0, std::floor(std::log10(std::abs(value))) + 1 - digits);
        if (const double shorter = std::round(value / unit) * unit; std::abs(shorter - value) <= distance)
            return decimal_step(shorter);
    }
    return decimal_step(value);
}

} // namespace

BasePower mean_power(const std::vector<TracePoint> &trace, double intervals)
{
    const double length = trace.empty() ? 0 : trace.back().seconds - trace.front().seconds;
    if (!(length > 0)) fail(Status::numerical, "base power: no time passed between the meter's readings");
    const double batches = std::clamp(std::floor(std::sqrt(intervals)), fewest_batches, most_batches);
    const auto count = static_cast<std::size_t>(batches);
    const double mean = (trace.back().joules - trace.front().joules) / length;
    std::vector<double> deviations(count);
    double before = trace.front().joules;
    for (std::size_t k = 0; k < count; ++k) {
        const double end = static_cast<double>(k + 1) / batches;
        const double after = energy_at(trace, trace.front().seconds + length * end);
        deviations[k] = (after - before) * batches / length - mean;
        before = after;
    }
    double squares = 0, products = 0;
    for (std::size_t k = 0; k < count; ++k) {
        squares += deviations[k] * deviations[k];
        if (k > 0) products += deviations[k] * deviations[k - 1];
    }
    if (!std::isfinite(mean) || !std::isfinite(squares) || !std::isfinite(products))
        fail(Status::numerical, "base power: the values read are beyond what a number can hold; they must be wrong");
    // A power that never moves is known within half of its last decimal, anywhere in there. Rounding of the trace is no movement, nor is
    // what no meter resolves.
    constexpr double roundings = 8 * std::numeric_limits<double>::epsilon(), finest = 1e-9;
    const auto &first = trace.front(), &last = trace.back();
    const double joules = std::max(std::abs(first.joules), std::abs(last.joules)),
                 seconds = std::max(std::abs(first.seconds), std::abs(last.seconds));
    const double rounding = roundings * (joules + std::abs(mean) * seconds) / length;
    const double unresolved = batches * rounding + finest * std::abs(mean); // of a batch
    if (squares <= batches * unresolved * unresolved)
        return {mean, mean == 0 ? 0 : decimal_step_within(mean, rounding) / 2 / std::sqrt(3.0)};
    // Neighbouring batches stay correlated, as in an autoregressive series of order one.
    const double correlation = std::clamp(products / squares, 0.0, highest_correlation);
    const double variance = squares / (batches - 1) / batches * (1 + correlation) / (1 - correlation);
    return {mean, std::sqrt(variance)};
}

} // namespace hpart
