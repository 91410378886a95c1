#include "split_runner.hpp"

#include "failure.hpp"
#include "interrupt.hpp"

#include <algorithm>
#include <limits>

namespace hpart_command
{

namespace
{

constexpr int rounds = 3;

double median(std::vector<double> values)
{
    if (values.empty()) return std::numeric_limits<double>::quiet_NaN();
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    if (values.size() % 2 == 1) return *middle;
    return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

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

// Joules too where there is a meter, which may be null.
void measure(hpart_team *team, const std::vector<std::int64_t> &x, const hpart_options *options, TeamMeter *meter,
             Execution &execution, Report &report)
{
    std::vector<double> mean_seconds(x.size());
    const bool with_energy = meter != nullptr && meter->works();
    const auto status = hpart_team_measure(team, x.data(), options, mean_seconds.data(),
                                           with_energy ? &execution.joules : nullptr, Filled(report));
    if (with_energy && status < 0 && status != HPART_ERR_CANCELLED) {
        const std::string why = hpart_last_error();
        measure(team, x, options, nullptr, execution, report); // fails too unless it was the meter
        meter->give_up(why);
        return;
    }
    check_execution(status);
    if (with_energy)
        execution.joules_error =
            report_double(report, "energy_error").value_or(std::numeric_limits<double>::quiet_NaN());
}

// The makespan of each repetition: samples hold one entry a processor, repetition by repetition.
std::vector<double> makespans(hpart_team *team, const std::vector<std::int64_t> &x, const hpart_options *options,
                              TeamMeter *meter, Execution &execution)
{
    Report report;
    measure(team, x, options, meter, execution, report);
    if (auto warning = report_text(report, "binding_warning"); !warning.empty())
        execution.binding_warning = std::move(warning);
    const auto samples = report_doubles(report, "samples");
    std::vector<double> spans;
    for (std::size_t begin = 0; begin + x.size() <= samples.size(); begin += x.size()) {
        double span = 0;
        for (std::size_t i = 0; i < x.size(); ++i)
            if (x[i] > 0) span = std::max(span, samples[begin + i]);
        spans.push_back(span);
    }
    return spans;
}

} // namespace

std::vector<Execution> execute_splits(hpart_team *team, const std::vector<std::vector<std::int64_t>> &distributions,
                                      const Common &common, TeamMeter &meter)
{
    ProgressBar bar;
    const auto options = make_options(common, {{"max_seconds", "5"}});
    meter.set_options(options.get());
    bar.attach(options.get());
    watch_for_interrupts("interrupted; nothing was written");
    const double share = 1.0 / static_cast<double>(distributions.size() * (rounds + 1));
    int parts_done = 0;
    const auto next_part = [&](const char *what) { bar.set_part(parts_done++ * share, share, what); };
    std::vector<Execution> executions(distributions.size());
    for (std::size_t k = 0; k < distributions.size(); ++k) {
        next_part("checking the results");
        check_result(team, distributions[k], bar, executions[k]);
    }
    std::vector<std::vector<double>> spans(distributions.size());
    for (int round = 0; round < rounds; ++round)
        for (std::size_t k = 0; k < distributions.size(); ++k) {
            next_part("measuring the splits");
            const auto more =
                makespans(team, distributions[k], options.get(), round == rounds - 1 ? &meter : nullptr, executions[k]);
            spans[k].insert(spans[k].end(), more.begin(), more.end());
        }
    for (std::size_t k = 0; k < distributions.size(); ++k) {
        executions[k].repetitions = static_cast<std::int64_t>(spans[k].size());
        executions[k].seconds = median(std::move(spans[k]));
    }
    return executions;
}

} // namespace hpart_command
