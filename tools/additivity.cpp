// hpart additivity: tests if the energies of processors that run alone add up to the energy of all together.
#include "arguments.hpp"
#include "failure.hpp"
#include "interrupt.hpp"
#include "meter.hpp"
#include "output.hpp"
#include "progress_bar.hpp"
#include "quiet.hpp"
#include "table.hpp"
#include "team_arguments.hpp"

#include <cmath>
#include <memory>

namespace hpart_command
{

namespace
{

struct AdditivityArguments {
    Common common;
    TeamArguments team;
    std::string sizes;
    MeterArguments meter;
    QuietArguments quiet;
};

std::string for_people(const Json &result, const std::vector<std::int64_t> &sizes, const std::string &method)
{
    const auto value = [&](const char *key, std::size_t k) { return result[key][k].get<double>(); };
    const auto percent = [](double number) { return fixed_text(number, 1) + " %"; };
    Table table({">size", ">" + energy_heading("together", method), ">sum of each alone", ">difference"});
    for (std::size_t k = 0; k < sizes.size(); ++k)
        table.add({text(sizes[k]), with_error(value("parallel", k), value("parallel_error", k), "J"),
                   with_error(value("combined", k), value("combined_error", k), "J"),
                   text(percent(value("differences", k)), " +- ", percent(value("difference_errors", k)))});
    auto out = table.text();
    out += text("\ndifferences: least ", percent(result["least_difference"].get<double>()), ", mean ",
                percent(result["mean_difference"].get<double>()), ", largest ",
                percent(result["largest_difference"].get<double>()), "\n");
    const auto warning = result["warning"].get<std::string>();
    return out +
           (warning.empty()
                ? text("the energies add up: the mean is at most ", percent(result["additivity_bound"].get<double>()))
                : warning) +
           "\n";
}

void run(const AdditivityArguments &arguments)
{
    if (!arguments.meter.spec) refuse("--meter is missing: additivity compares energies");
    const auto sizes = parse_sizes("--sizes", arguments.sizes);
    ProgressBar bar;
    watch_for_interrupts("interrupted; nothing was written");
    const auto options = make_options(arguments.common);
    bar.attach(options.get());
    const auto team = arguments.team.make();
    const TeamMeter meter(arguments.meter, "hpart additivity");
    meter.attach(team.get());
    meter.set_options(options.get());
    bar.warn_when_begun(disturbances_now(arguments.quiet));
    const auto processors = static_cast<std::size_t>(hpart_team_processors(team.get()));
    std::vector<std::int64_t> x;
    for (const auto size : sizes) x.insert(x.end(), processors, size);
    Report report;
    const auto status = hpart_energy_additivity(team.get(), nullptr, static_cast<std::int64_t>(sizes.size()), x.data(),
                                                options.get(), nullptr, nullptr, nullptr, Filled(report));
    bar.clear();
    if (status == HPART_ERR_CANCELLED) give_up("interrupted; nothing was written");
    check(status);
    Json result;
    result["processors"] = processors;
    result["sizes"] = sizes;
    for (const auto *key :
         {"parallel", "parallel_error", "combined", "combined_error", "differences", "difference_errors"})
        result[key] = report_doubles(report, key);
    for (const auto *key : {"least_difference", "mean_difference", "largest_difference", "additivity_bound"})
        result[key] = report_double(report, key).value_or(NAN);
    result["additive"] = report_int(report, "additive") == 1;
    result["warning"] = report_text(report, "warning");
    meter.describe(result);
    emit(arguments.common, result, [&] { return for_people(result, sizes, meter.method()); });
}

} // namespace

void add_additivity(CLI::App &app)
{
    auto arguments = std::make_shared<AdditivityArguments>();
    auto *sub = app.add_subcommand(
        "additivity", "tests if the energies of processors that run alone add up to the energy of all together");
    add_team_arguments(*sub, arguments->team);
    sub->add_option("--sizes", arguments->sizes, "all processors run each of these sizes: a range, a list, or both")
        ->required()
        ->type_name("A:B:STEP|A,B,C");
    add_meter_arguments(*sub, arguments->meter);
    add_quiet_arguments(*sub, arguments->quiet);
    add_result_file(*sub, arguments->common);
    add_common(*sub, arguments->common);
    sub->footer("Example: hpart additivity --kernel dgemm --dims n=512,k=512 --sizes 256:2048:256 --meter rapl");
    sub->callback([arguments] {
        arguments->common.settle();
        arguments->meter.settle(arguments->common);
        run(*arguments);
    });
}

} // namespace hpart_command
