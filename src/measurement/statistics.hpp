// Sample statistics and the confidence interval of a mean by Student's t.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hpart
{

// Mean and standard deviation of a growing sample (Welford 1962: no cancellation).
class RunningMean
{
  public:
    void add(double value);
    std::int64_t count() const { return count_; }
    double mean() const { return mean_; }
    // Estimates the population's deviation: divides by count - 1; 0 for one value.
    double standard_deviation() const;

  private:
    std::int64_t count_ = 0;
    double mean_ = 0;
    double squares_ = 0; // sum of squared deviations from the mean
};

RunningMean mean_of(std::span<const double> values);

enum class IntervalKind : std::uint8_t {
    two_sided, // widened, since looking after every repetition makes a plain interval miss too often
    plain,
    one_sided, // the papers': the quantile at the confidence itself, so that 0.95 gives a two-sided 90 % interval
};

IntervalKind interval_named(std::string_view option);
// The quantile at which an interval of that kind ends, and by how much it is wider than that.
double probability_of(IntervalKind interval, double confidence);
double widening_of(IntervalKind interval);

// Half-widths of confidence intervals; remembers the quantile of one sample size.
class HalfWidth
{
  public:
    // Fails when this build has no library of distributions.
    HalfWidth(IntervalKind interval, double confidence);
    // The half-width for a sample of at least 2 values.
    double of(const RunningMean &sample);
    // True if the half-width is at most the limit. Computes no quantile if it is far above.
    bool is_within(double limit, const RunningMean &sample);

  private:
    double probability_;
    double widening_;
    double least_factor_; // at infinitely many degrees of freedom, times the root of the count
    std::int64_t degrees_ = 0;
    double factor_ = 0;
};

// The half-width of the mean's interval where all of `count` samples are this value. With this confidence at most the share
// 1 - (1 - confidence)^(1 / count) of all runs takes another time; hpart assumes that such a time is a step away, as clock_step() knows it.
double half_width_of_equal(double value, std::int64_t count, double confidence, std::optional<double> printed_step);

// values must not be empty; they are reordered.
double median(std::span<double> values);

// The size at which a partially measured function bends most: the next size to measure.

// Values of several processors at the same sizes.
struct Curves {
    std::vector<std::int64_t> sizes;          // increasing
    std::vector<std::vector<double>> seconds; // one array per processor
};

// The multiple of `block` nearest to the middle of the interval between neighbouring sizes in which a straight line is worst,
// over all processors, relative to the smaller end: the error is judged by the second differences with the sizes on either side. Nothing
// when it is at most `tolerance` everywhere, or no interval has a multiple inside. With only two sizes: the
// middle.
std::optional<std::int64_t> size_at_bend(const Curves &curves, double tolerance, std::int64_t block);

} // namespace hpart
