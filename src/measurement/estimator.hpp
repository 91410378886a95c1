// One processor's growing sample: the statistic that is measured, its interval, and whether it is known precisely enough.
#pragma once

#include "measurement/statistics.hpp"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace hpart
{

enum class Statistic : std::uint8_t { mean, median, minimum };

Statistic statistic_named(std::string_view option);
std::string_view statistic_name(Statistic statistic);
// values must not be empty.
double statistic_of(Statistic statistic, std::span<const double> values);

struct Estimate {
    double value;     // the statistic
    double low, high; // its interval; NaN where there is none
    double mean, median, minimum;
};

// The largest number of samples at each end of a sorted sample that may be left out so that the population's median is between the
// others with this probability at each side. Ask for growing counts.
class MedianRanks
{
  public:
    explicit MedianRanks(double probability) : tail_(1 - probability) {}
    // Negative if the samples are too few.
    std::int64_t left_out(std::int64_t count);

  private:
    double tail_;
    std::int64_t count_ = 0, left_out_ = -1;
};

class Estimator
{
  public:
    // Fails when this build has no library of distributions.
    // sees_steps: a two-sided interval of equal values is as wide as half_width_of_equal().
    Estimator(Statistic statistic, IntervalKind interval, double confidence, bool sees_steps);
    void add(double value);
    // The step of the values as they are printed; nothing: the step of the numbers themselves.
    void set_printed_step(std::optional<double> step) { printed_step_ = step; }
    // For at least 2 values: true if the interval's half-width is at most precision x the statistic. The minimum is precise if the second
    // half of the values lowered it by no more than that.
    bool is_precise(double precision);
    struct Spread {
        double value, half_width; // NaN where there is no interval
    };
    // The statistic of the values so far.
    Spread spread();
    // values: those that were added.
    Estimate estimate(std::span<const double> values);

  private:
    // By how much a two-sided interval is wider because successive values are correlated; counted again after a tenth more of them.
    double widening_of_correlation();
    struct Interval {
        double low, high;
    };
    Interval median_interval();
    double mean_half_width();
    double middle() const;

    Statistic statistic_;
    bool sees_correlation_, sees_steps_;
    double confidence_, widening_;
    std::optional<double> printed_step_;
    HalfWidth half_width_;
    MedianRanks ranks_;
    RunningMean mean_;
    std::vector<double> sorted_; // for the median
    std::vector<double> values_; // in their order
    std::size_t next_look_ = 0;  // at their correlation
    double of_correlation_ = 1;
    std::vector<double> minima_; // of the first 1, 2, 3, ... values, for the minimum
};

} // namespace hpart
