// The sections of results in the page of hpart report.
#include "comparison.hpp"
#include "file.hpp"
#include "library.hpp"
#include "meter.hpp"
#include "report.hpp"
#include "table.hpp"

#include <algorithm>
#include <cmath>

namespace hpart_command
{

double number_in(const Json &object, const char *name, const std::string &path)
{
    return object.is_object() && object.contains(name) ? number_member(object, name, path) : std::nan("");
}

std::string word_in(const Json &object, const char *name)
{
    const auto found = object.is_object() ? object.find(name) : object.end();
    return object.is_object() && found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

Interval interval_in(const Json &object, const std::string &name, const std::string &path)
{
    return {number_in(object, (name + "_low").c_str(), path), number_in(object, (name + "_high").c_str(), path)};
}

namespace
{

std::string names_of_result(const Json &result, const std::string &path)
{
    return hpart_command::names_text(names_in(result, path));
}

// "A 512 | B 1024"
std::string parts_text(const std::vector<std::string> &names, const Json &point, const std::string &path)
{
    const auto &x = member(point, "distribution", Json::value_t::array, path);
    std::string out;
    for (std::size_t i = 0; i < x.size() && i < names.size(); ++i)
        out += text(out.empty() ? "" : " | ", names[i], " ", whole_text(x[i].get<double>()));
    return out;
}

std::string distribution_in(const Json &object, const std::string &path)
{
    const auto found = object.is_object() ? object.find("distribution") : object.end();
    if (!object.is_object() || found == object.end() || found->is_null()) return "-";
    std::vector<std::int64_t> x;
    for (const auto &part : *found) {
        if (!part.is_number_integer()) refuse(input_name(path), " has a distribution whose part is no whole number");
        x.push_back(part.get<std::int64_t>());
    }
    return distribution_text(x);
}

std::string number_text(const Json &object, const char *name, const std::string &path)
{
    return whole_text(number_member(object, name, path));
}

// With its interval where there is one.
std::string time_in(const Json &point, const std::string &path)
{
    return seconds_text(number_member(point, "time", path), interval_in(point, "time", path));
}

std::string energy_in(const Json &point, const std::string &path)
{
    return joules_text(number_in(point, "energy", path), interval_in(point, "energy", path));
}

// "dynamic energy (estimated)"
std::string energy_heading_of(const std::string &kind, const Json &result)
{
    const bool is_estimated = word_in(result, "energy_source").starts_with("estimated");
    return energy_heading(kind + " energy", is_estimated ? "estimated" : word_in(result, "energy_method"));
}

std::string size_in(const Json &result, const std::string &path) { return number_text(result, "size", path); }

std::string measured_in(const Json &row, const std::string &path)
{
    return seconds_text(number_in(row, "measured_seconds", path), interval_in(row, "measured", path));
}

// "1.21 (0.72 to 1.86)"
std::string ratio_in(const Json &row, const std::string &path)
{
    const double ratio = number_in(row, "ratio", path);
    const auto interval = interval_in(row, "ratio", path);
    return is_telling(ratio, interval) ? ratio_text(ratio, interval) : "unknown";
}

// Long ones are folded.
std::string table_of(const std::string &caption, const Cells &headings, const std::vector<Cells> &rows)
{
    constexpr std::size_t most_rows = 24;
    const auto table = html_table(caption, headings, rows);
    return rows.size() <= most_rows ? table : html_folded(text(caption, ", ", rows.size(), " rows"), table);
}

// All fronts in one drawing; the script shows the point that the pointer or the slider chooses.
std::string front_section(const std::vector<Json> &fronts, const std::string &path, Json &data)
{
    std::vector<Input> inputs;
    std::string tables;
    Json points = Json::array();
    for (const auto &front : fronts) {
        inputs.push_back({path, front});
        const auto names = names_in(front, path);
        const auto &list = member(front, "points", Json::value_t::array, path);
        const auto size = "size " + size_in(front, path);
        std::vector<Cells> rows;
        for (const auto &point : list) {
            number_member(point, "energy", path); // there must be one
            rows.push_back({time_in(point, path), energy_in(point, path), distribution_in(point, path)});
            const auto name = text(fronts.size() > 1 ? size + ", " : "", "point ", rows.size(), " of ", list.size());
            points.push_back(
                {{"name", name},
                 {"text", text(rows.back()[0], ", ", rows.back()[1], "; ", parts_text(names, point, path))}});
        }
        tables += table_of(
            "front of " + size,
            {"time", energy_heading_of(text_member(front, "energy", path), front), names_of_result(front, path)}, rows);
    }
    const auto picture = html_drawing("front of time and energy", [&](Plot &plot) {
        const auto places = plot_fronts(plot, inputs);
        for (std::size_t k = 0; k < places.size(); ++k) points[k].update({{"x", places[k][0]}, {"y", places[k][1]}});
    });
    const auto number = data.size(), last = points.size() - 1;
    data.push_back({{"points", std::move(points)}});
    return text(R"(<div class="front" data-entry=")", number, "\">", picture,
                R"(<div class="control" hidden><label>point <input type="range" min="0" max=")", last, R"(" value=")",
                last / 2, R"("></label><p aria-live="polite"></p></div></div>)", "\n", tables);
}

std::string splits_section(const Json &result, const std::string &path)
{
    const auto &splits = member(result, "splits", Json::value_t::array, path);
    const bool has_energy = std::any_of(splits.begin(), splits.end(), [&](const Json &split) {
        return std::isfinite(number_in(split, "measured_joules", path));
    });
    Cells headings{"method", names_of_result(result, path), "predicted", "measured"};
    if (has_energy) headings.push_back(energy_heading_of("measured dynamic", result));
    std::vector<Cells> rows;
    for (const auto &split : splits) {
        rows.push_back({text_member(split, "method", path), distribution_in(split, path),
                        seconds_text(number_member(split, "predicted_seconds", path)), measured_in(split, path)});
        if (has_energy) rows.back().push_back(joules_text(number_in(split, "measured_joules", path)));
    }
    return html_drawing("predicted and measured times", [&](Plot &plot) { plot_run(plot, result, path); }) +
           table_of("predicted and measured times of size " + size_in(result, path), headings, rows);
}

// A split that did not run has no value.
std::string tune_section(const Json &result, const std::string &path)
{
    const auto &baselines = member(result, "baselines", Json::value_t::array, path);
    const bool is_energy = result.contains("energy");
    std::vector<Cells> rows;
    bool is_raced = false;
    for (const auto &row : baselines) {
        const double value = number_in(row, is_energy ? "energy" : "time", path);
        is_raced = is_raced || std::isfinite(value);
        rows.push_back({text_member(row, "method", path), distribution_in(row, path),
                        is_energy ? joules_text(value) : seconds_text(value), ratio_in(row, path)});
    }
    const auto drawing =
        is_raced ? html_drawing("measured values of the splits", [&](Plot &plot) { plot_run(plot, result, path); })
                 : "";
    return html_paragraphs(word_in(result, "note")) + drawing +
           table_of("splits of size " + size_in(result, path),
                    {"method", names_of_result(result, path),
                     is_energy ? energy_heading_of("measured", result) : std::string("measured time"),
                     "ratio to the first"},
                    rows);
}

std::string partition_section(const std::vector<Json> &results, const std::string &path)
{
    const auto &first = results.front();
    const bool has_energy = std::any_of(results.begin(), results.end(), [&](const Json &result) {
        return std::isfinite(number_in(result, "energy", path));
    });
    Cells headings{"size", names_of_result(first, path), "time"};
    if (has_energy) headings.push_back(energy_heading_of("dynamic", first));
    std::vector<Cells> rows;
    for (const auto &result : results) {
        rows.push_back({size_in(result, path), distribution_in(result, path), time_in(result, path)});
        if (has_energy) rows.back().push_back(energy_in(result, path));
    }
    std::string how;
    if (const auto method = word_in(first, "method"); !method.empty())
        how = text(", ", word_in(first, "objective"), " by method ", method,
                   first.contains("optimal") && first["optimal"] == true ? ", proved optimal"
                   : first.contains("among_measured_sizes") && first["among_measured_sizes"] == true
                       ? ", the best of the sizes that hpart tune measured"
                       : "");
    return html_drawing("sizes of the processors",
                        [&](Plot &plot) {
                            if (results.size() == 1)
                                plot_partition(plot, results.front(), path);
                            else
                                plot_shares(plot, shares_title(results), results, path);
                        }) +
           table_of((results.size() == 1 ? "distribution of size " + rows.front()[0] : "distributions") + how, headings,
                    rows);
}

std::string trace_section(const Json &trace, const std::string &path)
{
    std::vector<Cells> rows;
    for (const auto &line : trace_lines(trace, path))
        rows.push_back({line.name, text(line.commands), seconds_text(line.seconds)});
    return html_drawing("the commands of an operation over time", [&](Plot &plot) { plot_trace(plot, trace, path); }) +
           table_of("commands of the operation", {"line", "commands", "time in which it works"}, rows);
}

std::string schedule_section(const Json &result, const std::string &path)
{
    std::vector<Cells> rows;
    for (const auto &task : member(result, "tasks", Json::value_t::array, path))
        rows.push_back({text_member(task, "processor", path), size_in(task, path), number_text(task, "repeats", path),
                        seconds_text(number_member(task, "time", path))});
    return html_drawing("the packages of the processors over time",
                        [&](Plot &plot) { plot_schedules(plot, {result}, path); }) +
           table_of(text("schedule of size ", size_in(result, path), ", makespan ",
                         seconds_text(number_member(result, "makespan", path))),
                    {"processor", "package", "times", "time of one"}, rows);
}

std::string study_section(const Json &result, const std::string &path)
{
    std::vector<Cells> rows;
    for (const auto &size : member(result, "sizes", Json::value_t::array, path))
        for (const auto &row : member(size, "methods", Json::value_t::array, path)) {
            const double gain = number_in(row, "gain", path);
            rows.push_back({size_in(size, path), text_member(row, "method", path), distribution_in(row, path),
                            seconds_text(number_in(row, "time", path)), measured_in(row, path),
                            std::isfinite(gain) ? fixed_text(100 * gain, 1) + " %" : "-"});
        }
    const auto &summary = member(result, "summary", Json::value_t::object, path);
    return html_paragraphs(text_member(summary, "text", path)) +
           html_drawing("gains of the optimal distributions against size",
                        [&](Plot &plot) { plot_study(plot, result, path); }) +
           html_drawing("optimal distributions against size",
                        [&](Plot &plot) { plot_distributions(plot, result, path); }) +
           table_of("gains of the optimal distributions",
                    {"size", "method", names_of_result(result, path), "predicted", "measured", "gain"}, rows);
}

} // namespace

std::string results_section(const Results &all, const std::string &path, Json &data)
{
    const auto &[kind, results, infeasible] = all;
    std::string out;
    switch (kind) {
    case Kind::front: out = front_section(results, path, data); break;
    case Kind::partition: out = partition_section(results, path); break;
    case Kind::run: out = splits_section(results.front(), path); break;
    case Kind::tune: out = tune_section(results.front(), path); break;
    case Kind::study: out = study_section(results.front(), path); break;
    case Kind::trace: out = trace_section(results.front(), path); break;
    case Kind::schedule:
        for (const auto &schedule : results) out += schedule_section(schedule, path);
    }
    for (const auto &each : infeasible)
        out += text("<p>size ", size_in(each, path), ": ", html_text(text_member(each, "reason", path)), "</p>\n");
    return out;
}

} // namespace hpart_command
