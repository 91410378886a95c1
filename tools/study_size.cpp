// One size of a study: the distributions of every method and the front.

#include "core/option_keys.hpp"
#include "dynamic.hpp"
#include "library.hpp"
#include "study.hpp"

#include <algorithm>
#include <cmath>

namespace hpart_command
{

namespace
{

bool means_no_answer(hpart_status status)
{
    return status == HPART_ERR_INFEASIBLE || status == HPART_ERR_UNSUPPORTED || status == HPART_ERR_LIMIT;
}

void check_not_cancelled(hpart_status status)
{
    if (status == HPART_ERR_CANCELLED) give_up("interrupted; nothing was written");
}

class Solver
{
  public:
    Solver(const Study &study, const hpart_platform *platform, std::int64_t size, const Common &common,
           ProgressBar &bar)
        : study_(study), platform_(platform), size_(size), common_(common), bar_(bar)
    {
    }

    // A method that has no distribution leaves a row without one; anything else that fails ends the study.
    Row row(const Baseline &method, std::int32_t objective, std::optional<Failure> *failure = nullptr,
            const char *setting = nullptr) const
    {
        auto common = options_of(common_, hpart::call_partition);
        if (method.speed_size) common.options.push_back(text("speed_size=", *method.speed_size));
        if (setting != nullptr) common.options.emplace_back(setting);
        const auto options = make_options(common, {{"method", method.method.c_str()}});
        bar_.attach(options.get());
        Row row;
        row.method = method.name;
        row.x.resize(study_.processors.size());
        double seconds = unknown, joules = unknown;
        Report report;
        const auto status = hpart_partition(platform_, objective, size_, options.get(), row.x.data(), &seconds, &joules,
                                            Filled(report));
        check_not_cancelled(status);
        if (means_no_answer(status)) {
            row.x.clear();
            row.reason = last_error_text();
            if (failure != nullptr) *failure = library_failure(status);
            return row;
        }
        check(status);
        const auto energy_interval = report_interval(report, "energy");
        row.costs[goal_time] = {seconds, report_interval(report, "time")};
        if (!study_.has_energy) return row;
        if (objective == HPART_OBJECTIVE_TOTAL_ENERGY)
            set_energies_of_total(row, joules, energy_interval);
        else
            set_energies(row, joules, energy_interval);
        return row;
    }

    Row dynamic_row(const char *method) const
    {
        const auto found = simulate_dynamic(platform_, size_, method, common_);
        Row row;
        row.method = method;
        row.x = found.rows;
        row.reason = found.reason;
        row.is_dynamic = true;
        row.costs[goal_time] = {found.predicted, found.predicted_interval};
        return row;
    }

    // Takes the one of least energy among the fastest distributions: gains in energy must not depend on the choice.
    Row fastest_row(std::optional<Failure> *failure) const
    {
        auto any = row({fastest, "exact", {}}, study_.objective, failure);
        if (!study_.has_energy || any.x.empty()) return any;
        auto frugal = row({fastest, "exact", {}}, HPART_OBJECTIVE_ENERGY, nullptr, "slowdown=1");
        // It is slower if the fastest points have no energy.
        const bool is_fastest = !frugal.x.empty() && frugal.costs[goal_time].value <= any.costs[goal_time].value;
        return is_fastest ? frugal : any;
    }

    // The part of it that is saved within a ratio of the least time, and of the least energy; as budgets are relative to the optimum.
    void add_front(std::int32_t energy, const std::string &prefix, std::vector<std::pair<std::string, double>> &found)
    {
        const auto options = make_options(options_of(common_, hpart::call_front));
        bar_.attach(options.get());
        Front front;
        const auto status = hpart_front_compute(platform_, size_, energy, options.get(), Filled(front));
        check_not_cancelled(status);
        if (means_no_answer(status)) return;
        check(status);
        std::vector<double> seconds, joules;
        for (std::int64_t k = 0; k < hpart_front_count(front.get()); ++k)
            check(hpart_front_point(front.get(), k, &seconds.emplace_back(), &joules.emplace_back(), nullptr));
        if (seconds.empty()) return;
        const auto saved = [](double most, double least) { return most > 0 ? 1 - least / most : 0; };
        found.emplace_back(prefix + "front_points", static_cast<double>(seconds.size()));
        for (const auto &[words, ratio] : {std::pair{"1.05", 1.05}, std::pair{"1.2", 1.2}}) {
            std::size_t last = 0;
            while (last + 1 < seconds.size() && seconds[last + 1] <= ratio * seconds.front()) ++last;
            found.emplace_back(text(prefix, "energy_saved_", words), saved(joules.front(), joules[last]));
        }
        std::size_t first = seconds.size() - 1;
        while (first > 0 && joules[first - 1] <= 1.05 * joules.back()) --first;
        found.emplace_back(prefix + "time_saved_1.05", saved(seconds.back(), seconds[first]));
    }

