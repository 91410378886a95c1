#include "measurement/measure.hpp"

#include "core/error.hpp"
#include "core/file.hpp"
#include "core/text.hpp"
#include "measurement/binding.hpp"
#include "measurement/diagnostics.hpp"
#include "measurement/samples_file.hpp"
#include "measurement/system_counters.hpp"

#include <algorithm>
#include <tuple>

namespace hpart
{

namespace
{

constexpr double seconds_between_reports = 0.05;

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
    return std::make_unique<SystemCounters>(threads, std::move(cores), has_devices, "/proc", [&team, &run] {
        std::vector<double> waited;
        for (const auto i : run.active()) waited.push_back(team.member(i).kernel->waited_seconds());
        return waited;
    });
}

} // namespace

MeasureSettings MeasureSettings::from(const Options &options)
{
    return {StopRule::from(options), options.get_int("warmup"), options.get_text("samples_file"), system_counters, {}};
}

Measurement measure(const Team &team, std::vector<Slice> slices, const MeasureSettings &settings,
                    const std::function<void()> &before_repetition)
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
    const auto look = [&] {
        before_repetition();
        if (!settings.progress) return;
        const double of_time = start && rule.max_seconds > 0 ? seconds_since(*start) / rule.max_seconds : 0;
        settings.progress(std::clamp(of_time, fraction, 1.0), what);
    };
    double usual_seconds = 0;
    for (std::int64_t k = 0; k < settings.warmup; ++k) {
        look();
        run.repeat(look);
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
        look();
        run.repeat(look);
        for (std::size_t a = 0; a < seconds.size(); ++a) seconds[a] = run.spans()[a].seconds();
    };
    auto told = *start;
    const auto keep = [&](const MeanSoFar &now) {
        if (seconds_since(told) < seconds_between_reports) return;
        told = Clock::now();
        fraction = now.fraction;
        what = text(brief_seconds(now.seconds, now.half_width), " after ", pluralise(now.repetitions, "run"));
    };
    auto measurement = mean_using_t_test(
        rule, run.active().size(), sample, [&] { return seconds_since(*start); },
        disturbances ? &*disturbances : nullptr, settings.progress ? MeanReport(keep) : MeanReport());
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
        const auto report_progress = [&] {
            control.report_progress(static_cast<double>(k) / static_cast<double>(warmup + 1),
                                    k < warmup ? "warming up" : "running");
        };
        report_progress();
        run.repeat(report_progress);
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

} // namespace hpart
