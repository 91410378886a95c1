// hpart shape: what the functions of a platform look like.

#include "arguments.hpp"
#include "file.hpp"
#include "library.hpp"
#include "output.hpp"
#include "processors.hpp"
#include "table.hpp"

#include <algorithm>
#include <memory>
#include <optional>

namespace hpart_command
{

namespace
{

struct ShapeArguments {
    Common common;
    std::string file;
};

// Operations of the file's kernel; if it is unknown, C(x) = x.
int count_operations(std::int64_t size, double *count, void *user)
{
    *count = operations(*static_cast<const KernelLine *>(user), size).value_or(static_cast<double>(size));
    return 0;
}

Json to_json(const Report &report, const std::string &name)
{
    Json json;
    json["processor"] = name;
    for (std::int64_t k = 0; k < hpart_report_count(report.get()); ++k) {
        const char *key = hpart_report_key(report.get(), k);
        if (hpart_report_type(report.get(), key) == HPART_REPORT_INT)
            json[key] = report_int(report, key).value();
        else
            json[key] = report_double(report, key).value(); // infinity is written as null
    }
    return json;
}

std::string percent_text(const Json &value) { return fixed_text(value.get<double>(), 1) + " %"; }

void add_row(Table &table, const Json &shape, const char *name, const char *points_key)
{
    const auto value = [&](const char *key) { return shape[std::string(name) + key]; };
    const auto pairs = std::to_string(std::max<std::int64_t>(shape[points_key].get<std::int64_t>() - 1, 0));
    const auto turns = value("_minima").get<std::int64_t>() + value("_maxima").get<std::int64_t>();
    table.add({shape["processor"].get<std::string>(), name, value("_falls").dump() + " of " + pairs,
               percent_text(value("_largest_fall")), std::to_string(turns), percent_text(value("_variation")),
               percent_text(value("_mean_variation"))});
}

std::string for_people(const Json &shapes)
{
    Table table({"processor", "function", ">falls of pairs", ">largest fall", ">turns", ">variation", ">mean"});
    std::string models;
    for (const auto &shape : shapes) {
        for (const char *name : {"time", "speed"}) add_row(table, shape, name, "points");
        if (shape["energy_points"] != 0) add_row(table, shape, "energy", "energy_points");
        models += text(shape["processor"].get<std::string>(), ": the conditions of functional performance models ",
                       shape["fpm"] == 1 ? "hold" : "do not hold", "\n");
    }
    return table.text() + "\n" + models;
}

void run_shape(const ShapeArguments &arguments)
{
    const auto platform = read_platform(arguments.file);
    const auto names = processor_names(platform.get());
    auto kernel = parse_kernel_line(kernel_of(platform.get())).value_or(KernelLine{});
    Json result;
    result["processors"] = Json::array();
    for (std::size_t i = 0; i < names.size(); ++i) {
        Report report;
        check(hpart_platform_report_shape(platform.get(), static_cast<std::int64_t>(i), count_operations, &kernel,
                                          Filled(report)));
        result["processors"].push_back(to_json(report, names[i]));
    }
    emit(arguments.common, result, [&] { return for_people(result["processors"]); });
}

} // namespace

void add_shape(CLI::App &app)
{
    auto arguments = std::make_shared<ShapeArguments>();
    auto *sub = app.add_subcommand("shape", "distance of measured functions from smooth ones");
    sub->add_option("FILE", arguments->file, "platform file: functions of time and energy (CSV)")->required();
    add_format(*sub, arguments->common);
    sub->footer(
        "Falls of pairs: pairs of neighbouring sizes whose larger size has the smaller value, of all pairs. "
        "Variation:\n"
        "the difference of a local minimum and the maximum next to it, over the smaller. The speed is in operations\n"
        "if the file names a known kernel.\n"
        "Example: hpart shape platform.csv");
    sub->callback([arguments] {
        arguments->common.settle();
        run_shape(*arguments);
    });
}

// hpart slice: the platform of one parameter of a family t(x; n).

namespace
{

struct SliceArguments {
    Common common;
    std::string file, parameter, output;
};

void run_slice(const SliceArguments &arguments)
{
    const auto parameter = parse_size("--parameter", arguments.parameter);
    const auto options = make_options(arguments.common);
    if (arguments.output.empty()) refuse("-o is ''; it must be the name of the platform file to write");
    Platform platform;
    check_read(
        hpart_platform_read_slice(input_path(arguments.file).c_str(), parameter, options.get(), Filled(platform)),
        arguments.file);
    check(hpart_platform_write(platform.get(), arguments.output.c_str()), Files::written);

    Json result;
    result["parameter"] = parameter;
    result["file"] = arguments.output;
    result["processors"] = processor_names(platform.get());
    emit(arguments.common, result,
         [&] { return text("wrote the platform of parameter ", parameter, " to ", arguments.output, "\n"); });
}

} // namespace

void add_slice(CLI::App &app)
{
    auto arguments = std::make_shared<SliceArguments>();
    auto *sub = app.add_subcommand("slice", "the platform of one parameter of a family of functions");
    sub->add_option("FILE", arguments->file, "family file: platform files' columns and one more, parameter")
        ->required();
    sub->add_option("--parameter", arguments->parameter, "the slice's, or with interpolate=linear one between two")
        ->required()
        ->type_name("N");
    add_platform_output(*sub, arguments->output, "the platform file to write");
    add_common(*sub, arguments->common);
    sub->footer("Example: hpart slice --parameter 768 --option interpolate=linear family.csv -o n768.csv");
    sub->callback([arguments] {
        arguments->common.settle();
        run_slice(*arguments);
    });
}

} // namespace hpart_command
