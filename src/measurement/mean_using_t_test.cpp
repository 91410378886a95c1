// Source: Khaleghzadeh's thesis of 2019, Algorithms 11 (MeanUsingTtest) and 12 (CalAccuracy). As printed its 95 % interval
// is a two-sided one of 90 % (the quantile is one-sided), the floor of repetitions is off by one, and the time limit leaves
// out the gaps between runs; here the interval can be chosen and the others are as their text means them.
#include "measurement/mean_using_t_test.hpp"

#include "core/error.hpp"

#include <algorithm>
#include <cmath>

namespace hpart
{

namespace
{

// An interval needs two samples.
constexpr std::int64_t fewest_repetitions = 2;

bool all_precise(std::span<const RunningMean> means, HalfWidth &half_width, double precision)
{
    return std::all_of(means.begin(), means.end(), [&](const RunningMean &sample) {
        return half_width.is_within(precision * sample.mean(), sample);
    });
}

Estimate estimate(const RunningMean &sample, HalfWidth &half_width, std::span<double> values)
{
    const double half = half_width.of(sample);
    return {sample.mean(), sample.mean() - half, sample.mean() + half, median(values),
            *std::min_element(values.begin(), values.end())};
}

} // namespace

StopRule StopRule::from(const Options &options)
{
    StopRule rule;
    rule.interval = interval_named(options.get_text("ttest"));
    rule.confidence = options.get_double("confidence");
    rule.precision = options.get_double("precision");
    rule.min_repetitions = options.get_int("min_repetitions");
    rule.max_repetitions = options.get_int("max_repetitions");
    rule.max_seconds = options.get_double("max_seconds");
    if (!options.is_set("min_repetitions")) rule.min_repetitions = std::min(rule.min_repetitions, rule.max_repetitions);
    if (rule.min_repetitions > rule.max_repetitions)
        fail_argument("option 'min_repetitions' is ", rule.min_repetitions, ", more than 'max_repetitions', ",
                      rule.max_repetitions);
    t_quantile(rule.confidence, 1);
    return rule;
}

std::string describe(const StopRule &rule)
{
    const auto percent = [](double share) { return format_double(std::round(share * 1e8) / 1e6) + " %"; };
    const auto floor =
        rule.min_repetitions >= StopRule{}.min_repetitions
            ? ""
            : text("; with a floor of ", rule.min_repetitions, " repetitions it holds the mean less often");
    switch (rule.interval) {
    case IntervalKind::two_sided:
        return text("two-sided, ", percent(rule.confidence), ", widened by 1.1 for the looks after every repetition",
                    floor);
    case IntervalKind::plain:
        return text("two-sided, ", percent(rule.confidence), ", less in truth for the looks after every repetition",
                    floor);
    case IntervalKind::one_sided:
        return text("one-sided quantile at ", percent(rule.confidence), ", as the papers have it: two-sided it is ",
                    percent(2 * rule.confidence - 1), ", less in truth for the looks after every repetition", floor);
    }
    return "unknown";
}

std::string_view stop_reason_name(StopReason reason)
{
    switch (reason) {
    case StopReason::precision: return "precision";
    case StopReason::max_repetitions: return "max_repetitions";
    case StopReason::max_seconds: return "max_seconds";
    case StopReason::max_total_seconds: return "max_total_seconds";
    }
    return "unknown";
}

std::vector<double> Measurement::samples_of(std::size_t processor) const
{
    std::vector<double> out(static_cast<std::size_t>(repetitions));
    for (std::size_t r = 0; r < out.size(); ++r) out[r] = samples[r * (samples.size() / out.size()) + processor];
    return out;
}

Measurement mean_using_t_test(const StopRule &rule, std::size_t processors, const Sampler &sample,
                              const ElapsedSeconds &elapsed)
{
    Measurement out;
    if (processors == 0) return out;
    std::vector<RunningMean> means(processors);
    HalfWidth half_width(rule.interval, rule.confidence);
    const double start = elapsed();
    for (;;) {
        out.samples.resize(out.samples.size() + processors);
        const auto newest = std::span(out.samples).last(processors);
        sample(newest);
        for (std::size_t i = 0; i < processors; ++i) means[i].add(newest[i]);
        ++out.repetitions;
        const bool time_is_up = elapsed() - start >= rule.max_seconds;
        if (out.repetitions < fewest_repetitions) continue;
        out.precise = out.repetitions >= rule.min_repetitions && all_precise(means, half_width, rule.precision);
        out.reason = StopReason::precision;
        if (out.precise) break;
        out.reason = StopReason::max_repetitions;
        if (out.repetitions >= rule.max_repetitions) break;
        out.reason = StopReason::max_seconds;
        if (time_is_up) break;
    }
    for (std::size_t i = 0; i < processors; ++i) {
        auto values = out.samples_of(i);
        out.estimates.push_back(estimate(means[i], half_width, values));
    }
    return out;
}

} // namespace hpart