  private:
    void set_energies(Row &row, double joules, const Interval &interval) const
    {
        row.costs[goal_energy] = {joules, interval};
        if (!study_.base_power) return;
        const auto &time = row.costs[goal_time];
        const double watts = watts_of(row.x);
        row.costs[goal_total] = {
            watts * time.value + joules,
            {watts * time.interval.low + interval.low, watts * time.interval.high + interval.high}};
    }

    // The library returns the total; the rest is the dynamic part.
    void set_energies_of_total(Row &row, double joules, const Interval &interval) const
    {
        const auto &time = row.costs[goal_time];
        const double watts = watts_of(row.x);
        const auto rest = [watts](double total, double seconds) { return std::max(0.0, total - watts * seconds); };
        row.costs[goal_total] = {joules, interval};
        row.costs[goal_energy] = {rest(joules, time.value), {}};
        if (interval.is_known())
            row.costs[goal_energy].interval = {rest(interval.low, time.interval.low),
                                               rest(interval.high, time.interval.high)};
    }

    // The base power and the power of the nodes that work.
    double watts_of(const std::vector<std::int64_t> &x) const
    {
        double sum = study_.base_power.value_or(0);
        for (std::int64_t i = 0, next = 0; i < static_cast<std::int64_t>(x.size()); ++i) {
            if (x[static_cast<std::size_t>(i)] == 0 || i < next) continue;
            std::int64_t last = 0;
            double watts = 0;
            check(hpart_platform_get_node(platform_, i, nullptr, &last, &watts));
            sum += watts;
            next = last + 1;
        }
        return sum;
    }

    const Study &study_;
    const hpart_platform *platform_;
    std::int64_t size_;
    const Common &common_;
    ProgressBar &bar_;
};

const Row *find_row(const std::vector<Row> &rows, const std::string &method)
{
    for (const auto &row : rows)
        if (row.method == method && !row.x.empty()) return &row;
    return nullptr;
}

void set_gains(std::vector<Row> &rows)
{
    const std::array<const Row *, goal_count> best = {find_row(rows, fastest), find_row(rows, least_energy),
                                                      find_row(rows, least_total_energy)};
    for (auto &row : rows)
        for (std::size_t goal = 0; goal < goal_count; ++goal)
            if (best[goal] != nullptr && !row.x.empty())
                row.gains[goal] =
                    gain_of(best[goal]->costs[goal], row.costs[goal], !row.is_dynamic && row.x == best[goal]->x);
}

} // namespace

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
    gain.is_sure = !is_same && best.interval.high < other.interval.low;
    gain.interval = is_same ? Interval{0, 0}
                            : Interval{saved(best.interval.high, other.interval.low),
                                       saved(best.interval.low, other.interval.high)};
    return gain;
}

SizeStudy study_size(const Study &study, const hpart_platform *platform, std::int64_t size, const Common &options,
                     ProgressBar &bar)
{
    Solver solver(study, platform, size, options, bar);
    SizeStudy found;
    found.size = size;
    auto best = solver.fastest_row(&found.failure);
    if (found.failure) return found;
    found.rows.push_back(std::move(best));
    for (const auto &baseline : study.baselines) found.rows.push_back(solver.row(baseline, study.objective));
    if (study.has_energy) {
        found.rows.push_back(solver.row({least_energy, "exact", {}}, HPART_OBJECTIVE_ENERGY));
        solver.add_front(HPART_ENERGY_DYNAMIC, "", found.front);
    }
    if (study.has_energy && study.base_power) {
        auto row = solver.row({least_total_energy, "exact", {}}, HPART_OBJECTIVE_TOTAL_ENERGY);
        // The same distribution has the same energies to the last digit.
        for (const auto &other : found.rows)
            if (!row.x.empty() && other.x == row.x) row.costs = other.costs;
        found.rows.push_back(std::move(row));
        solver.add_front(HPART_ENERGY_TOTAL, "total_", found.front);
    }
    if (study.has_dynamic)
        for (const auto *method : dynamic_methods) found.rows.push_back(solver.dynamic_row(method));
    set_gains(found.rows);
    return found;
}

