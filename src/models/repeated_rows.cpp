#include "models/repeated_rows.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>

namespace hpart
{

namespace
{

// The probability that |T| is at most tan(angle) sqrt(degrees). Source: Abramowitz and Stegun, 26.7.3 and 26.7.4.
double probability_within(double angle, std::size_t degrees)
{
    const double cosine = std::cos(angle), square = cosine * cosine;
    const bool is_odd = degrees % 2 == 1;
    double term = is_odd ? cosine : 1, sum = degrees == 1 ? 0 : term;
    for (std::size_t k = is_odd ? 3 : 2; k < degrees; k += 2) {
        term *= square * static_cast<double>(k - 1) / static_cast<double>(k);
        sum += term;
    }
    return is_odd ? (angle + std::sin(angle) * sum) * 2 / std::numbers::pi : std::sin(angle) * sum;
}

// The half-width of Student's 95 % interval in standard errors. The library of distributions is one of measurement, which not every build has.
double half_width(std::size_t degrees)
{
    constexpr double confidence = 0.95;
    double low = 0, high = std::numbers::pi / 2;
    for (int k = 0; k < 60; ++k) {
        const double middle = (low + high) / 2;
        (probability_within(middle, degrees) < confidence ? low : high) = middle;
    }
    return std::tan(low) * std::sqrt(static_cast<double>(degrees));
}

} // namespace

MeanOfRuns mean_of_runs(std::span<const double> values)
{
    const auto count = static_cast<double>(values.size());
    double mean = 0, squares = 0;
    for (const double value : values) mean += value / count;
    for (const double value : values) squares += (value - mean) * (value - mean) / (count - 1);
    const double half = half_width(values.size() - 1) * std::sqrt(squares / count);
    // Rounding may take the mean of equal values out of their range.
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    mean = std::clamp(mean, *least, *most);
    return {mean, std::max(0.0, mean - half), mean + half};
}

} // namespace hpart
