// hpart run: executes the kernel of a platform file with the optimal distribution and the usual ones.
#include "arguments.hpp"
#include "failure.hpp"
#include "file.hpp"
#include "kernel_line.hpp"
#include "meter.hpp"
#include "output.hpp"
#include "split_runner.hpp"
#include "table.hpp"
#include "team.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>

namespace hpart_command
{

namespace
{

struct Arguments {
    Common common;
    std::string file, size;
    std::optional<std::string> kernel, dims, memory_limit;
    MeterArguments meter;
};

struct Method {
    const char *name;   // as the result shows it
    const char *method; // as the library knows it
};
constexpr std::array<Method, 5> methods = {
    {{"optimal", "exact"}, {"equal", "equal"}, {"cpm", "cpm"}, {"fpm", "fpm"}, {"balanced", "balanced"}}};

struct Split {
    std::string method;
    std::vector<std::int64_t> x; // empty when the method finds no distribution among the sizes measured
    double predicted = 0;
    double predicted_joules = std::numeric_limits<double>::quiet_NaN(); // without energy functions
    Execution execution;
};

// The file's kernel, after a comparison with what the call says it is.
KernelLine kernel_line(const Arguments &arguments, const hpart_platform *platform)
{
    const auto line = kernel_of(platform);
    const auto parsed = parse_kernel_line(line);
    if (!parsed)
        refuse(in_quotes(arguments.file), " does not say what kernel it was measured with (its kernel line is ",
               in_quotes(line), "); a file of hpart profile has a line such as '# kernel = dgemm n=512 k=512'");
    if (arguments.kernel && *arguments.kernel != parsed->kernel)
        refuse("--kernel is ", in_quotes(*arguments.kernel), " but ", in_quotes(arguments.file), " was measured with ",
               in_quotes(line), "; give the file's kernel");
    if (arguments.dims && parse_dims("--dims", *arguments.dims, parsed->kernel) != parsed->dims)
        refuse("--dims is ", in_quotes(*arguments.dims), " but ", in_quotes(arguments.file), " was measured with ",
               in_quotes(line), "; give the file's dims");
    return *parsed;
}

// The file's functions are those of devices with as much memory as it says.
void check_memory_limit(const Arguments &arguments)
{
    const auto given = arguments.memory_limit ? text(parse_positive("--memory-limit", *arguments.memory_limit)) : "";
    for (const auto &limit : lines_behind("# memory limit of ", arguments.file)) {
        const auto equals = limit.rfind(" = ");
        if (equals == std::string::npos) continue; // somebody's own words
        const auto bytes = limit.substr(equals + 3);
        if (bytes.empty() || bytes.find_first_not_of("0123456789") != std::string::npos || bytes == given) continue;
        refuse(in_quotes(arguments.file), " was measured with a memory limit of ", bytes, " bytes of ",
               in_quotes(limit.substr(0, equals)), "; give --memory-limit ", bytes);
    }
}

Split partition(const hpart_platform *platform, std::int64_t size, const Method &method)
{
    const auto options = make_options({}, {{"method", method.method}});
    Split split;
    split.method = method.name;
    split.x.resize(static_cast<std::size_t>(hpart_platform_processors(platform)));
    const auto status = hpart_partition_time(platform, size, options.get(), split.x.data(), nullptr);
    // Without any distribution there is nothing to run; where only a baseline finds none, the others still run.
    const bool is_baseline = method.name != methods.front().name;
    if (status == HPART_ERR_INFEASIBLE && is_baseline) {
        split.x.clear();
        return split;
    }
    check(status);
    const auto cost = cost_of(platform, split.x);
    split.predicted = cost.seconds;
    split.predicted_joules = cost.joules;
    return split;
}

void execute(hpart_team *team, const Common &common, TeamMeter &meter, std::vector<Split> &splits)
{
    std::vector<std::vector<std::int64_t>> distinct;
    for (const auto &split : splits)
        if (!split.x.empty() && std::find(distinct.begin(), distinct.end(), split.x) == distinct.end())
            distinct.push_back(split.x);
    const auto executions = execute_splits(team, distinct, common, meter);
    for (auto &split : splits) {
        const auto found = std::find(distinct.begin(), distinct.end(), split.x);
        if (found != distinct.end()) split.execution = executions[static_cast<std::size_t>(found - distinct.begin())];
    }
}

Json split_json(const Split &split)
{
    Json json;
    json["method"] = split.method;
    if (split.x.empty()) {
        json["distribution"] = nullptr;
        json["predicted_seconds"] = nullptr;
        json["measured_seconds"] = nullptr;
        json["checked"] = false;
        json["predicted_joules"] = nullptr;
        json["measured_joules"] = nullptr;
        return json;
    }
    json["distribution"] = split.x;
    json["predicted_seconds"] = split.predicted;
    json["measured_seconds"] = split.execution.seconds;
    json["checked"] = split.execution.checked;
    json["max_relative_error"] = split.execution.max_relative_error;
    json["repetitions"] = split.execution.repetitions;
    json["binding_warning"] = split.execution.binding_warning;
    json["predicted_joules"] = split.predicted_joules;
    json["measured_joules"] = split.execution.joules;
    json["measured_joules_error"] = split.execution.joules_error;
    return json;
}

// The libraries that do a kernel's work, on cores and on OpenCL devices: its times are theirs.
std::vector<const char *> libraries_of(std::string_view kernel)
{
    if (kernel.substr(0, kernel.find(' ')) == "zfft") return {"fftw", "vkfft"};
    return {"openblas", "clblast"};
}

// Joules of every split beside each other: they may be below 0, within their error.
std::string energies(const std::vector<Split> &splits, const std::string &method)
{
    if (std::isnan(splits.front().predicted_joules) && method.empty()) return {};
    Table table({"method", ">predicted energy", energy_heading(">measured energy", method), ">+-"});
    for (const auto &split : splits)
        if (!split.x.empty())
            table.add({split.method, joules_text(split.predicted_joules), signed_joules_text(split.execution.joules),
                       joules_text(split.execution.joules_error)});
    return table.text() + "\n";
}

std::string for_people(const std::string &kernel, std::int64_t size, const std::vector<std::string> &names,
                       const std::vector<Split> &splits, const Json &libraries, const std::string &energy_method)
{
    std::string processors;
    for (const auto &name : names) processors += (processors.empty() ? "" : " | ") + name;
    Table table({"method", processors, ">predicted", ">measured", ">optimal is faster by", ">max relative error"});
    const double optimal = splits.front().execution.seconds;
    for (const auto &split : splits) {
        if (split.x.empty()) {
            table.add({split.method, "no such distribution", "-", "-", "-", "-"});
            continue;
        }
        table.add({split.method, distribution_text(split.x), seconds_text(split.predicted),
                   seconds_text(split.execution.seconds), fixed_text(split.execution.seconds / optimal, 2) + " x",
                   split.execution.checked ? scientific_text(split.execution.max_relative_error, 2) : "not checked"});
    }
    auto out = text(kernel, ", ", size, " rows\n\n", table.text(), "\n", energies(splits, energy_method));
    const auto unbound = std::find_if(splits.begin(), splits.end(),
                                      [](const Split &split) { return !split.execution.binding_warning.empty(); });
    if (unbound != splits.end())
        out += "binding not kept: " + unbound->method + ", " + unbound->execution.binding_warning + "\n";
    for (const char *name : libraries_of(kernel))
        if (libraries.contains(name)) out += text(name, " ", libraries[name].get<std::string>(), "\n");
    return out;
}

void run(const Arguments &arguments)
{
    const auto size = parse_size("--size", arguments.size);
    if (size == 0) refuse("--size is 0; there is nothing to run, it must be 1 or more");
    const auto platform = read_platform(arguments.file);
    const auto line = kernel_line(arguments, platform.get());
    check_memory_limit(arguments);
    const auto names = processor_names(platform.get());
    std::vector<Split> splits;
    splits.reserve(methods.size());
    for (const auto &method : methods) splits.push_back(partition(platform.get(), size, method));
    std::vector<std::string> specs;
    specs.reserve(names.size());
    for (const auto &name : names) specs.push_back(spec_of_name(name));
    const auto team = make_team(line, specs, arguments.memory_limit);
    TeamMeter meter(arguments.meter);
    meter.attach(team.get());
    execute(team.get(), arguments.common, meter, splits);

    Json result;
    result["kernel"] = line.kernel;
    result["size"] = size;
    result["processors"] = names;
    result["splits"] = Json::array();
    for (const auto &split : splits) result["splits"].push_back(split_json(split));
    result["dims"] = line.dims;
    result["libraries"] = libraries_json();
    meter.describe(result);
    emit(arguments.common, result, [&] {
        return for_people(kernel_of(platform.get()), size, names, splits, result["libraries"], meter.method());
    });
}

} // namespace

void add_run(CLI::App &app)
{
    auto arguments = std::make_shared<Arguments>();
    auto *sub = app.add_subcommand("run", "executes the optimal split and the usual ones; predicted against measured");
    sub->add_option("FILE", arguments->file, "platform file of hpart profile, measured on this machine (CSV)")
        ->required();
    sub->add_option("--size", arguments->size, "number of rows of the whole problem")->required()->type_name("N");
    add_optional(*sub, "--kernel", arguments->kernel, "refuse a file of another kernel")->type_name("dgemm|dgemv|zfft");
    add_optional(*sub, "--dims", arguments->dims, "refuse a file of other dimensions")
        ->type_name("n=512,k=512|512x512");
    add_optional(*sub, "--memory-limit", arguments->memory_limit, "as the file was measured with")->type_name("BYTES");
    add_meter_arguments(*sub, arguments->meter);
    add_result_file(*sub, arguments->common);
    add_common(*sub, arguments->common);
    sub->footer(
        "The splits are optimal, equal, cpm (constant speeds), fpm (functions of speed) and balanced (equal\n"
        "times). --option goes to the measurement: three rounds, in each of which a split takes at most max_seconds\n"
        "(5, with a meter once more for its energy) and one repetition, or window of the meter.\n"
        "Example: hpart run --kernel dgemm --size 2048 -o result.json dgemm.csv");
    sub->callback([arguments] {
        arguments->common.settle();
        arguments->meter.settle(arguments->common);
        run(*arguments);
    });
}

} // namespace hpart_command
