// Diagnostics of a sample: the median's interval, and tests of the assumptions of the t-test.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace hpart
{

// From so many samples on there are tests of normality, drift and serial correlation.
constexpr std::size_t fewest_to_test = 8;

struct MedianInterval {
    double low, high;
};

// Two order statistics between which the median of the population is with at least this confidence, whatever its
// distribution; NaN when the samples are too few for any such pair (fewer than 6 at 0.95).
MedianInterval median_interval(std::span<const double> sorted, double confidence);

// Samples far from the median: by 3.5 robust standard deviations, which are 1.4826 median absolute deviations. Empty samples
// have none.
std::vector<bool> outliers(std::span<const double> samples);

// The probability of a sample as unlike a normal one as this, if its population is normal. NaN where there are too few samples
// or all are equal.
double normality_p(std::span<const double> samples);
// Which test normality_p takes for so many samples: "anderson-darling", "pearson", "none".
std::string_view normality_test(std::size_t samples);

struct Drift {
    double change; // the last third's median minus the first third's, over the median of all
    double p; // of a rank correlation with time as strong as this, if there is no trend; NaN where samples are too few
};

Drift drift(std::span<const double> samples);

// Correlation of successive samples. An interval that assumes independence is too narrow where it is positive: estimator.cpp widens it.
struct SerialCorrelation {
    double lag_1; // r, the autocorrelation of neighbours; 0 when all samples are equal
    double p; // of a rank correlation of neighbours as strong as this, if there is none; NaN where samples are too few
};

SerialCorrelation serial_correlation(std::span<const double> samples);

struct Diagnosis {
    MedianInterval median;
    std::vector<bool> outliers;
    double normality_p;
    Drift drift;
    SerialCorrelation serial;
};

Diagnosis diagnose(std::span<const double> samples, double confidence);

} // namespace hpart
