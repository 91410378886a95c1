// The measurement and the execution of one distribution by a team.
#pragma once

#include "core/options.hpp"
#include "core/progress.hpp"
#include "measurement/estimator.hpp"
#include "measurement/team_run.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hpart
{

// The counters to judge a run by. earlier: this process's threads before the run's own were started.
using CountersOf =
    std::function<std::unique_ptr<Counters>(const Team &team, const TeamRun &run, const std::set<pid_t> &earlier)>;

struct MeasureSettings {
    StopRule rule;
    std::int64_t warmup = 1;
    std::string samples;      // a file for all samples; "": none
    CountersOf counters = {}; // none: repetitions are not judged

    // With this machine's counters.
    static MeasureSettings from(const Options &options);
};

// The estimates are of the processors that have rows, in order. poll is asked between the repetitions, and during them only if it can
// interrupt them: it would disturb kernels of this process.
Measurement measure(const Team &team, std::vector<Slice> slices, const MeasureSettings &settings, const Poll &poll);

struct Execution {
    std::vector<double> seconds;                                    // one per processor, 0 where idle
    std::vector<std::pair<std::string, std::vector<double>>> parts; // of a run in parts: seconds of each, as `seconds`
    std::optional<Check> check;
};

// Fails unless the team has one built-in kernel, whose results have a reference.
void require_reference(const Team &team);
// Compares consecutive slices from row 0. Status::numerical: they are wrong.
Check check_slices(const BuiltinKernel &checker, std::span<const SliceResult> slices);

// Fails with Status::numerical when the check finds the result wrong.
Execution execute(const Team &team, std::span<const std::int64_t> x, std::int64_t warmup, bool check, Control &control);

// The keys of hpart_team_measure; arrays have an entry for each of the processors, 0 for those that are not active.
Report report_of(const Measurement &measurement, const StopRule &rule, std::span<const std::size_t> active,
                 std::size_t processors);

// Diagnostics of a sample: the median's interval, and tests of the assumptions of the t-test.

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
