#include "study.hpp"

#include <array>
#include <cmath>

namespace hpart_command
{

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
    json[name + "_low"] = number(gain.interval.low);
    json[name + "_high"] = number(gain.interval.high);
    json[sure_name] = *gain.is_sure;
}

void add_execution(Json &json, const Row &row)
{
    const auto &execution = *row.execution;
    json["measured_seconds"] = number(execution.seconds);
    json["measured_low"] = number(execution.interval.low);
    json["measured_high"] = number(execution.interval.high);
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
        if (cost.interval.is_known()) {
            json[name + "_low"] = number(cost.interval.low);
            json[name + "_high"] = number(cost.interval.high);
        }
        const auto sure_name = goal == goal_time ? std::string("distinguishable") : name + "_distinguishable";
        add_gain(json, gain_names[goal], sure_name, row.gains[goal]);
    }
    if (row.execution) add_execution(json, row);
    json["distribution"] = row.x.empty() ? Json() : Json(row.x);
    if (!row.reason.empty()) json["reason"] = row.reason;
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
    Json result;
    // An object: its members are no columns of the CSV.
    result["platform"] = {{"file", study.file}, {"kernel", study.kernel}};
    result["platform"]["base_power"] = study.base_power ? Json(*study.base_power) : Json();
    if (!study.energy_source.empty()) result["platform"]["energy_source"] = study.energy_source;
    if (study.is_run) result["run"] = run;
    result["objective"] = study.objective == HPART_OBJECTIVE_TIME ? "time" : "sum-time";
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
