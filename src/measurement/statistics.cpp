#include "measurement/statistics.hpp"

#include "core/clock.hpp"
#include "measurement/distributions.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace hpart
{

namespace
{
// Simulated with a floor of 10 repetitions and noise of 5 to 20 %: an interval of 95 % then covers the truth in 95.5 to
// 96.8 % of the series, at a fifth more repetitions; not widened in 93.7 to 94.9 %.
constexpr double widening = 1.1;
// More repetitions than there can be: from there on the quantile does not change.
constexpr std::int64_t most_degrees = std::int64_t{1} << 40;

} // namespace

void RunningMean::add(double value)
{
    ++count_;
    const double from_old_mean = value - mean_;
    mean_ += from_old_mean / static_cast<double>(count_);
    squares_ += from_old_mean * (value - mean_);
}

double RunningMean::standard_deviation() const
{
    return count_ < 2 ? 0 : std::sqrt(squares_ / static_cast<double>(count_ - 1));
}

RunningMean mean_of(std::span<const double> values)
{
    RunningMean mean;
    for (const double value : values) mean.add(value);
    return mean;
}

IntervalKind interval_named(std::string_view option)
{
    if (option == "one-sided") return IntervalKind::one_sided;
    return option == "plain" ? IntervalKind::plain : IntervalKind::two_sided;
}

double probability_of(IntervalKind interval, double confidence)
{
    return interval == IntervalKind::one_sided ? confidence : (1 + confidence) / 2;
}

double widening_of(IntervalKind interval) { return interval == IntervalKind::two_sided ? widening : 1; }

HalfWidth::HalfWidth(IntervalKind interval, double confidence)
    : probability_(probability_of(interval, confidence)), widening_(widening_of(interval)),
      least_factor_(widening_ * t_quantile(probability_, most_degrees))
{
}

double HalfWidth::of(const RunningMean &sample)
{
    const auto degrees = sample.count() - 1;
    if (degrees != degrees_) {
        factor_ = widening_ * t_quantile(probability_, degrees) / std::sqrt(static_cast<double>(sample.count()));
        degrees_ = degrees;
    }
    return factor_ * sample.standard_deviation();
}

bool HalfWidth::is_within(double limit, const RunningMean &sample)
{
    const double least = least_factor_ / std::sqrt(static_cast<double>(sample.count())) * sample.standard_deviation();
    return least <= limit && of(sample) <= limit;
}

double half_width_of_equal(double value, std::int64_t count, double confidence, std::optional<double> printed_step)
{
    return clock_step(value, printed_step) * (1 - std::pow(1 - confidence, 1 / static_cast<double>(count)));
}

double median(std::span<double> values)
{
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 == 1) return *middle;
    return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

// After Lastovetsky and Reddy's geometric bisection (Data partitioning with a functional performance model, 2007), which halves
// intervals until the measured middle agrees with the line. Here the second differences say which interval to halve, so that the
// next size depends on the points alone and an interrupted measurement goes on as it would have.

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
