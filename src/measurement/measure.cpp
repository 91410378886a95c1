#include "measurement/measure.hpp"

#include "core/error.hpp"

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
    if (checker == nullptr) return {0, 0}; // no rows, no error
    const auto check = checker->check(results);
    // Written so that a NaN is wrong too.
    if (!(check.max_relative_error <= check.tolerance))
        fail(Status::numerical, "the result of ", checker->description(), " is wrong: its largest relative error is ",
             check.max_relative_error, "; rounding explains at most ", check.tolerance);
    return check;
}

} // namespace

Measurement measure(const Team &team, std::vector<Slice> slices, const MeasureSettings &settings,
                    const std::function<void()> &before_repetition)
{
    TeamRun run(team, std::move(slices));
    for (std::int64_t k = 0; k < settings.warmup; ++k) {
        before_repetition();
        run.repeat();
    }
    const auto start = Clock::now();
    const auto sample = [&](std::span<double> seconds) {
        before_repetition();
        run.repeat();
        for (std::size_t a = 0; a < seconds.size(); ++a) seconds[a] = run.spans()[a].seconds();
    };
    return mean_using_t_test(settings.rule, run.active().size(), sample, [&] { return seconds_since(start); });
}

Execution execute(const Team &team, std::span<const std::int64_t> x, std::int64_t warmup, bool check, Control &control)
{
    if (check && team.shared_kernel().empty())
        fail(Status::unsupported, "option 'check' is 1, but the processors of this team do not run one built-in kernel "
                                  "of the same dims, so that there is no reference");
    control.tell(0, "preparing");
    TeamRun run(team, team.slices(x));
    for (std::int64_t k = 0; k < warmup; ++k) {
        control.tell(static_cast<double>(k) / static_cast<double>(warmup + 1), "warming up");
        run.repeat();
    }
    run.repeat();
    Execution out;
    out.seconds.assign(x.size(), 0);
    for (std::size_t a = 0; a < run.active().size(); ++a) out.seconds[run.active()[a]] = run.spans()[a].seconds();
    if (check) {
        control.tell(static_cast<double>(warmup) / static_cast<double>(warmup + 1), "checking the result");
        out.check = check_result(team, run);
    }
    return out;
}

Report report_of(const Measurement &measurement, const StopRule &rule, std::span<const std::size_t> active,
                 std::size_t processors)
{
    const auto spread = [&](double Estimate::*quantity) {
        std::vector<double> values(processors, 0);
        for (std::size_t a = 0; a < active.size(); ++a) values[active[a]] = measurement.estimates[a].*quantity;
        return values;
    };
    std::vector<double> samples(static_cast<std::size_t>(measurement.repetitions) * processors, 0);
    for (std::size_t r = 0; r * processors < samples.size(); ++r)
        for (std::size_t a = 0; a < active.size(); ++a)
            samples[r * processors + active[a]] = measurement.samples[r * active.size() + a];
    Report report;
    report.set("repetitions", measurement.repetitions);
    report.set("interval", describe(rule));
    report.set("interval_low", spread(&Estimate::low));
    report.set("interval_high", spread(&Estimate::high));
    report.set("median", spread(&Estimate::median));
    report.set("minimum", spread(&Estimate::minimum));
    report.set("samples", std::move(samples));
    report.set("stop_reason", std::string(stop_reason_name(measurement.reason)));
    report.set("precision_reached", std::int64_t{measurement.precise ? 1 : 0});
    return report;
}

} // namespace hpart
