// The least, mean and largest gains over the sizes of a study, as the papers' tables have them, and the study's JSON.
#include "library.hpp"
#include "study.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace hpart_command
{

namespace
{

const Gain &gain_in(const Row &row, std::optional<Goal> goal) { return goal ? row.gains[*goal] : row.measured; }

double mean_of(const std::vector<double> &values)
{
    double sum = 0;
    for (const double value : values) sum += value;
    return sum / static_cast<double>(values.size());
}

Statistics spread_of(const std::vector<double> &values)
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

// Over the rows that were executed.
template <typename Error> Statistics errors_of(const Study &study, Error &&error_of)
{
    std::vector<double> errors;
    for (const auto &size : study.sizes)
        for (const auto &row : size.rows)
            if (row.execution)
                if (const double error = error_of(row); std::isfinite(error)) errors.push_back(std::abs(error));
    return spread_of(errors);
}

} // namespace

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
    auto found = spread_of(values);
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
    for (const auto &[key, list] : values) all.emplace_back(key, spread_of(list));
    return all;
}

Statistics prediction_errors(const Study &study)
{
    return errors_of(study, [](const Row &row) {
        return row.method == fastest ? row.execution->time.value / row.costs[goal_time].value - 1 : unknown;
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

namespace
{

constexpr std::array<const char *, goal_count> cost_names = {"time", "energy", "total_energy"};
constexpr std::array<const char *, goal_count> gain_names = {"gain", "energy_gain", "total_energy_gain"};

// JSON has no infinity.
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(); }

void add_gain(Json &json, const std::string &name, const std::string &sure_name, const Gain &gain)
{
    json[name] = number(gain.value);
    if (!gain.is_sure) return;
    set_interval(json, name, gain.interval);
    json[sure_name] = *gain.is_sure;
}

void add_execution(Json &json, const Row &row)
{
    const auto &execution = *row.execution;
    json["measured_seconds"] = number(execution.time.value);
    set_interval(json, "measured", execution.time.interval);
    add_gain(json, "measured_gain", "measured_distinguishable", row.measured);
    json["measured_joules"] = number(execution.joules);
    json["measured_joules_error"] = number(execution.joules_error);
    json["checked"] = execution.checked;
}

Json json_of(const Study &study, const Row &row)
{
    const std::size_t goals = !study.has_energy ? 1 : study.base_power ? goal_count : 2;
    Json json;
    json["method"] = row.method;
    json["time"] = number(row.costs[goal_time].value);
    json["energy"] = number(row.costs[goal_energy].value);
    json["gain"] = number(row.gains[goal_time].value);
    for (std::size_t goal = 0; goal < goals; ++goal) {
        const auto &cost = row.costs[goal];
        const std::string name = cost_names[goal];
        json[name] = number(cost.value);
        if (cost.interval.is_known()) set_interval(json, name, cost.interval);
        const auto sure_name = goal == goal_time ? std::string("distinguishable") : name + "_distinguishable";
        add_gain(json, gain_names[goal], sure_name, row.gains[goal]);
    }
    if (row.execution) add_execution(json, row);
    json["distribution"] = row.x.empty() ? Json() : Json(row.x);
    if (row.failure) json["reason"] = row.failure->what();
    return json;
}

Json json_of(const Statistics &statistics)
{
    return {{"min", number(statistics.least)}, {"mean", number(statistics.mean)}, {"max", number(statistics.most)}};
}

Json gains_json(const Statistics &statistics)
{
    Json json;
    json["sizes"] = statistics.count;
    json.update(json_of(statistics));
    json["ratio_mean"] = number(statistics.ratio_mean);
    json["ratio_max"] = number(statistics.ratio_most);
    json["sure"] = statistics.sure ? Json(*statistics.sure) : Json();
    json["sure_losses"] = statistics.sure ? Json(statistics.sure_losses) : Json();
    json["same"] = statistics.same;
    json["sure_mean"] = number(statistics.sure_mean);
    return json;
}

Json summary_of(const Study &study)
{
    Json summary;
    std::size_t feasible = 0;
    for (const auto &size : study.sizes) feasible += size.failure ? 0 : 1;
    auto lines = study_sentences(study) + study_remarks(study);
    lines.pop_back(); // the last line's end
    summary["text"] = std::move(lines);
    summary["sizes"] = study.sizes.size();
    summary["feasible"] = feasible;
    const auto add = [&](const std::string &name, std::optional<Goal> goal) {
        summary[name] = Json::object();
        for (const auto &method : methods_of(study, goal))
            summary[name][method] = gains_json(statistics_of(study, method, goal));
    };
    add("gain", goal_time);
    if (study.has_energy) add("energy_gain", goal_energy);
    if (study.has_energy && study.base_power) add("total_energy_gain", goal_total);
    for (const auto &[key, statistics] : front_statistics(study)) summary["front"][key] = json_of(statistics);
    if (!study.is_run) return summary;
    add("measured_gain", std::nullopt);
    summary["prediction_error"] = json_of(prediction_errors(study));
    if (const auto errors = additivity_errors(study); errors.count > 0)
        summary["parallel_to_combined_energy"] = json_of(errors);
    return summary;
}

} // namespace

Json study_json(const Study &study, const Json &run)
{
    Json result{{"subcommand", "study"}};
    // An object: its members are no columns of the CSV.
    result["platform"] = {{"file", study.file}, {"kernel", study.kernel}};
    result["platform"]["base_power"] = study.base_power ? Json(*study.base_power) : Json();
    if (!study.energy_source.empty()) result["platform"]["energy_source"] = study.energy_source;
    if (study.is_run) result["run"] = run;
    result["objective"] = hpart::objective_kind(study.objective).name;
    result["processors"] = study.processors;
    result["sizes"] = Json::array();
    for (const auto &size : study.sizes) {
        Json entry{{"size", size.size}};
        for (const auto &[key, value] : size.front)
            entry[key] = key.ends_with("points") ? Json(std::llround(value)) : Json(value);
        entry["methods"] = Json::array();
        for (const auto &row : size.rows) entry["methods"].push_back(json_of(study, row));
        if (size.failure) entry["reason"] = size.failure->what();
        result["sizes"].push_back(std::move(entry));
    }
    result["summary"] = summary_of(study);
    return result;
}

} // namespace hpart_command
