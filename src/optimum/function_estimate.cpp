// The median does not see spikes. Its standard error is 1.253 deviations over the root of the repetitions; the deviation is pooled over
// the processor's points, since two or three repetitions say little of it. A deviation says nothing of two speeds, between which a median may
// be anywhere: with enough repetitions the interval reaches over the order statistics that hold a median of any distribution, too.
#include "optimum/function_estimate.hpp"

#include "core/clock.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

namespace hpart::optimum
{

namespace
{

// Standard error of a median, in deviations over the root of the count: of many values, and of up to four.
constexpr double median_error = 1.253, median_error_of_few = 1.35;
// The median of |a - b| of two normal values of deviation 1, and of |a - mean|.
constexpr double median_difference = 0.954, median_distance = 0.6745;
// From so many repetitions on, a point's own deviation counts.
constexpr std::size_t own_deviation_from = 8;
// Order statistics leave out one repetition at each end, at least: it may be a spike.
constexpr std::int64_t spikes_left_out = 1;
// Batches differ by a disturbance if by so many deviations; so many sizes must have such batches.
constexpr double disturbed_deviations = 6;
constexpr std::size_t disturbed_sizes = 2;
// The jaggedness seen: a high quantile, its excess over 1 widened; never less than the last. docs/background/simulations.md has the table.
constexpr double jaggedness_quantile = 0.98, widening = 2, least_jaggedness = 1.3;
// Measured sizes on either side whose best speed counts.
constexpr std::size_t neighbours = 2;

double median_of(std::vector<double> values)
{
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 == 1) return *middle;
    return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

// The largest number of the least of n values that are all below the median with a probability of at most `tail`; -1: there is none.
std::int64_t left_out(std::int64_t n, double tail)
{
    double log_of_one = -static_cast<double>(n) * std::log(2.0), sum = 0;
    for (std::int64_t k = 0; k <= n; ++k) {
        sum += std::exp(log_of_one);
        if (sum > tail) return k - 1;
        log_of_one += std::log(static_cast<double>(n - k) / static_cast<double>(k + 1));
    }
    return n;
}

double tail_of(double quantile) { return std::erfc(quantile / std::sqrt(2.0)) / 2; }

std::int64_t repetitions_for_ranks(double quantile)
{
    std::int64_t n = 1;
    while (left_out(n, tail_of(quantile)) < spikes_left_out) ++n;
    return n;
}

double bound_of(std::vector<double> ratios)
{
    if (ratios.empty()) return least_jaggedness;
    const auto rank = std::ceil(jaggedness_quantile * static_cast<double>(ratios.size())) - 1;
    const auto at = ratios.begin() + static_cast<std::ptrdiff_t>(rank);
    std::nth_element(ratios.begin(), at, ratios.end());
    return std::max(least_jaggedness, 1 + widening * (*at - 1));
}

} // namespace

FunctionEstimate::FunctionEstimate(std::vector<std::int64_t> sizes, double quantile, bool are_printed)
    : sizes_(std::move(sizes)), points_(sizes_.size()), quantile_(quantile), are_printed_(are_printed),
      certain_repetitions_(repetitions_for_ranks(quantile))
{
}

void FunctionEstimate::find_ranks(Point &point) const
{
    const auto count = static_cast<std::int64_t>(point.samples.size());
    if (count < certain_repetitions_) return;
    auto sorted = point.samples;
    const auto at = static_cast<std::ptrdiff_t>(left_out(count, tail_of(quantile_)));
    std::nth_element(sorted.begin(), sorted.begin() + at, sorted.end());
    point.low_rank = sorted[static_cast<std::size_t>(at)];
    std::nth_element(sorted.begin(), sorted.end() - 1 - at, sorted.end());
    point.high_rank = *(sorted.end() - 1 - at);
}

// A mean of a value that is not true any more and of a new one would be neither.
void FunctionEstimate::forget_refuted(Point &point)
{
    if (point.known_repetitions == 0 || point.high_rank <= 0) return;
    if (point.low_rank <= point.known_median + point.known_half_width &&
        point.high_rank >= point.known_median - point.known_half_width)
        return;
    point.known_repetitions = 0;
    point.known_half_width = 0;
    point.least_batch = point.largest_batch = *std::min_element(point.samples.begin(), point.samples.end());
}

void FunctionEstimate::count_batch(std::size_t k, double least)
{
    auto &point = points_[k];
    if (point.batches++ == 0) {
        measured_.insert(std::lower_bound(measured_.begin(), measured_.end(), k), k);
        point.least_batch = point.largest_batch = least;
    }
    point.least_batch = std::min(point.least_batch, least);
    point.largest_batch = std::max(point.largest_batch, least);
    deviation_ = differences_.empty() ? 0 : median_of(differences_) / median_difference;
    disturbance_ = learned_disturbance();
}

double FunctionEstimate::learned_disturbance() const
{
    std::vector<double> ratios;
    for (const auto k : measured_) {
        const auto &[least, largest] = std::pair(points_[k].least_batch, points_[k].largest_batch);
        if (least > 0 && largest > (1 + disturbed_deviations * deviation_) * least) ratios.push_back(largest / least);
    }
    if (ratios.size() < disturbed_sizes) return 1;
    const auto at = ratios.begin() + (disturbed_sizes - 1);
    std::nth_element(ratios.begin(), at, ratios.end(), std::greater());
    return *at;
}

// The gap must be more than half of the way from one group's median to the other's.
std::optional<TwoSpeeds> FunctionEstimate::two_speeds(std::size_t k) const
{
    auto sorted = points_[k].samples;
    const auto count = static_cast<std::int64_t>(sorted.size());
    if (count < certain_repetitions_) return std::nullopt;
    std::sort(sorted.begin(), sorted.end());
    const auto out = static_cast<std::size_t>(left_out(count, tail_of(quantile_)));
    auto end = out + 1; // of the fast group
    for (auto j = end; j + out < sorted.size(); ++j)
        if (sorted[j] - sorted[j - 1] > sorted[end] - sorted[end - 1]) end = j;
    const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(end);
    const double fast = median_of({sorted.begin(), middle}), slow = median_of({middle, sorted.end()});
    if (!(sorted[end] - sorted[end - 1] > (slow - fast) / 2)) return std::nullopt;
    return TwoSpeeds{count, static_cast<std::int64_t>(end), fast, slow};
}

void FunctionEstimate::add(std::size_t k, std::span<const double> batch, std::optional<double> printed_step)
{
    if (batch.empty()) return;
    auto &point = points_[k];
    const auto median = median_of({batch.begin(), batch.end()});
    for (std::size_t r = 1; r < batch.size() && median > 0; ++r)
        differences_.push_back(std::abs(batch[r] - batch[r - 1]) / median);
    for (const double value : batch) step_ = std::min(step_, clock_step(value, printed_step));
    point.samples.insert(point.samples.end(), batch.begin(), batch.end());
    find_ranks(point);
    forget_refuted(point);
    const auto known = static_cast<double>(point.known_repetitions);
    const auto here = static_cast<double>(point.samples.size());
    point.measured = (known * point.known_median + here * median_of(point.samples)) / (known + here);
    point.median = std::max(0.0, point.measured);
    // No value is below 0: the error is at least the distance.
    point.error_below = std::max(0.0, -point.measured);
    for (const double value : point.samples)
        if (point.measured < 0) point.error_below = std::max(point.error_below, std::abs(value - point.measured));
    if (point.samples.size() >= own_deviation_from && point.median > 0) {
        auto distances = point.samples;
        for (auto &value : distances) value = std::abs(value - point.median);
        point.deviation = median_of(std::move(distances)) / median_distance / point.median;
    }
    count_batch(k, *std::min_element(batch.begin(), batch.end()));
}

void FunctionEstimate::add_known(std::size_t k, double median, double half_width, std::int64_t repetitions)
{
    auto &point = points_[k];
    point.known_median = point.median = median;
    point.known_half_width = half_width;
    point.known_repetitions = std::max<std::int64_t>(repetitions, 1);
    const auto count = static_cast<double>(point.known_repetitions);
    if (median > 0) {
        const double deviation = half_width / median * std::sqrt(count) / quantile_ / median_error;
        differences_.push_back(deviation * median_difference);
    }
    count_batch(k, median);
}

void FunctionEstimate::exclude(std::size_t k)
{
    const auto rank = rank_of(k);
    if (is_measured(k)) measured_.erase(measured_.begin() + static_cast<std::ptrdiff_t>(rank));
    points_[k] = {};
    points_[k].is_excluded = true;
}

Interval FunctionEstimate::interval(std::size_t k) const
{
    const auto &point = points_[k];
    const auto count = point.repetitions();
    const double error = (count <= 4 ? median_error_of_few : median_error) * std::max(point.deviation, deviation_);
    const double of_known =
        point.known_half_width * std::sqrt(static_cast<double>(point.known_repetitions) / static_cast<double>(count));
    // Values that differ by more than their rounding show the median between its steps.
    const double half_width = std::max({of_known, rounding_of(point), point.error_below,
                                        quantile_ * error / std::sqrt(static_cast<double>(count)) * point.median}) +
                              point.systematic_error;
    // Most of a few repetitions may have been disturbed, or all of a batch.
    double least = point.median, most = point.median;
    if (point.samples.size() < own_deviation_from) least = std::min(least, point.least_batch);
    if (point.batches == 2) most = std::max(most, point.largest_batch);
    if (point.samples.size() == 2) most = std::max({point.median, point.samples[0], point.samples[1]});
    if (point.batches == 1) least /= disturbance_;
    double low = least - half_width, high = most + half_width;
    if (point.high_rank > 0) {
        low = std::min(low, point.low_rank - point.systematic_error);
        high = std::max(high, point.high_rank + point.systematic_error);
    }
    return {point.median, std::clamp(low, 0.0, point.median), std::max(point.median, high)};
}

bool FunctionEstimate::is_exhausted(std::size_t k) const
{
    constexpr double hardly = 1.2;
    const auto [value, low, high] = interval(k);
    return repetitions(k) >= certain_repetitions_ && high - low <= hardly * 2 * rounding_of(points_[k]);
}

std::size_t FunctionEstimate::rank_of(std::size_t k) const
{
    return static_cast<std::size_t>(std::lower_bound(measured_.begin(), measured_.end(), k) - measured_.begin());
}

double FunctionEstimate::trend(std::size_t k) const
{
    const auto rank = rank_of(k);
    const auto after = rank + (rank < measured() && measured_[rank] == k ? 1 : 0);
    const auto at = [&](std::size_t j) { return static_cast<double>(sizes_[j]); };
    const auto scaled = [&](std::size_t j) { return points_[j].median * (at(k) / at(j)); };
    if (rank == 0 && after == measured()) return 0;
    if (rank == 0) return scaled(measured_[after]);
    const auto left = measured_[rank - 1];
    if (after == measured()) return scaled(left);
    const auto right = measured_[after];
    const double low = points_[left].median, high = points_[right].median;
    if (low <= 0 || high <= 0) return std::min(low, high);
    const double way = std::log(at(k) / at(left)) / std::log(at(right) / at(left));
    return low * std::pow(high / low, way);
}

double FunctionEstimate::at_best_speed(std::size_t k) const
{
    const auto rank = rank_of(k);
    const auto after = rank + (rank < measured() && measured_[rank] == k ? 1 : 0);
    double least = std::numeric_limits<double>::infinity();
    const auto look = [&](std::size_t j) {
        least = std::min(least, points_[j].median / static_cast<double>(sizes_[j]));
    };
    for (auto r = rank - std::min(rank, neighbours); r < rank; ++r) look(measured_[r]);
    for (auto r = after; r < std::min(measured(), after + neighbours); ++r) look(measured_[r]);
    return std::isinf(least) ? 0 : least * static_cast<double>(sizes_[k]);
}

double FunctionEstimate::lower_bound(std::size_t k, const Jaggedness &jaggedness) const
{
    if (is_measured(k)) return interval(k).low;
    return std::max(trend(k) / jaggedness.of_trend, at_best_speed(k) / jaggedness.of_best_speed);
}

Jaggedness FunctionEstimate::learned_jaggedness() const
{
    std::vector<double> of_trend, of_best_speed;
    for (const auto k : measured_) {
        if (points_[k].median <= 0) continue;
        of_trend.push_back(trend(k) / points_[k].median);
        of_best_speed.push_back(at_best_speed(k) / points_[k].median);
    }
    return {bound_of(std::move(of_trend)), bound_of(std::move(of_best_speed))};
}

} // namespace hpart::optimum
