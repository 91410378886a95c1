// Sources. Interval of the median, rank correlation: Conover, Practical Nonparametric Statistics, 1999. Outliers (3.5; the mean deviation
// if the median one is 0): Iglewicz and Hoaglin, How to Detect and Handle Outliers, 1993. Anderson-Darling with estimated mean and
// deviation, cells of Pearson's test: D'Agostino and Stephens, Goodness-of-Fit Techniques, 1986. Serial correlation: Wald and Wolfowitz,
// An Exact Test for Randomness in the Non-Parametric Case Based on Serial Correlation, 1943, on ranks as in Bartels, The Rank Version of
// von Neumann's Ratio Test for Randomness, 1982.
#include "measurement/diagnostics.hpp"

#include "core/numbers.hpp"
#include "measurement/distributions.hpp"
#include "measurement/estimator.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace hpart
{

namespace
{

constexpr double outlier_deviations = 3.5;
// A normal population's standard deviation over its median, and over its mean, absolute deviation.
constexpr double deviation_of_median = 1.482602218505602;
constexpr double deviation_of_mean = 1.2533141373155003;
// Cells of Pearson's test hold 5 samples or more when there are about 10 of them.
constexpr std::size_t enough_for_pearson = 50;
constexpr double fewest_in_cell = 5;
constexpr int estimated_parameters = 2;

double median_of(std::span<const double> values)
{
    std::vector<double> copy(values.begin(), values.end());
    return median(copy);
}

// p-values of D'Agostino and Stephens, table 4.9; the statistic of fewer than 50 samples stays below 30.
double anderson_darling_p(std::span<const double> samples, double mean, double deviation)
{
    std::vector<double> z(samples.begin(), samples.end());
    std::sort(z.begin(), z.end());
    const auto n = static_cast<double>(z.size());
    double sum = 0;
    for (std::size_t i = 0; i < z.size(); ++i)
        sum += static_cast<double>(2 * i + 1) * (std::log(normal_p((z[i] - mean) / deviation)) +
                                                 std::log(normal_p((mean - z[z.size() - 1 - i]) / deviation)));
    const double a = (-n - sum / n) * (1 + 0.75 / n + 2.25 / (n * n));
    if (a >= 0.6) return std::exp(1.2937 - 5.709 * a + 0.0186 * a * a);
    if (a >= 0.34) return std::exp(0.9177 - 4.279 * a - 1.38 * a * a);
    if (a >= 0.2) return 1 - std::exp(-8.318 + 42.796 * a - 59.938 * a * a);
    return 1 - std::exp(-13.436 + 101.14 * a - 223.73 * a * a);
}

// Cells of equal probability.
double pearson_p(std::span<const double> samples, double mean, double deviation)
{
    const auto n = static_cast<double>(samples.size());
    const double cells = std::floor(std::min(2 * std::pow(n, 0.4), n / fewest_in_cell));
    std::vector<double> counts(static_cast<std::size_t>(cells), 0);
    for (const double value : samples)
        ++counts[static_cast<std::size_t>(std::min(normal_p((value - mean) / deviation) * cells, cells - 1))];
    double sum = 0;
    for (const double count : counts) sum += (count - n / cells) * (count - n / cells);
    return chi_squared_upper_tail(sum * cells / n, cells - 1 - estimated_parameters);
}

// Ranks from 1 on; equal values share the mean of theirs.
std::vector<double> ranks_of(std::span<const double> values)
{
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::sort(order.begin(), order.end(), [&](std::size_t i, std::size_t j) { return values[i] < values[j]; });
    std::vector<double> ranks(values.size());
    for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
        while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
        for (std::size_t k = begin; k < end; ++k) ranks[order[k]] = static_cast<double>(begin + end + 1) / 2;
    }
    return ranks;
}

// Spearman's rank correlation of the samples with the order in which they were taken; 0 when all are equal.
double correlation_with_time(std::span<const double> samples)
{
    const auto ranks = ranks_of(samples);
    const double middle = (static_cast<double>(samples.size()) + 1) / 2;
    double together = 0, of_ranks = 0, of_time = 0;
    for (std::size_t r = 0; r < ranks.size(); ++r) {
        const double time = static_cast<double>(r + 1) - middle, rank = ranks[r] - middle;
        together += time * rank;
        of_ranks += rank * rank;
        of_time += time * time;
    }
    return of_ranks == 0 ? 0 : together / std::sqrt(of_ranks * of_time);
}

// The probability of a correlation this far from 0 or farther, if there is none: Student's t, where its variance is 1 / (degrees
// + 1).
double correlation_p(double correlation, double degrees)
{
    const double unexplained = 1 - correlation * correlation;
    if (unexplained <= 0) return 0;
    return std::min(1.0, 2 * t_upper_tail(std::abs(correlation) * std::sqrt(degrees / unexplained), degrees));
}

// Deviations from the mean of the values, over the largest of them, so that no square leaves the range of doubles.
std::vector<double> deviations_of(std::span<const double> values)
{
    const double mean = mean_of(values).mean();
    std::vector<double> out;
    double largest = 0;
    for (const double value : values) {
        out.push_back(value - mean);
        largest = std::max(largest, std::abs(out.back()));
    }
    if (largest > 0)
        for (double &deviation : out) deviation /= largest;
    return out;
}

double sum_of_powers(std::span<const double> values, int power)
{
    double sum = 0;
    for (const double value : values) sum += std::pow(value, power);
    return sum;
}

// The correlation of neighbouring values; 0 when all are equal.
double lag_1_of(std::span<const double> deviations)
{
    double together = 0;
    for (std::size_t r = 0; r + 1 < deviations.size(); ++r) together += deviations[r] * deviations[r + 1];
    const double squares = sum_of_powers(deviations, 2);
    return squares == 0 ? 0 : together / squares;
}

// The variance of lag_1_of over all orders of the values, whose mean is then -1 / n.
double variance_of_lag_1(std::span<const double> deviations)
{
    const auto n = static_cast<double>(deviations.size());
    const double squares = sum_of_powers(deviations, 2);
    // The fourth powers over the square of the squares: for ranks without ties about 9 / (5 n).
    const double fourth = sum_of_powers(deviations, 4) / (squares * squares);
    return (1 - fourth) / n + (1 - 2 * fourth) / (n * (n - 1)) - 1 / (n * n);
}

} // namespace

