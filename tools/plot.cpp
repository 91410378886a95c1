// hpart plot: functions of a platform file, fronts, predicted against measured times.
#include "arguments.hpp"
#include "failure.hpp"
#include "file.hpp"
#include "plots.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

namespace hpart_command
{

namespace
{

struct PlotArguments {
    std::string input, output;
};

std::string type_text(Json::value_t type)
{
    switch (type) {
    case Json::value_t::array: return "a list";
    case Json::value_t::object: return "an object";
    case Json::value_t::string: return "a text";
    default: return "a number";
    }
}

bool looks_like_json(const std::string &content)
{
    const auto first = content.find_first_not_of(" \t\r\n");
    return first != std::string::npos && content[first] == '{';
}

Json parse_result(const std::string &content, const std::string &path)
{
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

void draw_result(Plot &plot, const Json &result, const std::string &path)
{
    if (result.contains("points"))
        plot_front(plot, result, path);
    else if (result.contains("splits"))
        plot_run(plot, result, path);
    else if (result.contains("distribution"))
        plot_partition(plot, result, path);
    else if (result.contains("tasks"))
        plot_schedule(plot, result, path);
    else
        refuse(input_name(path), result.contains("results") ? " has results of several sizes; plot one of them"
                                                            : " is no result of hpart partition, pareto, schedule or "
                                                              "run; only these and platform files can be plotted");
}

void run_plot(const PlotArguments &arguments)
{
    Plot plot(arguments.output);
    const auto content = read_file(arguments.input);
    if (looks_like_json(content))
        draw_result(plot, parse_result(content, arguments.input), arguments.input);
    else
        plot_platform(plot, read_platform(arguments.input).get());
}

} // namespace

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
    auto *sub = app.add_subcommand(
        "plot", "draws functions, fronts, distributions, schedules, and predicted against measured times");
    sub->add_option("FILE", arguments->input,
                    "platform file (CSV), or a result of partition, pareto, schedule or run (JSON)")
        ->required();
    sub->add_option("-o,--output", arguments->output, "the drawing; its suffix decides the format")
        ->required()
        ->type_name("OUT.svg|.png");
    sub->footer("Needs gnuplot on the PATH.\nExample: hpart plot platform.csv -o platform.svg");
    sub->callback([arguments] { run_plot(*arguments); });
}

} // namespace hpart_command
