// MeanUsingTtest: repeats a run until the mean, or another statistic, of every processor's time is known precisely enough.
#pragma once

#include "core/options.hpp"
#include "measurement/disturbance.hpp"
#include "measurement/estimator.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hpart
{

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
    static StopRule from(const Options &options);
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

// After a repetition.
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