MedianInterval median_interval(std::span<const double> sorted, double confidence)
{
    const auto left_out = MedianRanks((1 + confidence) / 2).left_out(static_cast<std::int64_t>(sorted.size()));
    if (left_out < 0) return {unknown, unknown};
    const auto first = static_cast<std::size_t>(left_out);
    return {sorted[first], sorted[sorted.size() - 1 - first]};
}

std::vector<bool> outliers(std::span<const double> samples)
{
    std::vector<bool> flags(samples.size(), false);
    if (samples.empty()) return flags;
    const double middle = median_of(samples);
    std::vector<double> distances;
    for (const double value : samples) distances.push_back(std::abs(value - middle));
    double deviation = deviation_of_median * median_of(distances);
    // More than half of the samples are equal.
    if (deviation == 0) deviation = deviation_of_mean * mean_of(distances).mean();
    for (std::size_t r = 0; r < samples.size(); ++r) flags[r] = distances[r] > outlier_deviations * deviation;
    return flags;
}

std::string_view normality_test(std::size_t samples)
{
    if (samples < fewest_to_test) return "none";
    return samples < enough_for_pearson ? "anderson-darling" : "pearson";
}

double normality_p(std::span<const double> samples)
{
    const auto mean = mean_of(samples);
    const double deviation = mean.standard_deviation();
    if (samples.size() < fewest_to_test || !(deviation > 0)) return unknown;
    return samples.size() < enough_for_pearson ? anderson_darling_p(samples, mean.mean(), deviation)
                                               : pearson_p(samples, mean.mean(), deviation);
}

Drift drift(std::span<const double> samples)
{
    const auto third = samples.size() / 3;
    if (third == 0) return {0, unknown};
    const double middle = median_of(samples);
    const double rise = median_of(samples.last(third)) - median_of(samples.first(third));
    const double change = rise == 0 ? 0 : rise / middle;
    if (samples.size() < fewest_to_test) return {change, unknown};
    const double correlation = correlation_with_time(samples);
    return {change, correlation_p(correlation, static_cast<double>(samples.size()) - 2)};
}

SerialCorrelation serial_correlation(std::span<const double> samples)
{
    const double lag_1 = lag_1_of(deviations_of(samples));
    if (samples.size() < fewest_to_test) return {lag_1, unknown};
    const auto ranks = deviations_of(ranks_of(samples));
    if (sum_of_powers(ranks, 2) == 0) return {lag_1, 1};
    const double from_mean = lag_1_of(ranks) + 1 / static_cast<double>(samples.size());
    return {lag_1, correlation_p(from_mean, 1 / variance_of_lag_1(ranks) - 1)};
}

Diagnosis diagnose(std::span<const double> samples, double confidence)
{
    std::vector<double> sorted(samples.begin(), samples.end());
    std::sort(sorted.begin(), sorted.end());
    return {median_interval(sorted, confidence), outliers(samples), normality_p(samples), drift(samples),
            serial_correlation(samples)};
}

} // namespace hpart
