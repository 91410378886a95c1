// One processor's growing sample: the statistic that is measured, its interval, and whether it is known precisely enough.
#pragma once

#include "core/options.hpp"
#include "measurement/disturbance.hpp"
#include "measurement/statistics.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
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

// MeanUsingTtest: repeats a run until the mean, or another statistic, of every processor's time is known precisely enough.

// Numbers of repetitions for sizes from smallest to largest.
struct RepetitionLimits {
    std::int64_t smallest, largest;
    std::int64_t min_repetitions, max_repetitions;
};

// "1-1000:50-500,1001-:3-10": option 'repetitions'; in the order of sizes. Fails if ranges overlap.
std::vector<RepetitionLimits> parse_repetitions(std::string_view option);

struct StopRule {
    Statistic statistic = Statistic::mean;
    IntervalKind interval = IntervalKind::two_sided;
    double confidence = 0.95;
    double precision = 0.025; // half-width over the statistic
    std::int64_t min_repetitions = 10;
    std::int64_t max_repetitions = 100000;
    double max_seconds = 120;
    bool repeats_contaminated = true;
    bool sees_steps = true;       // equal samples may come from a coarse clock
    bool keeps_cancelled = false; // a caller who stops the call after two repetitions gets these as the result
    bool keeps_time = false;      // no repetition begins that will not end within max_seconds; one is enough
    std::vector<RepetitionLimits> by_size = {};
    // The step of printed times of a processor, or of distributions; null: the step of the numbers themselves.
    std::function<std::optional<double>(std::size_t)> printed_step = {};

    // With the limits of that size, if by_size has some.
    StopRule of_size(std::int64_t size) const;

    // Fails when the numbers contradict each other, or when this build cannot compute intervals.
    static StopRule from(const Options &options, std::uint32_t call = 0);
};

// Describes the interval and how often it holds the true value: "two-sided, 95 %, ...".
std::string describe(const StopRule &rule);

enum class StopReason : std::uint8_t { precision, max_repetitions, max_seconds, max_total_seconds, cancelled };
std::string_view stop_reason_name(StopReason reason);

struct Measurement {
    std::int64_t repetitions = 0;
    StopReason reason = StopReason::precision;
    bool precise = true;                           // every interval is as narrow as asked for
    std::vector<Estimate> estimates;               // one per processor
    std::vector<double> samples;                   // repetition by repetition, one per processor
    std::vector<std::string> broken_bindings = {}; // one per processor: "" where it kept its cores
    std::int64_t contaminated = 0;                 // repetitions that the system disturbed, repeated or not
    std::string busy = {};                         // who disturbed more than a third of the repetitions

    std::vector<double> samples_of(std::size_t processor) const;
};

// Writes one time a processor.
using Sampler = std::function<void(std::span<double> seconds)>;
// Seconds since any fixed moment.
using ElapsedSeconds = std::function<double()>;

// Now and then after a repetition.
struct MeanSoFar {
    double seconds, half_width; // of the slowest processor; NaN without an interval
    std::int64_t repetitions;
    double fraction; // of the repetitions that the precision probably takes
};
using MeanReport = std::function<void(const MeanSoFar &)>;

// Disturbed repetitions are measured again, a third of all at most; the samples and their number are without those.
// Stops after repetition r when r >= min_repetitions and all intervals are narrow enough, or r = max_repetitions, or r >= 2
// and max_seconds have gone by, the gaps between the runs included.
Measurement mean_using_t_test(const StopRule &rule, std::size_t processors, const Sampler &sample,
                              const ElapsedSeconds &elapsed, DisturbanceWatch *watch = nullptr,
                              const MeanReport &report = {});

} // namespace hpart
