// hpart pareto: every trade-off between time and energy.
#include "arguments.hpp"
#include "core/text.hpp"
#include "facts.hpp"
#include "failure.hpp"
#include "meter.hpp"
#include "output.hpp"
#include "table.hpp"

#include <limits>
#include <memory>
#include <optional>

namespace hpart_command
{

namespace
{

struct ParetoArguments {
    Common common;
    LimitArguments limits;
    std::vector<std::string> sizes;
    std::string file, energy = "dynamic";
    std::optional<std::string> method; // nothing: the library's default, or what --option says
    std::optional<std::string> base_power, copies;
};

struct Point {
    double seconds = 0, joules = 0;
    std::vector<std::int64_t> x;
    Interval time = {}, energy = {};
};

std::vector<Point> points_of(const Front &front, std::size_t processors)
{
    Report report;
    check(hpart_front_report(front.get(), Filled(report)));
    const auto time_low = report_doubles(report, "time_low"), time_high = report_doubles(report, "time_high");
    const auto energy_low = report_doubles(report, "energy_low"), energy_high = report_doubles(report, "energy_high");
    const auto interval = [](const std::vector<double> &low, const std::vector<double> &high, std::size_t k) {
        return low.empty() || high.empty() ? Interval{} : Interval{low[k], high[k]};
    };
    std::vector<Point> points;
    for (std::int64_t k = 0; k < hpart_front_count(front.get()); ++k) {
        Point point;
        point.x.resize(processors);
        check(hpart_front_point(front.get(), k, &point.seconds, &point.joules, point.x.data()));
        point.time = interval(time_low, time_high, points.size());
        point.energy = interval(energy_low, energy_high, points.size());
        points.push_back(std::move(point));
    }
    return points;
}

double solve_seconds(const Front &front)
{
    Report report;
    check(hpart_front_report(front.get(), Filled(report)));
    return report_double(report, "solve_seconds").value_or(std::numeric_limits<double>::quiet_NaN());
}

std::string for_people(const ParetoArguments &arguments, std::int64_t size, const std::vector<std::string> &names,
                       const std::vector<Point> &points, double seconds)
{
    std::string processors;
    for (const auto &name : names) processors += (processors.empty() ? "" : " | ") + name;
    Table table({">point", ">time", ">" + arguments.energy + " energy", processors});
    for (std::size_t k = 0; k < points.size(); ++k)
        table.add({std::to_string(k + 1), seconds_text(points[k].seconds, points[k].time),
                   joules_text(points[k].joules, points[k].energy), distribution_text(points[k].x)});
    return table.text() + text("\nsize ", size, ": ", hpart::pluralise(points.size(), "point"),
                               " on the front, solved in ", seconds_text(seconds), "\n");
}

void run_pareto(const ParetoArguments &arguments)
{
    const auto sizes = parse_workloads(arguments.sizes);
    const auto energy = static_cast<std::int32_t>(parse_choice("--energy", arguments.energy, {"dynamic", "total"}));
    const auto options = make_options(arguments.common);
    set_option(options, arguments.common, "method", "--method", arguments.method);
    arguments.limits.set(options, arguments.common);
    const auto platform = read_platform(arguments.file, arguments.copies);
    if (arguments.base_power)
        check(hpart_platform_set_base_power(platform.get(), parse_watts("--base-power", *arguments.base_power)));

    const auto names = processor_names(platform.get());
    const auto source = facts_of(platform.get()).energy_source();
    const auto notes = left_out_text(platform.get()) + energy_warning(source);
    const Json empty{{"size", 0}, {"energy", arguments.energy}, {"processors", names}, {"points", Json::array()}};
    emit_each(arguments.common, sizes, empty, [&](std::int64_t size) -> Result {
        Front front;
        check(hpart_front_compute(platform.get(), size, energy, options.get(), Filled(front)));
        const auto points = points_of(front, names.size());
        const double seconds = solve_seconds(front);
        Json json;
        json["size"] = size;
        json["energy"] = arguments.energy;
        json["processors"] = names;
        json["points"] = Json::array();
        for (const auto &point : points) {
            Json entry{{"time", point.seconds}, {"energy", point.joules}, {"distribution", point.x}};
            if (point.time.is_known()) {
                entry["time_low"] = point.time.low;
                entry["time_high"] = point.time.high;
            }
            if (point.energy.is_known()) {
                entry["energy_low"] = point.energy.low;
                entry["energy_high"] = point.energy.high;
            }
            json["points"].push_back(std::move(entry));
        }
        json["solve_seconds"] = seconds;
        if (!source.empty()) json["energy_source"] = source;
        return {json, for_people(arguments, size, names, points, seconds) + notes};
    });
}

} // namespace

void add_pareto(CLI::App &app)
{
    auto arguments = std::make_shared<ParetoArguments>();
    auto *sub = app.add_subcommand("pareto", "every trade-off between time and energy: the Pareto front");
    sub->add_option("FILE", arguments->file, "platform file with times and energies (CSV)")->required();
    add_workloads(*sub, arguments->sizes);
    sub->add_option("--energy", arguments->energy,
                    "dynamic energy (the default) or total energy, which adds base power x time")
        ->type_name("dynamic|total");
    sub->add_option("--method", arguments->method, "the algorithm (default exact)")->type_name("METHOD");
    add_copies(*sub, arguments->copies);
    add_limits(*sub, arguments->limits);
    add_optional(*sub, "--base-power", arguments->base_power, "static power of the node, instead of the file's")
        ->type_name("WATTS");
    add_result_file(*sub, arguments->common);
    add_common(*sub, arguments->common);
    sub->footer("Example: hpart pareto --size 4096 -o front.json platform.csv && hpart plot front.json -o front.svg");
    sub->callback([arguments] {
        arguments->common.settle();
        run_pareto(*arguments);
    });
}

} // namespace hpart_command
