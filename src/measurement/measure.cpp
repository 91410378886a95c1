#include "measurement/measure.hpp"

#include "core/error.hpp"
#include "core/file.hpp"
#include "core/numbers.hpp"
#include "core/text.hpp"
#include "measurement/distributions.hpp"
#include "measurement/disturbance.hpp"
#include "measurement/energy_profile.hpp"
#include "measurement/estimator.hpp"
#include "measurement/team_run.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

namespace hpart
{

namespace
{

Check check_result(const Team &team, const TeamRun &run)
{
    const BuiltinKernel *checker = nullptr;
    std::vector<SliceResult> results;
    for (const auto i : run.active()) {
        checker = dynamic_cast<const BuiltinKernel *>(team.member(i).kernel.get());
        results.push_back({run.slices()[i], checker->result()});
    }
    return checker == nullptr ? Check{0, 0} : check_slices(*checker, results); // no rows, no error
}

// The kernels of a team have the same parts, or each has other ones.
void add_parts(const Team &team, const TeamRun &run, Execution &out)
{
    for (const auto i : run.active()) {
        const auto *kernel = dynamic_cast<const BuiltinKernel *>(team.member(i).kernel.get());
        if (kernel == nullptr) continue;
        for (const auto &[name, seconds] : kernel->parts()) {
            const auto key = text(name, "_seconds");
            auto found =
                std::find_if(out.parts.begin(), out.parts.end(), [&](const auto &part) { return part.first == key; });
            if (found == out.parts.end())
                found = out.parts.insert(found, {key, std::vector<double>(out.seconds.size(), 0)});
            found->second[i] = seconds;
        }
    }
}

void write_samples(const std::string &path, const Team &team, const TeamRun &run, const Measurement &measurement)
{
    auto content = samples_header();
    for (std::size_t a = 0; a < run.active().size(); ++a) {
        const auto i = run.active()[a];
        content += sample_lines(team.member(i).name, run.slices()[i].rows, measurement.samples_of(a));
    }
    write_file(path, content);
}

// Counters of the run's threads and cores. With devices: of the devices' cores, whose threads are older than the run.
std::unique_ptr<Counters> system_counters(const Team &team, const TeamRun &run, const std::set<pid_t> &earlier)
{
    auto threads = thread_ids();
    std::erase_if(threads, [&](pid_t id) { return earlier.contains(id); });
    CoreList of_threads, of_devices;
    bool all_known = true;
    for (const auto i : run.active()) {
        const auto &[cores, occupied] = std::tie(team.member(i).cores, team.member(i).occupied);
        all_known = all_known && !occupied.empty();
        auto &all = cores.empty() ? of_devices : of_threads;
        all.insert(all.end(), occupied.begin(), occupied.end());
    }
    const bool has_devices = !of_devices.empty();
    auto cores = has_devices ? std::move(of_devices) : all_known ? std::move(of_threads) : CoreList{};
    SystemCounters::Names names;
    for (std::size_t a = 0; a < run.active().size(); ++a) {
        names.of_programs.push_back(team.member(run.active()[a]).name);
        const auto [thread, is_new] = names.of_threads.emplace(run.thread_ids()[a], names.of_programs.back());
        if (!is_new) thread->second.clear(); // an application's, of all processors
    }
    const auto waits = [&team, &run] {
        std::vector<double> waited;
        for (const auto i : run.active()) waited.push_back(team.member(i).kernel->waited_seconds());
        return waited;
    };
    return std::make_unique<SystemCounters>(threads, std::move(cores), has_devices, "/proc", waits, std::move(names));
}

} // namespace

MeasureSettings MeasureSettings::from(const Options &options)
{
    return {StopRule::from(options), options.get_int("warmup"), options.get_text("samples_file"), system_counters};
}

Measurement measure(const Team &team, std::vector<Slice> slices, const MeasureSettings &settings, const Poll &poll)
{
    if (!settings.samples.empty()) require_writable_file(settings.samples);
    const auto earlier = thread_ids();
    std::int64_t largest = 0;
    for (const auto &slice : slices) largest = std::max(largest, slice.rows);
    auto rule = settings.rule.of_size(largest);
    TeamRun run(team, std::move(slices));
    rule.printed_step = [&](std::size_t a) { return team.member(run.active()[a]).kernel->printed_step(); };
    std::optional<Clock::time_point> start;
    double fraction = 0;
    std::string what = "warming up";
    const Poll of_run([&] {
        const double of_time = start && rule.max_seconds > 0 ? seconds_since(*start) / rule.max_seconds : 0;
        poll.check(std::clamp(of_time, fraction, 1.0), what);
    });
    double usual_seconds = 0;
    for (std::int64_t k = 0; k < settings.warmup; ++k) {
        run.repeat(of_run);
        usual_seconds = longest(run.spans());
    }
    const BindingWatch watch(team, run);
    std::unique_ptr<Counters> counters;
    std::optional<DisturbanceWatch> disturbances;
    if (settings.counters && !run.active().empty()) {
        counters = settings.counters(team, run, earlier);
        disturbances.emplace(*counters, rule.precision, usual_seconds);
    }
    start = Clock::now();
    what = "measuring";
    const auto sample = [&](std::span<double> seconds) {
        run.repeat(of_run);
        for (std::size_t a = 0; a < seconds.size(); ++a) seconds[a] = run.spans()[a].seconds();
    };
    const auto keep = [&](const MeanSoFar &now) {
        fraction = now.fraction;
        what = text(brief_seconds(now.seconds, now.half_width), " after ", pluralise(now.repetitions, "run"));
    };
    auto measurement = mean_using_t_test(
        rule, run.active().size(), sample, [&] { return seconds_since(*start); },
        disturbances ? &*disturbances : nullptr, keep);
    measurement.broken_bindings = watch.broken();
    if (!settings.samples.empty()) write_samples(settings.samples, team, run, measurement);
    return measurement;
}

void require_reference(const Team &team)
{
    if (team.shared_kernel().empty())
        fail_option(Status::unsupported, "check",
                    " is 1, but the processors of this team do not run one built-in kernel "
                    "of the same dims, so that there is no reference");
}

Check check_slices(const BuiltinKernel &checker, std::span<const SliceResult> slices)
{
    const auto check = checker.check(slices);
    // Written so that a NaN is wrong too.
    if (!(check.max_relative_error <= check.tolerance))
        fail(Status::numerical, "the result of ", checker.description(), " is wrong: its largest relative error is ",
             check.max_relative_error, "; rounding explains at most ", check.tolerance);
    return check;
}

Execution execute(const Team &team, std::span<const std::int64_t> x, std::int64_t warmup, bool check, Control &control)
{
    if (check) require_reference(team);
    control.report_progress(0, "preparing");
    TeamRun run(team, team.slices(x));
    for (std::int64_t k = 0; k <= warmup; ++k) {
        const Poll poll([&] {
            control.report_progress(static_cast<double>(k) / static_cast<double>(warmup + 1),
                                    k < warmup ? "warming up" : "running");
        });
        run.repeat(poll);
    }
    Execution out;
    out.seconds.assign(x.size(), 0);
    for (std::size_t a = 0; a < run.active().size(); ++a) out.seconds[run.active()[a]] = run.spans()[a].seconds();
    add_parts(team, run, out);
    if (check) {
        control.report_progress(static_cast<double>(warmup) / static_cast<double>(warmup + 1), "checking the result");
        out.check = check_result(team, run);
    }
    return out;
}

Report report_of(const Measurement &measurement, const StopRule &rule, std::span<const std::size_t> active,
                 std::size_t processors)
{
    const auto repetitions = static_cast<std::size_t>(measurement.repetitions);
    std::vector<Diagnosis> found;
    for (std::size_t a = 0; a < active.size(); ++a)
        found.push_back(diagnose(measurement.samples_of(a), rule.confidence));
    const auto spread = [&](const auto &of) {
        std::vector<double> values(processors, 0);
        for (std::size_t a = 0; a < active.size(); ++a) values[active[a]] = of(a);
        return values;
    };
    const auto spread_repetitions = [&](const auto &of) {
        std::vector<double> values(repetitions * processors, 0);
        for (std::size_t r = 0; r < repetitions; ++r)
            for (std::size_t a = 0; a < active.size(); ++a) values[r * processors + active[a]] = of(r, a);
        return values;
    };
    const auto &estimates = measurement.estimates;
    Report report;
    report.set("repetitions", measurement.repetitions);
    report.set("statistic", std::string(statistic_name(rule.statistic)));
    report.set("mean", spread([&](auto a) { return estimates[a].mean; }));
    report.set("contaminated", measurement.contaminated);
    report.set("busy", measurement.busy);
    report.set("interval", describe(rule));
    report.set("interval_low", spread([&](auto a) { return estimates[a].low; }));
    report.set("interval_high", spread([&](auto a) { return estimates[a].high; }));
    report.set("median", spread([&](auto a) { return estimates[a].median; }));
    report.set("median_low", spread([&](auto a) { return found[a].median.low; }));
    report.set("median_high", spread([&](auto a) { return found[a].median.high; }));
    report.set("minimum", spread([&](auto a) { return estimates[a].minimum; }));
    report.set("samples",
               spread_repetitions([&](auto r, auto a) { return measurement.samples[r * active.size() + a]; }));
    report.set("outliers", spread([&](auto a) {
                   const auto &flags = found[a].outliers;
                   return static_cast<double>(std::count(flags.begin(), flags.end(), true));
               }));
    report.set("outlier_flags", spread_repetitions([&](auto r, auto a) { return found[a].outliers[r] ? 1.0 : 0.0; }));
    report.set("normality_p", spread([&](auto a) { return found[a].normality_p; }));
    report.set("normality_test", std::string(normality_test(repetitions)));
    report.set("drift", spread([&](auto a) { return found[a].drift.change; }));
    report.set("drift_p", spread([&](auto a) { return found[a].drift.p; }));
    report.set("serial_correlation", spread([&](auto a) { return found[a].serial.lag_1; }));
    report.set("serial_correlation_p", spread([&](auto a) { return found[a].serial.p; }));
    report.set("stop_reason", std::string(stop_reason_name(measurement.reason)));
    report.set("precision_reached", std::int64_t{measurement.precise ? 1 : 0});
    return report;
}

// Sources. Interval of the median, rank correlation: Conover, Practical Nonparametric Statistics, 1999. Outliers (3.5; the mean deviation
// if the median one is 0): Iglewicz and Hoaglin, How to Detect and Handle Outliers, 1993. Anderson-Darling with estimated mean and
// deviation, cells of Pearson's test: D'Agostino and Stephens, Goodness-of-Fit Techniques, 1986. Serial correlation: Wald and Wolfowitz,
// An Exact Test for Randomness in the Non-Parametric Case Based on Serial Correlation, 1943, on ranks as in Bartels, The Rank Version of
// von Neumann's Ratio Test for Randomness, 1982.

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
