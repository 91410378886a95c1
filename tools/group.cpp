// hpart group: which grouping of this machine's cores into abstract processors is best for a kernel.
#include "arguments.hpp"
#include "failure.hpp"
#include "interrupt.hpp"
#include "kernel_line.hpp"
#include "output.hpp"
#include "progress_bar.hpp"
#include "table.hpp"
#include "team.hpp"

#include <algorithm>
#include <memory>
#include <sstream>

namespace hpart_command
{

namespace
{

struct Arguments {
    Common common;
    std::string kernel, dims, size, points = "8";
    std::vector<std::string> groupings;
};

struct Grouping {
    std::string name;
    std::vector<std::string> processors; // "cpu:0-3"
};

// What a grouping reaches with its optimal distribution.
struct Outcome {
    Grouping grouping;
    std::vector<std::int64_t> x;
    double predicted, measured;
};

std::vector<Grouping> groupings_here()
{
    std::int64_t count = 0, needed = 0;
    check(hpart_grouping_count(nullptr, &count));
    std::vector<Grouping> groupings;
    for (std::int64_t k = 0; k < count; ++k) {
        check(hpart_grouping_describe(nullptr, k, nullptr, 0, &needed));
        std::string line(static_cast<std::size_t>(needed), '\0');
        check(hpart_grouping_describe(nullptr, k, line.data(), needed, &needed));
        line.pop_back();
        std::istringstream words(line);
        Grouping grouping;
        words >> grouping.name;
        for (std::string cores; words >> cores;) grouping.processors.push_back("cpu:" + cores);
        groupings.push_back(std::move(grouping));
    }
    return groupings;
}

std::vector<Grouping> chosen(const std::vector<std::string> &names)
{
    const auto all = groupings_here();
    if (names.empty()) return all;
    std::vector<Grouping> found;
    for (const auto &name : names) {
        const auto known = std::find_if(all.begin(), all.end(), [&](const auto &other) { return other.name == name; });
        if (known == all.end()) {
            std::string valid;
            for (const auto &other : all) valid += (valid.empty() ? "" : ", ") + other.name;
            refuse("--grouping is ", in_quotes(name), "; this machine has ", valid);
        }
        found.push_back(*known);
    }
    return found;
}

// Equal steps up to the size, which is the last.
std::vector<std::int64_t> sizes_up_to(std::int64_t size, std::int64_t points)
{
    std::vector<std::int64_t> sizes;
    for (std::int64_t k = 1; k <= points; ++k) {
        const auto each = size / points * k + size % points * k / points;
        if (each > 0 && (sizes.empty() || each > sizes.back())) sizes.push_back(each);
    }
    return sizes;
}

void check_measured(std::int32_t status)
{
    if (status == HPART_ERR_CANCELLED) give_up("interrupted; nothing was compared");
    check(status);
}

Outcome measure(const Arguments &arguments, const KernelLine &line, const Grouping &grouping, std::int64_t size)
{
    ProgressBar bar;
    const auto options = make_options(arguments.common);
    bar.attach(options.get());
    const auto team = make_team(line, grouping.processors, std::nullopt);
    const auto sizes = sizes_up_to(size, parse_size("--points", arguments.points));
    Platform platform;
    check_measured(hpart_team_profile(team.get(), static_cast<std::int64_t>(sizes.size()), sizes.data(), options.get(),
                                      Filled(platform)));
    Options between;
    check(hpart_options_create(Filled(between)));
    check(hpart_options_set_string(between.get(), "interpolate", "linear"));
    Outcome outcome{grouping, std::vector<std::int64_t>(grouping.processors.size()), 0, 0};
    check(hpart_partition_time(platform.get(), size, between.get(), outcome.x.data(), &outcome.predicted));
    std::vector<double> seconds(outcome.x.size());
    check_measured(hpart_team_measure(team.get(), outcome.x.data(), options.get(), seconds.data(), nullptr, nullptr));
    outcome.measured = *std::max_element(seconds.begin(), seconds.end());
    bar.clear();
    return outcome;
}

Json json_of(const Outcome &outcome)
{
    Json alternative;
    alternative["grouping"] = outcome.grouping.name;
    alternative["processors"] = outcome.grouping.processors;
    alternative["x"] = outcome.x;
    alternative["predicted_seconds"] = outcome.predicted;
    alternative["seconds"] = outcome.measured;
    return alternative;
}

std::string for_people(const std::vector<Outcome> &outcomes, const Outcome &best, const KernelLine &line,
                       std::int64_t size)
{
    const auto flops = operations(line, size);
    Table table({"grouping", ">processors", ">predicted", ">measured", flops ? ">GFLOP/s" : ">size/s", ">of the best"});
    for (const auto &outcome : outcomes)
        table.add(
            {outcome.grouping.name, std::to_string(outcome.x.size()), seconds_text(outcome.predicted),
             seconds_text(outcome.measured),
             fixed_text(flops ? *flops / outcome.measured / 1e9 : static_cast<double>(size) / outcome.measured, 2),
             fixed_text(100 * best.measured / outcome.measured, 1) + " %"});
    std::string processors;
    for (const auto &processor : best.grouping.processors) processors += " --processor " + processor;
    return table.text() + "\nbest: " + best.grouping.name + ", " + distribution_text(best.x) + "; as in hpart profile" +
           processors + "\n";
}

void run(const Arguments &arguments)
{
    const auto size = parse_size("--size", arguments.size);
    if (size < 1) refuse("--size is ", arguments.size, "; it must be at least 1");
    if (parse_size("--points", arguments.points) < 1)
        refuse("--points is ", arguments.points, "; it must be at least 1");
    const KernelLine line{arguments.kernel, parse_dims("--dims", arguments.dims)};
    const auto groupings = chosen(arguments.groupings);
    watch_for_interrupts();
    std::vector<Outcome> outcomes;
    for (const auto &grouping : groupings) outcomes.push_back(measure(arguments, line, grouping, size));
    const auto best = std::min_element(outcomes.begin(), outcomes.end(),
                                       [](const auto &a, const auto &b) { return a.measured < b.measured; });
    Json result;
    result["kernel"] = arguments.kernel;
    result["dims"] = line.dims;
    result["size"] = size;
    result["alternatives"] = Json::array();
    for (const auto &outcome : outcomes) result["alternatives"].push_back(json_of(outcome));
    result["best"] = best->grouping.name;
    result["libraries"] = libraries_json();
    emit(arguments.common, result, [&] { return for_people(outcomes, *best, line, size); });
}

} // namespace

void add_group(CLI::App &app)
{
    auto arguments = std::make_shared<Arguments>();
    auto *sub = app.add_subcommand("group", "finds the best grouping of the cores into processors for a kernel");
    sub->add_option("--kernel", arguments->kernel, "dgemm, dgemv or zfft")->required()->type_name("dgemm|dgemv|zfft");
    sub->add_option("--dims", arguments->dims, "the kernel's fixed dimensions, as in hpart profile")
        ->type_name("n=512,k=512");
    sub->add_option("--size", arguments->size, "number of rows of the whole problem")->required()->type_name("N");
    sub->add_option("--points", arguments->points, "sizes measured of each function, in equal steps up to --size")
        ->type_name("K")
        ->capture_default_str();
    sub->add_option("--grouping", arguments->groupings,
                    "only this one: node, socket, numa, l3, l2, core or thread, as far as the machine has it; may be "
                    "repeated")
        ->type_name("NAME")
        ->allow_extra_args(false);
    add_common(*sub, arguments->common);
    add_result_file(*sub, arguments->common);
    sub->footer(
        "For each grouping all functions are measured at once, the optimal distribution is found over them, with\n"
        "sizes between the measured ones on lines, and then measured itself; the best is that of least time.\n"
        "Example: hpart group --kernel dgemm --dims n=512,k=512 --size 1024");
    sub->callback([arguments] {
        arguments->common.settle();
        run(*arguments);
    });
}

} // namespace hpart_command
