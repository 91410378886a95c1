#include "execution.hpp"

#include "core/option_keys.hpp"
#include "core/text.hpp"
#include "table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace hpart_command
{

double TimeBudget::share(std::size_t parts, std::size_t left, double usual) const
{
    if (!seconds_) return usual;
    const double rest = *seconds_ - std::chrono::duration<double>(Clock::now() - begin_).count();
    return std::max(rest, 0.0) * static_cast<double>(parts) / static_cast<double>(std::max(left, parts));
}

namespace
{

constexpr const char *nothing_written = "interrupted; nothing was written";

void check_execution(hpart_status status)
{
    if (status == HPART_ERR_CANCELLED) give_up(nothing_written);
    check(status);
}

void check_result(hpart_team *team, Row &row, ProgressBar &bar)
{
    const auto options = make_options({}, {{"check", "1"}, {"overlap", "allowed"}}); // not timed
    bar.attach(options.get());
    std::vector<double> seconds(row.x.size());
    Report report;
    check_execution(hpart_team_execute(team, row.x.data(), options.get(), seconds.data(), Filled(report)));
    row.execution->checked = report_int(report, "checked").value_or(0) == 1;
    row.execution->max_relative_error = report_double(report, "max_relative_error").value_or(unknown);
}

// The rounds of an interrupted comparison, if any were complete, are its result.
Rounds run_rounds(hpart_team *team, const std::vector<Row *> &rows, const ExecutionSettings &settings,
                  double most_seconds, ProgressBar &bar)
{
    const auto most = std::to_string(most_seconds);
    const auto options =
        make_options(options_of(settings.common, hpart::call_compare),
                     {{"max_seconds", most.c_str()}, {"simultaneous", settings.simultaneous ? "1" : "0"}});
    bar.attach(options.get());
    std::vector<std::int64_t> x;
    for (const auto *row : rows) x.insert(x.end(), row->x.begin(), row->x.end());
    std::vector<double> seconds(rows.size());
    Report report;
    const auto status = hpart_team_compare(team, static_cast<std::int64_t>(rows.size()), x.data(), options.get(),
                                           seconds.data(), Filled(report));
    Rounds rounds;
    rounds.repetitions = report_int(report, "repetitions").value_or(0);
    if (status == HPART_ERR_CANCELLED && rounds.repetitions > 0)
        rounds.failure.emplace(exit_other, nothing_written);
    else
        check_execution(status);
    note_time_doubt(report_text(report, "time_doubt"));
    const auto low = report_doubles(report, "interval_low"), high = report_doubles(report, "interval_high");
    const auto ratios = report_doubles(report, "ratios");
    const auto ratio_low = report_doubles(report, "ratio_low"), ratio_high = report_doubles(report, "ratio_high");
    const auto utilisation = report_doubles(report, "utilisation");
    for (std::size_t k = 0; k < rows.size(); ++k) {
        auto &ran = *rows[k]->execution;
        ran.time = {seconds[k], {low[k], high[k]}};
        ran.ratio = {ratios[k], {ratio_low[k], ratio_high[k]}};
        ran.utilisation = utilisation[k];
    }
    rounds.contaminated = report_int(report, "contaminated").value_or(0);
    rounds.busy = report_text(report, "busy");
    rounds.binding_warning = report_text(report, "binding_warning");
    rounds.statistic = report_text(report, "statistic");
    rounds.confidence = report_double(report, "confidence").value_or(unknown);
    rounds.is_cut_off = rounds.failure || report_text(report, "stop_reason") == "max_seconds";
    return rounds;
}

// Others are the kernels', and a program's is HPART_ERR_CALLBACK.
bool may_be_of_meter(hpart_status status)
{
    constexpr std::array ones = {HPART_ERR_UNSUPPORTED, HPART_ERR_IO,         HPART_ERR_FORMAT,
                                 HPART_ERR_DEVICE,      HPART_ERR_PERMISSION, HPART_ERR_NUMERICAL};
    return std::find(ones.begin(), ones.end(), status) != ones.end();
}

// False when the meter failed.
bool measure_energy(hpart_team *team, Row &row, const ExecutionSettings &settings, double most_seconds,
                    TeamMeter &meter, ProgressBar &bar)
{
    const auto seconds = std::to_string(most_seconds);
    const auto options =
        make_options(options_of(settings.common, hpart::call_measure), {{"max_seconds", seconds.c_str()}});
    meter.set_options(options.get());
    bar.attach(options.get());
    std::vector<double> mean_seconds(row.x.size());
    Report report;
    auto &ran = *row.execution;
    const auto status =
        hpart_team_measure(team, row.x.data(), options.get(), mean_seconds.data(), &ran.joules, Filled(report));
    if (may_be_of_meter(status)) {
        meter.give_up(last_error_text());
        return false;
    }
    check_execution(status);
    ran.joules_error = report_double(report, "energy_error").value_or(unknown);
    meter.doubt(ran.joules);
    return true;
}

} // namespace

Rounds execute_rows(hpart_team *team, std::vector<Row> &rows, const ExecutionSettings &settings, TeamMeter &meter)
{
    std::vector<Row *> distinct;
    for (auto &row : rows) {
        if (row.kind != RowKind::split || row.x.empty()) continue;
        row.execution.emplace();
        if (std::ranges::find(distinct, row.x, &Row::x) == distinct.end()) distinct.push_back(&row);
    }
    ProgressBar bar;
    watch_for_interrupts(nothing_written);
    const auto count = distinct.size();
    const double share = 1.0 / static_cast<double>((meter.works() ? 3 : 2) * count);
    double done = 0;
    const auto next_part = [&](double parts, const char *what) {
        bar.set_part(done * share, parts * share, what);
        done += parts;
    };
    for (auto *row : distinct) {
        if (!settings.checks) break;
        next_part(1, "checking the results");
        check_result(team, *row, bar);
    }
    next_part(static_cast<double>(count), ""); // the library says the present time
    auto rounds = run_rounds(team, distinct, settings,
                             settings.budget.share(count, (meter.works() ? 2 * count : count) + settings.later,
                                                   settings.most_seconds * static_cast<double>(count)),
                             bar);
    try {
        for (std::size_t k = 0; k < count && meter.works() && !rounds.failure; ++k) {
            next_part(1, "measuring the energy");
            constexpr double most_with_energy = 5;
            // Its times and its joules take as long again each.
            const double most = settings.budget.share(1, 2 * (count - k) + settings.later,
                                                      std::min(most_with_energy, settings.most_seconds));
            if (!measure_energy(team, *distinct[k], settings, most, meter, bar)) break;
        }
    } catch (const Failure &failure) {
        rounds.failure = failure;
        rounds.has_failed_energy = true;
    }
    for (auto &row : rows)
        if (row.execution) row.execution = (*std::ranges::find(distinct, row.x, &Row::x))->execution;
    return rounds;
}

Json execute_queues(std::uint32_t call, const ExecutionSettings &settings,
                    const std::function<hpart_status(const hpart_options *, double *, hpart_report **)> &run)
{
    ProgressBar bar;
    watch_for_interrupts(nothing_written);
    const auto seconds = std::to_string(settings.most_seconds);
    const auto options = make_options(options_of(settings.common, call),
                                      {{"check", settings.checks ? "1" : "0"}, {"max_seconds", seconds.c_str()}});
    bar.attach(options.get());
    double makespan = 0;
    Report report;
    check_execution(run(options.get(), &makespan, Filled(report)));
    note_time_doubt(report_text(report, "time_doubt"));
    Json json;
    json["makespan"] = makespan;
    for (const auto *key : {"interval_low", "interval_high", "max_relative_error"})
        if (const auto value = report_double(report, key)) json[key] = *value;
    json["checked"] = report_int(report, "checked").value_or(0) == 1;
    json["repetitions"] = report_int(report, "repetitions").value_or(0);
    for (const auto *key : {"busy_seconds", "utilisation"}) json[key] = report_doubles(report, key);
    for (const auto *key : {"rows", "packages"}) {
        const auto values = report_doubles(report, key);
        json[key] = std::vector<std::int64_t>(values.begin(), values.end());
    }
    json["binding_warning"] = report_text(report, "binding_warning");
    return json;
}

void execute_dynamic(hpart_team *team, const hpart_platform *platform, std::int64_t size, std::vector<Row> &rows,
                     const ExecutionSettings &settings)
{
    auto executed = rows;
    for (auto &row : executed) {
        if (row.kind != RowKind::dynamic || row.x.empty()) continue;
        auto &ran = row.execution.emplace();
        ran.queues = execute_queues(hpart::call_self_schedule, settings,
                                    [&](const hpart_options *options, double *makespan, hpart_report **report) {
                                        return hpart_team_self_schedule(team, row.method.c_str(), size, platform,
                                                                        options, makespan, report);
                                    });
        const auto number = [&](const char *key) { return ran.queues[key].get<double>(); };
        ran.time = {number("makespan"), {number("interval_low"), number("interval_high")}};
        ran.checked = ran.queues["checked"].get<bool>();
    }
    rows = std::move(executed); // all, or none
}

std::string queues_text(const Json &run)
{
    return seconds_text(run["makespan"].get<double>(),
                        {run["interval_low"].get<double>(), run["interval_high"].get<double>()});
}

std::string utilisation_text(const Json &run)
{
    const auto each = run["utilisation"].get<std::vector<double>>();
    return fixed_text(100 * std::accumulate(each.begin(), each.end(), 0.0) / static_cast<double>(each.size()), 0) +
           " %";
}

void require_at_once(std::int32_t objective, std::string_view needs)
{
    const auto &kind = hpart::objective_kind(objective);
    if (kind.adds_times)
        refuse(needs, " processors that run at once; with --objective ", kind.name, " they run one after another");
}

std::int32_t parse_time_objective(const std::string &name, const MeterArguments &meter)
{
    const auto objective = parse_objective(name, is_of_times);
    if (meter.spec) require_at_once(objective, "--meter measures");
    return objective;
}

void require_queues(std::int32_t objective, const FileTeam &team)
{
    require_at_once(objective, "--dynamic needs");
    if (team.application.are_given())
        refuse("--dynamic needs processors that run packages on their own; an application runs all of them at once");
}

} // namespace hpart_command
