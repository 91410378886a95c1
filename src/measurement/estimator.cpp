#include "measurement/estimator.hpp"

#include "core/numbers.hpp"
#include "measurement/diagnostics.hpp"
#include "measurement/distributions.hpp"

#include <algorithm>
#include <cmath>

namespace hpart
{

Statistic statistic_named(std::string_view option)
{
    if (option == "median") return Statistic::median;
    return option == "minimum" ? Statistic::minimum : Statistic::mean;
}

std::string_view statistic_name(Statistic statistic)
{
    switch (statistic) {
    case Statistic::mean: return "mean";
    case Statistic::median: return "median";
    case Statistic::minimum: return "minimum";
    }
    return "unknown";
}

double statistic_of(Statistic statistic, std::span<const double> values)
{
    if (statistic == Statistic::minimum) return *std::min_element(values.begin(), values.end());
    if (statistic == Statistic::median) {
        std::vector<double> copy(values.begin(), values.end());
        return median(copy);
    }
    return mean_of(values).mean();
}

std::int64_t MedianRanks::left_out(std::int64_t count)
{
    const auto may_leave_out = [&](std::int64_t k) { return 2 * k < count && coin_p(k, count) <= tail_; };
    if (count == count_ + 1) {
        if (may_leave_out(left_out_ + 1)) ++left_out_; // one more sample leaves out at most one more
    } else {
        left_out_ = -1;
        for (std::int64_t too_many = count / 2 + 1; too_many - left_out_ > 1;) {
            const auto middle = left_out_ + (too_many - left_out_) / 2;
            (may_leave_out(middle) ? left_out_ : too_many) = middle;
        }
    }
    count_ = count;
    return left_out_;
}

Estimator::Estimator(Statistic statistic, IntervalKind interval, double confidence, bool sees_steps)
    : statistic_(statistic), sees_correlation_(interval == IntervalKind::two_sided),
      sees_steps_(sees_steps && sees_correlation_), confidence_(confidence), widening_(widening_of(interval)),
      half_width_(interval, confidence), ranks_(probability_of(interval, confidence))
{
}

void Estimator::add(double value)
{
    mean_.add(value);
    if (sees_correlation_) values_.push_back(value);
    if (statistic_ == Statistic::median) sorted_.insert(std::upper_bound(sorted_.begin(), sorted_.end(), value), value);
    if (statistic_ == Statistic::minimum) minima_.push_back(minima_.empty() ? value : std::min(minima_.back(), value));
}

// The mean of n values whose neighbours have the correlation r has the variance of about n (1 - r) / (1 + r) independent ones. The r of a
// short series is low by about (1 + 3 r) / n (Kendall, Biometrika 1954).
double Estimator::widening_of_correlation()
{
    constexpr double significant = 0.05, highest = 0.9;
    if (values_.size() < std::max(fewest_to_test, next_look_)) return of_correlation_;
    next_look_ = values_.size() + values_.size() / 10 + 1;
    const auto [lag_1, p] = serial_correlation(values_);
    const auto n = static_cast<double>(values_.size());
    const double r = p < significant ? std::clamp((lag_1 + 1 / n) / (1 - 3 / n), 0.0, highest) : 0;
    return of_correlation_ = std::sqrt((1 + r) / (1 - r));
}

double Estimator::middle() const { return (sorted_[(sorted_.size() - 1) / 2] + sorted_[sorted_.size() / 2]) / 2; }

Estimator::Interval Estimator::median_interval()
{
    const auto left_out = ranks_.left_out(mean_.count());
    if (left_out < 0) return {unknown, unknown};
    const auto first = static_cast<std::size_t>(left_out);
    const double low = sorted_[first], high = sorted_[sorted_.size() - 1 - first];
    if (sees_steps_ && low == high) {
        const double half = half_width_of_equal(low, mean_.count(), confidence_, printed_step_);
        return {low - half, high + half};
    }
    const double widening = widening_ * of_correlation_;
    return {middle() - widening * (middle() - low), middle() + widening * (high - middle())};
}

double Estimator::mean_half_width()
{
    if (mean_.count() < 2) return unknown;
    if (sees_steps_ && mean_.standard_deviation() == 0)
        return half_width_of_equal(mean_.mean(), mean_.count(), confidence_, printed_step_);
    return half_width_.of(mean_) * widening_of_correlation();
}

bool Estimator::is_precise(double precision)
{
    switch (statistic_) {
    case Statistic::mean: {
        const double limit = precision * mean_.mean();
        if (mean_.mean() == 0 && mean_.standard_deviation() == 0) return true; // more repetitions show no more
        return half_width_.is_within(limit / of_correlation_, mean_) && mean_half_width() <= limit;
    }
    case Statistic::median: {
        const auto is_within = [&] {
            const auto [low, high] = median_interval();
            return std::max(high - middle(), middle() - low) <= precision * middle();
        };
        if (!is_within()) return false;
        widening_of_correlation();
        return is_within();
    }
    case Statistic::minimum: return minima_[(minima_.size() - 1) / 2] <= (1 + precision) * minima_.back();
    }
    return false;
}

Estimator::Spread Estimator::spread()
{
    switch (statistic_) {
    case Statistic::mean: return {mean_.mean(), mean_half_width()};
    case Statistic::median: {
        const auto [low, high] = median_interval();
        return {middle(), std::max(high - middle(), middle() - low)};
    }
    case Statistic::minimum: break;
    }
    return {minima_.back(), unknown};
}

Estimate Estimator::estimate(std::span<const double> values)
{
    next_look_ = 0;
    widening_of_correlation();
    const double middle_value = statistic_of(Statistic::median, values);
    const double least = statistic_of(Statistic::minimum, values);
    Estimate out{mean_.mean(), unknown, unknown, mean_.mean(), middle_value, least};
    if (statistic_ == Statistic::mean) {
        const double half = mean_half_width();
        out.low = out.value - half;
        out.high = out.value + half;
    } else if (statistic_ == Statistic::median) {
        const auto [low, high] = median_interval();
        out.value = middle_value;
        out.low = low;
        out.high = high;
    } else
        out.value = least;
    return out;
}

} // namespace hpart
