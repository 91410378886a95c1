// hpart plot: functions of a platform file, fronts, predicted against measured times.
#include "arguments.hpp"
#include "facts.hpp"
#include "failure.hpp"
#include "file.hpp"
#include "plots.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <vector>

namespace hpart_command
{

namespace
{

struct PlotArguments {
    std::vector<std::string> inputs;
    std::string output;
    std::optional<std::string> size, degree;
};

std::string type_text(Json::value_t type)
{
    switch (type) {
    case Json::value_t::array: return "list";
    case Json::value_t::object: return "object";
    case Json::value_t::string: return "text";
    default: return "number";
    }
}

std::optional<Kind> kind_of(const Json &result)
{
    if (result.contains("baselines")) return Kind::tune;
    if (result.contains("points") && result.contains("energy")) return Kind::front;
    if (result.contains("splits")) return Kind::run;
    if (result.contains("summary")) return Kind::study;
    if (result.contains("distribution")) return Kind::partition;
    if (result.contains("tasks")) return Kind::schedule;
    if (result.contains("traceEvents")) return Kind::trace;
    return {};
}

std::vector<Input> inputs_of(const std::vector<Json> &results, const std::string &path)
{
    std::vector<Input> inputs;
    inputs.reserve(results.size());
    for (const auto &result : results) inputs.push_back({path, result});
    return inputs;
}

// The one of that size, among results of one size each.
std::vector<Json> chosen(std::vector<Json> results, Kind kind, std::int64_t size, const std::string &path)
{
    if (kind != Kind::partition && kind != Kind::front && kind != Kind::schedule)
        refuse("--size belongs to platform files, files of samples and results of partition, pareto and schedule; ",
               input_name(path), " is none of them");
    std::erase_if(results,
                  [&](const Json &result) { return number_member(result, "size", path) != static_cast<double>(size); });
    if (results.empty()) refuse(input_name(path), " has no result of size ", size);
    return results;
}

void draw_result(Plot &plot, const Json &result, std::optional<std::int64_t> size, const std::string &path)
{
    auto [kind, results, infeasible] = results_in(result, path);
    if (size) results = chosen(std::move(results), kind, *size, path);
    const bool is_one = results.size() == 1;
    switch (kind) {
    case Kind::front: plot_fronts(plot, inputs_of(results, path)); return;
    case Kind::trace: plot_trace(plot, results.front(), path); return;
    case Kind::run:
    case Kind::tune: plot_run(plot, results.front(), path); return;
    case Kind::study: plot_study(plot, results.front(), path); return;
    case Kind::partition:
        if (is_one)
            plot_partition(plot, results.front(), path);
        else
            plot_shares(plot, shares_title(results), results, path);
        return;
    case Kind::schedule: plot_schedules(plot, results, path);
    }
}

std::vector<Input> fronts_of(const std::vector<std::string> &paths)
{
    std::vector<Input> inputs;
    for (const auto &path : paths) {
        const auto content = read_file(path);
        if (!looks_like_json(content))
            refuse(input_name(path),
                   " is no result of hpart pareto; several files are drawn together only if all are fronts");
        const auto [kind, results, infeasible] = results_in(parse_result(content, path), path);
        if (kind != Kind::front)
            refuse(input_name(path),
                   " is no result of hpart pareto; several files are drawn together only if all are fronts");
        std::ranges::move(inputs_of(results, path), std::back_inserter(inputs));
    }
    return inputs;
}

void run_plot(const PlotArguments &arguments)
{
    Plot plot(arguments.output);
    const auto &path = arguments.inputs.front();
    const auto content = read_file(path);
    std::optional<std::int64_t> size, degree;
    if (arguments.size) size = parse_positive("--size", *arguments.size);
    if (arguments.degree) degree = parse_positive("--smoothed", *arguments.degree);
    if (degree && *degree > 20) refuse("--smoothed is ", *degree, "; it must be from 1 to 20");
    if (size && arguments.inputs.size() > 1) refuse("--size belongs to a single file; there are several");
    const bool is_platform = !looks_like_json(content) && !are_samples(content);
    if (degree && !is_platform) refuse("--smoothed belongs to a platform file, which ", input_name(path), " is not");
    if (arguments.inputs.size() > 1)
        plot_fronts(plot, fronts_of(arguments.inputs));
    else if (looks_like_json(content))
        draw_result(plot, parse_result(content, path), size, path);
    else if (is_platform)
        plot_platform(plot, read_platform(path).get(), path, degree, size);
    else
        plot_samples(plot, content, size, path);
}

} // namespace

Results results_in(const Json &result, const std::string &path)
{
    const bool has_several = result.contains("results");
    const auto &all = has_several ? member(result, "results", Json::value_t::array, path) : Json::array({result});
    std::vector<Results> kinds;
    for (const auto &each : all) {
        const auto kind = each.is_object() ? kind_of(each) : std::nullopt;
        if (!kind || (!kinds.empty() && *kind != kinds.front().kind))
            refuse(input_name(path),
                   " is no result of hpart partition, pareto, schedule, run, tune or study, and no trace "
                   "with traceEvents");
        if (kinds.empty()) kinds.push_back({*kind, {}, {}});
        (has_several && each.contains("reason") ? kinds.front().infeasible : kinds.front().solved).push_back(each);
    }
    if (kinds.empty() || kinds.front().solved.empty()) refuse(input_name(path), " has no size with a distribution");
    return kinds.front();
}

bool looks_like_json(const std::string &content)
{
    const auto first = content.find_first_not_of(" \t\r\n");
    return first != std::string::npos && content[first] == '{';
}

// The parser and the values that it makes call themselves for each level.
void refuse_deep(const std::string &content, const std::string &path)
{
    constexpr int most_levels = 1000;
    int level = 0;
    bool is_text = false;
    for (std::size_t k = 0; k < content.size(); ++k) {
        const char c = content[k];
        if (is_text && c == '\\') ++k;
        if (c == '"') is_text = !is_text;
        if (is_text) continue;
        level += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
        if (level > most_levels) refuse(input_name(path), " is nested too deeply; a result has a few levels");
    }
}

Json parse_result(const std::string &content, const std::string &path)
{
    refuse_deep(content, path);
    try {
        return Json::parse(content);
    } catch (const Json::parse_error &error) {
        if (error.byte > content.size()) refuse(input_name(path), " is not JSON: it ends too early");
        const auto before = std::string_view(content).substr(0, error.byte > 0 ? error.byte - 1 : 0);
        refuse(input_name(path), " is not JSON from line ", 1 + std::count(before.begin(), before.end(), '\n'),
               ", column ", before.size() - (before.rfind('\n') + 1) + 1, " on");
    } catch (const Json::exception &) {
        refuse(input_name(path), " has a number that does not fit");
    }
}

const Json &member(const Json &object, const char *name, Json::value_t type, const std::string &path)
{
    const auto found = object.is_object() ? object.find(name) : object.end();
    if (!object.is_object() || found == object.end() || found->type() != type)
        refuse(input_name(path), " has no ", type_text(type), " '", name, "' where a result has one");
    return *found;
}

double number_member(const Json &object, const char *name, const std::string &path)
{
    const auto found = object.is_object() ? object.find(name) : object.end();
    if (!object.is_object() || found == object.end() || !(found->is_number() || found->is_null()))
        refuse(input_name(path), " has no number '", name, "' where a result has one");
    return found->is_null() ? std::nan("") : found->get<double>();
}

std::string text_member(const Json &object, const char *name, const std::string &path)
{
    return member(object, name, Json::value_t::string, path).get<std::string>();
}

void add_plot(CLI::App &app)
{
    auto arguments = std::make_shared<PlotArguments>();
    auto *sub = app.add_subcommand("plot", "draws functions, fronts, distributions, schedules, gains, densities of "
                                           "samples, and predicted against measured times");
    sub->add_option(
           "FILE", arguments->inputs,
           "platform file or file of samples (CSV), or a result of partition, pareto, schedule, run, tune or study "
           "(JSON); several fronts come into one drawing")
        ->required();
    add_optional(
        *sub, "--size", arguments->size,
        "of a platform file: marks the optimal distribution of this size; of a file of samples, or a result of "
        "several sizes: the size that is drawn")
        ->type_name("N");
    add_optional(
        *sub, "--smoothed", arguments->degree,
        "of a platform file: draws beside the speeds their trend lines of this degree, as smooth-fpm takes them")
        ->type_name("DEGREE");
    sub->add_option("-o,--output", arguments->output, "the drawing; its suffix decides the format")
        ->required()
        ->type_name("OUT.svg|.png|.pdf");
    sub->footer("Needs gnuplot on the PATH.\nExample: hpart plot platform.csv -o platform.svg");
    sub->callback([arguments] { run_plot(*arguments); });
}

} // namespace hpart_command