// The least, mean and largest gains over the sizes of a study, as the papers' tables have them.

namespace
{

const Gain &gain_in(const Row &row, std::optional<Goal> goal) { return goal ? row.gains[*goal] : row.measured; }

double mean_of(const std::vector<double> &values)
{
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
}

// Over the rows that were executed.
template <typename Error> Statistics errors_of(const Study &study, Error &&error_of)
{
    std::vector<double> errors;
    for (const auto &size : study.sizes)
        for (const auto &row : size.rows)
            if (row.execution)
                if (const double error = error_of(row); std::isfinite(error)) errors.push_back(std::abs(error));
    return statistics_of(errors);
}

} // namespace

Statistics statistics_of(const std::vector<double> &values)
{
    Statistics found;
    found.count = values.size();
    if (values.empty()) return found;
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    found.least = *least;
    found.most = *most;
    // Sums round: a mean is never outside its values.
    found.mean = std::clamp(mean_of(values), found.least, found.most);
    return found;
}

Statistics statistics_of(const Study &study, const std::string &method, std::optional<Goal> goal)
{
    std::vector<double> values, ratios, sure_values;
    std::size_t sure = 0, sure_losses = 0, same = 0;
    bool is_known = false;
    for (const auto &size : study.sizes)
        for (const auto &row : size.rows) {
            const auto &gain = gain_in(row, goal);
            if (row.method != method || std::isnan(gain.value)) continue;
            values.push_back(gain.value);
            ratios.push_back(gain.value < 1 ? 1 / (1 - gain.value) : std::numeric_limits<double>::infinity());
            const bool is_sure = gain.is_sure.value_or(false);
            sure_values.push_back(is_sure ? gain.value : 0);
            sure += is_sure && gain.value > 0 ? 1 : 0;
            sure_losses += is_sure && gain.value < 0 ? 1 : 0;
            same += gain.is_same ? 1 : 0;
            is_known = is_known || gain.is_sure;
        }
    auto found = statistics_of(values);
    if (values.empty()) return found;
    found.ratio_mean = mean_of(ratios);
    found.ratio_most = *std::max_element(ratios.begin(), ratios.end());
    found.same = same;
    if (!is_known) return found;
    found.sure = sure;
    found.sure_losses = sure_losses;
    found.sure_mean = mean_of(sure_values);
    return found;
}

std::vector<std::pair<std::string, Statistics>> front_statistics(const Study &study)
{
    std::vector<std::pair<std::string, std::vector<double>>> values;
    for (const auto &size : study.sizes)
        for (const auto &[key, value] : size.front) {
            auto found = std::find_if(values.begin(), values.end(),
                                      [&name = key](const auto &known) { return known.first == name; });
            if (found == values.end()) found = values.insert(values.end(), {key, {}});
            found->second.push_back(value);
        }
    std::vector<std::pair<std::string, Statistics>> all;
    all.reserve(values.size());
    for (const auto &[key, list] : values) all.emplace_back(key, statistics_of(list));
    return all;
}

Statistics prediction_errors(const Study &study)
{
    return errors_of(study, [](const Row &row) {
        return row.method == fastest ? row.execution->seconds / row.costs[goal_time].value - 1 : unknown;
    });
}

Statistics additivity_errors(const Study &study)
{
    return errors_of(study, [](const Row &row) { return row.execution->joules / row.costs[goal_energy].value - 1; });
}

std::vector<std::string> methods_of(const Study &study, std::optional<Goal> goal)
{
    std::vector<std::string> names;
    const bool is_of_time = !goal || *goal == goal_time;
    if (!is_of_time) names.emplace_back(fastest);
    for (const auto &baseline : study.baselines) names.push_back(baseline.name);
    if (study.has_dynamic && is_of_time) names.insert(names.end(), dynamic_methods.begin(), dynamic_methods.end());
    if (goal && study.has_energy && *goal != goal_energy) names.emplace_back(least_energy);
    if (goal && study.has_energy && study.base_power && *goal != goal_total) names.emplace_back(least_total_energy);
    return names;
}

} // namespace hpart_command
