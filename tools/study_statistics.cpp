// The least, mean and largest gains over the sizes of a study, as the papers' tables have them.
#include "dynamic.hpp"
#include "study.hpp"

#include <algorithm>
#include <cmath>

namespace hpart_command
{

namespace
{

const Gain &gain_of(const Row &row, std::optional<Goal> goal) { return goal ? row.gains[*goal] : row.measured; }

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
            const auto &gain = gain_of(row, goal);
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
