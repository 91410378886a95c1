#include "comparison.hpp"

#include "core/option_keys.hpp"
#include "core/text.hpp"
#include "table.hpp"

#include <algorithm>
#include <cmath>

namespace hpart_command
{

Gain gain_of(const Cost &best, const Cost &other, bool is_same)
{
    constexpr double unbounded = std::numeric_limits<double>::infinity();
    // Nothing saves a part of nothing.
    const auto saved = [](double least, double most) {
        return most > 0 ? 1 - least / most : least > 0 ? -unbounded : 0;
    };
    Gain gain;
    if (std::isnan(best.value) || std::isnan(other.value)) return gain;
    gain.value = saved(best.value, other.value);
    gain.is_same = is_same;
    if (!best.interval.is_known() || !other.interval.is_known()) return gain;
    gain.is_sure = !is_same && (best.interval.high < other.interval.low || other.interval.high < best.interval.low);
    gain.interval = is_same ? Interval{0, 0}
                            : Interval{saved(best.interval.high, other.interval.low),
                                       saved(best.interval.low, other.interval.high)};
    return gain;
}

namespace
{

// The base power and the power of the nodes that work.
double watts_of(const Problem &problem, const std::vector<std::int64_t> &x)
{
    double sum = problem.base_power.value_or(0);
    for (std::int64_t i = 0, next = 0; i < static_cast<std::int64_t>(x.size()); ++i) {
        if (x[static_cast<std::size_t>(i)] == 0 || i < next) continue;
        std::int64_t last = 0;
        double watts = 0;
        check(hpart_platform_get_node(problem.platform, i, nullptr, &last, &watts));
        sum += watts;
        next = last + 1;
    }
    return sum;
}

// energy: of the objective: the total energy, or the dynamic part. The other one follows from it.
void set_energies(const Problem &problem, Row &row, const Cost &energy, bool is_total)
{
    const auto &time = row.costs[goal_time];
    row.costs[is_total ? goal_total : goal_energy] = energy;
    if (!is_total && !problem.base_power) return;
    const double watts = watts_of(problem, row.x);
    const auto other = [&](double joules, double seconds) {
        return is_total ? std::max(0.0, joules - watts * seconds) : watts * seconds + joules;
    };
    auto &cost = row.costs[is_total ? goal_energy : goal_total];
    cost.value = other(energy.value, time.value);
    if (energy.interval.is_known() && time.interval.is_known())
        cost.interval = {other(energy.interval.low, time.interval.low),
                         other(energy.interval.high, time.interval.high)};
}

} // namespace

bool has_no_answer(hpart_status status)
{
    if (status == HPART_ERR_CANCELLED) give_up("interrupted; nothing was written");
    return status == HPART_ERR_INFEASIBLE || status == HPART_ERR_UNSUPPORTED || status == HPART_ERR_LIMIT;
}

Row predict(const Problem &problem, const Method &method, std::int32_t objective, const char *setting)
{
    auto common = options_of(problem.common, problem.calls);
    if (method.speed_size) common.options.push_back(text("speed_size=", *method.speed_size));
    if (setting != nullptr) common.options.emplace_back(setting);
    const auto options = make_options(common, {{"method", method.method.c_str()}});
    if (problem.bar != nullptr) problem.bar->attach(options.get());
    Row row{method.name};
    row.x.resize(static_cast<std::size_t>(hpart_platform_processors(problem.platform)));
    double seconds = unknown, joules = unknown;
    Report report;
    const auto status = hpart_partition(problem.platform, objective, problem.size, options.get(), row.x.data(),
                                        &seconds, &joules, Filled(report));
    if (has_no_answer(status)) {
        row.x.clear();
        row.failure = library_failure(status);
        return row;
    }
    check(status);
    row.costs[goal_time] = {seconds, report_interval(report, "time")};
    if (problem.has_energy)
        set_energies(problem, row, {joules, report_interval(report, "energy")},
                     goal_of(hpart::objective_kind(objective).objective) == goal_total);
    return row;
}

Row predict_measured(const Problem &problem, const Method &method, std::int32_t objective, const Facts &facts)
{
    auto row = predict(problem, method, objective);
    if (row.failure && row.failure->exit_status() != exit_infeasible) throw Failure(*row.failure);
    if (!row.failure &&
        !facts.is_split_of_method(hpart::objective_kind(objective).name, problem.size, method.method, row.x))
        row.x.clear();
    return row;
}

Row simulate(const Problem &problem, const char *method)
{
    const auto options = make_options(options_of(problem.common, hpart::call_schedule), {{"method", method}});
    Row row{method, RowKind::dynamic};
    Schedule schedule;
    const auto status = hpart_schedule_compute(problem.platform, problem.size, options.get(), Filled(schedule));
    if (has_no_answer(status)) {
        row.failure = library_failure(status);
        return row;
    }
    check(status);
    Report report;
    check(hpart_schedule_report(schedule.get(), Filled(report)));
    row.costs[goal_time] = {hpart_schedule_makespan(schedule.get()), report_interval(report, "time")};
    row.x.resize(static_cast<std::size_t>(hpart_platform_processors(problem.platform)));
    for (std::int64_t k = 0; k < hpart_schedule_tasks(schedule.get()); ++k) {
        std::int64_t processor = 0, package = 0, repeats = 0;
        check(hpart_schedule_task(schedule.get(), k, &processor, &package, &repeats));
        row.x[static_cast<std::size_t>(processor)] += package * repeats;
    }
    return row;
}

Comparison compare(const Interval &ratio, bool is_same)
{
    constexpr double least = 0.005; // rounds to more than 0.00
    if (is_same) return Comparison::same;
    if (ratio.low > 1) return Comparison::faster;
    if (ratio.low < least || !std::isfinite(ratio.high)) return Comparison::scattered;
    return ratio.high < 1 ? Comparison::slower : Comparison::undecided;
}

std::vector<Row> front_rows(const hpart_front *front, std::size_t processors)
{
    Report report;
    check(hpart_front_report(front, Filled(report)));
    std::vector<Row> rows(static_cast<std::size_t>(hpart_front_count(front)));
    for (std::size_t k = 0; k < rows.size(); ++k) {
        auto &[time, energy, total] = rows[k].costs;
        rows[k].x.resize(processors);
        check(hpart_front_point(front, static_cast<std::int64_t>(k), &time.value, &energy.value, rows[k].x.data()));
    }
    const auto set = [&](Goal goal, const char *value, const char *low_end, const char *high_end) {
        const auto values = report_doubles(report, value);
        const auto low = report_doubles(report, low_end), high = report_doubles(report, high_end);
        for (std::size_t k = 0; k < rows.size(); ++k) {
            auto &cost = rows[k].costs[goal];
            if (!values.empty()) cost.value = values[k];
            if (!low.empty() && !high.empty()) cost.interval = {low[k], high[k]};
        }
    };
    set(goal_time, "seconds", "time_low", "time_high");
    set(goal_energy, "joules", "energy_low", "energy_high");
    return rows;
}

std::string front_table(const std::vector<Row> &rows, const std::vector<std::string> &names, const std::string &energy)
{
    Table table({">point", ">time", ">" + energy, names_text(names)});
    std::size_t count = 0;
    for (const auto &row : rows) {
        const auto &[time, joules, total] = row.costs;
        table.add({std::to_string(++count), seconds_text(time.value, time.interval),
                   joules_text(joules.value, joules.interval), distribution_text(row.x)});
    }
    return table.text();
}

void set_interval(Json &json, const std::string &name, const Interval &interval)
{
    json[name + "_low"] = std::isfinite(interval.low) ? Json(interval.low) : Json(); // JSON has no infinity
    json[name + "_high"] = std::isfinite(interval.high) ? Json(interval.high) : Json();
}

} // namespace hpart_command
