#include "split_runner.hpp"

#include "core/option_keys.hpp"
#include "core/text.hpp"
#include "library.hpp"
#include "output.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace hpart_command
{

namespace
{

void check_execution(hpart_status status)
{
    if (status == HPART_ERR_CANCELLED) give_up("interrupted; nothing was written");
    check(status);
}

void check_result(hpart_team *team, const std::vector<std::int64_t> &x, ProgressBar &bar, Execution &execution)
{
    const auto options = make_options({}, {{"check", "1"}, {"overlap", "allowed"}}); // not timed
    bar.attach(options.get());
    std::vector<double> seconds(x.size());
    Report report;
    check_execution(hpart_team_execute(team, x.data(), options.get(), seconds.data(), Filled(report)));
    execution.checked = report_int(report, "checked").value_or(0) == 1;
    execution.max_relative_error =
        report_double(report, "max_relative_error").value_or(std::numeric_limits<double>::quiet_NaN());
}

// The rounds of an interrupted comparison, if any were complete, are its result: false.
bool run_rounds(hpart_team *team, const std::vector<std::vector<std::int64_t>> &distributions, const Common &common,
                bool simultaneous, double seconds_of_all, ProgressBar &bar, std::vector<Execution> &executions)
{
    const auto most = std::to_string(seconds_of_all);
    const auto options = make_options(options_of(common, hpart::call_compare),
                                      {{"max_seconds", most.c_str()}, {"simultaneous", simultaneous ? "1" : "0"}});
    bar.attach(options.get());
    std::vector<std::int64_t> x;
    for (const auto &distribution : distributions) x.insert(x.end(), distribution.begin(), distribution.end());
    std::vector<double> seconds(distributions.size());
    Report report;
    const auto status = hpart_team_compare(team, static_cast<std::int64_t>(distributions.size()), x.data(),
                                           options.get(), seconds.data(), Filled(report));
    const bool is_interrupted = status == HPART_ERR_CANCELLED && report_int(report, "repetitions").value_or(0) > 0;
    if (!is_interrupted) check_execution(status);
    note_time_doubt(report_text(report, "time_doubt"));
    const auto low = report_doubles(report, "interval_low"), high = report_doubles(report, "interval_high");
    const auto ratios = report_doubles(report, "ratios");
    const auto ratio_low = report_doubles(report, "ratio_low"), ratio_high = report_doubles(report, "ratio_high");
    const auto utilisation = report_doubles(report, "utilisation");
    for (std::size_t k = 0; k < executions.size(); ++k) {
        executions[k].utilisation = utilisation[k];
        executions[k].seconds = seconds[k];
        executions[k].interval = {low[k], high[k]};
        executions[k].ratio = ratios[k];
        executions[k].ratio_interval = {ratio_low[k], ratio_high[k]};
        executions[k].repetitions = report_int(report, "repetitions").value_or(0);
        executions[k].contaminated = report_int(report, "contaminated").value_or(0);
        executions[k].busy = report_text(report, "busy");
        executions[k].is_cut_off = is_interrupted || report_text(report, "stop_reason") == "max_seconds";
        executions[k].binding_warning = report_text(report, "binding_warning");
    }
    return !is_interrupted;
}

// Others are the kernels', and a program's is HPART_ERR_CALLBACK.
bool may_be_of_meter(hpart_status status)
{
    constexpr std::array ones = {HPART_ERR_UNSUPPORTED, HPART_ERR_IO,         HPART_ERR_FORMAT,
                                 HPART_ERR_DEVICE,      HPART_ERR_PERMISSION, HPART_ERR_NUMERICAL};
    return std::find(ones.begin(), ones.end(), status) != ones.end();
}

// False when the meter failed.
bool measure_energy(hpart_team *team, const std::vector<std::int64_t> &x, const hpart_options *options,
                    TeamMeter &meter, Execution &execution)
{
    std::vector<double> mean_seconds(x.size());
    Report report;
    const auto status =
        hpart_team_measure(team, x.data(), options, mean_seconds.data(), &execution.joules, Filled(report));
    if (may_be_of_meter(status)) {
        meter.give_up(last_error_text());
        return false;
    }
    check_execution(status);
    execution.joules_error = report_double(report, "energy_error").value_or(std::numeric_limits<double>::quiet_NaN());
    return true;
}

// Distinct and not empty.
std::vector<Execution> execute_distinct(hpart_team *team, const std::vector<std::vector<std::int64_t>> &distributions,
                                        bool has_reference, const Common &common, TeamMeter &meter, bool simultaneous,
                                        double most_seconds, std::optional<Failure> *late, const TimeBudget &budget,
                                        std::size_t later)
{
    ProgressBar bar;
    watch_for_interrupts("interrupted; nothing was written");
    const double share = 1.0 / static_cast<double>((meter.works() ? 3 : 2) * distributions.size());
    double done = 0;
    const auto next_part = [&](double parts, const char *what) {
        bar.set_part(done * share, parts * share, what);
        done += parts;
    };
    std::vector<Execution> executions(distributions.size());
    for (std::size_t k = 0; has_reference && k < distributions.size(); ++k) {
        next_part(1, "checking the results");
        check_result(team, distributions[k], bar, executions[k]);
    }
    const auto count = distributions.size();
    next_part(static_cast<double>(count), ""); // the library says the present time
    if (!run_rounds(
            team, distributions, common, simultaneous,
            budget.share(count, (meter.works() ? 2 * count : count) + later, most_seconds * static_cast<double>(count)),
            bar, executions)) {
        const Failure interrupted(exit_other, text("interrupted; the comparison has ",
                                                   hpart::pluralise(executions.front().repetitions, "round")));
        if (late == nullptr) give_up("interrupted; nothing was written");
        *late = interrupted;
        return executions;
    }
    try {
        for (std::size_t k = 0; k < distributions.size() && meter.works(); ++k) {
            next_part(1, "measuring the energy");
            constexpr double most_with_energy = 5;
            // Its times and its joules take as long again each.
            const double most = budget.share(1, 2 * (count - k) + later, std::min(most_with_energy, most_seconds));
            const auto seconds = std::to_string(most);
            const auto with_energy =
                make_options(options_of(common, hpart::call_measure), {{"max_seconds", seconds.c_str()}});
            meter.set_options(with_energy.get());
            bar.attach(with_energy.get());
            if (!measure_energy(team, distributions[k], with_energy.get(), meter, executions[k])) break;
        }
    } catch (const Failure &failure) {
        if (late == nullptr) throw;
        *late = late_failure("energy", failure);
    }
    return executions;
}

} // namespace

Failure late_failure(const char *measurement, const Failure &failure)
{
    if (interrupted_by() != 0)
        return {exit_other, text("interrupted while the ", measurement, " was measured; the comparison is complete")};
    return {failure.exit_status(),
            text("the ", measurement, " could not be measured: ", failure.what(), "; the comparison is complete")};
}

double TimeBudget::share(std::size_t parts, std::size_t left, double usual) const
{
    if (!seconds_) return usual;
    const double rest = *seconds_ - std::chrono::duration<double>(Clock::now() - begin_).count();
    return std::max(rest, 0.0) * static_cast<double>(parts) / static_cast<double>(std::max(left, parts));
}

Comparison compare(const Interval &ratio, bool is_same)
{
    constexpr double least = 0.005; // rounds to more than 0.00
    if (is_same) return Comparison::same;
    if (ratio.low > 1) return Comparison::faster;
    if (ratio.low < least || !std::isfinite(ratio.high)) return Comparison::scattered;
    return ratio.high < 1 ? Comparison::slower : Comparison::undecided;
}

std::vector<Execution> execute_splits(hpart_team *team, const std::vector<std::vector<std::int64_t>> &distributions,
                                      bool has_reference, const Common &common, TeamMeter &meter, bool simultaneous,
                                      double most_seconds, std::optional<Failure> *late, const TimeBudget &budget,
                                      std::size_t later)
{
    std::vector<std::vector<std::int64_t>> distinct;
    for (const auto &x : distributions)
        if (!x.empty() && std::find(distinct.begin(), distinct.end(), x) == distinct.end()) distinct.push_back(x);
    const auto executions =
        execute_distinct(team, distinct, has_reference, common, meter, simultaneous, most_seconds, late, budget, later);
    std::vector<Execution> all(distributions.size());
    for (std::size_t k = 0; k < all.size(); ++k) {
        const auto found = std::find(distinct.begin(), distinct.end(), distributions[k]);
        if (found != distinct.end()) all[k] = executions[static_cast<std::size_t>(found - distinct.begin())];
    }
    return all;
}

std::int32_t parse_time_objective(const std::string &name, const MeterArguments &meter)
{
    if (parse_choice("--objective", name, {"time", "sum-time"}) == 0) return HPART_OBJECTIVE_TIME;
    if (meter.spec)
        refuse("--meter measures processors that run at once; with --objective sum-time they run one after another");
    return HPART_OBJECTIVE_SUM_TIME;
}

} // namespace hpart_command
