// hpart info: what this library and this machine can do.
#include "arguments.hpp"
#include "output.hpp"
#include "processors.hpp"
#include "table.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>

namespace hpart_command
{

namespace
{

// "core of this machine, kind 1 of 2, one core with cpu:8"
std::string description_of(int core, const std::vector<Grouping> &groupings)
{
    const auto has = [core](const std::vector<int> &list) {
        return std::find(list.begin(), list.end(), core) != list.end();
    };
    std::string out = "core of this machine";
    for (const auto &grouping : groupings)
        for (std::size_t k = 0; grouping.name == "kind" && k < grouping.cores.size(); ++k)
            if (has(numbers_of(grouping.cores[k]))) out += text(", kind ", k + 1, " of ", grouping.cores.size());
    for (const auto &threads : threads_of_cores(groupings))
        if (has(threads))
            for (const int other : threads)
                if (other != core) out += text(", one core with cpu:", other);
    return out;
}

Json devices_json()
{
    Json list = Json::array();
    const auto groupings = groupings_here();
    for (const int core : usable_cores())
        list.push_back({{"spec", text("cpu:", core)}, {"description", description_of(core, groupings)}});
    list.push_back({{"spec", "host"},
                    {"description", "all of these cores and the memory: a device of hpart gemm, fft and factor"}});
    for (const auto &device : devices()) list.push_back({{"spec", device.spec}, {"description", device.description}});
    return list;
}

Json meters_json(const std::vector<MeterKind> &kinds)
{
    Json list = Json::array();
    for (const auto &kind : kinds)
        list.push_back({{"kind", kind.name()}, {"works", kind.works}, {"reason", kind.reason}});
    return list;
}

std::string meters_for_people(const std::vector<MeterKind> &kinds)
{
    Table meters({"energy meter", "works", "what there is, or why not"});
    for (const auto &kind : kinds) meters.add({kind.form, kind.works ? "yes" : "no", kind.reason});
    const bool has_sensor =
        std::any_of(kinds.begin(), kinds.end(), [](const auto &kind) { return kind.works && kind.is_sensor(); });
    return meters.text() + (has_sensor ? "" : "\nNo energy sensor of this machine can be read.\n");
}

// The libraries of devices and of NVIDIA's meter.
std::string devices_for_people(const Json &info, const std::vector<MeterKind> &meters)
{
    Table libraries({"library", "found, or why not"});
    for (const auto *name : {"cuda", "cublas", "cufft", "opencl", "clblast", "vkfft"})
        libraries.add({name, info["libraries"].value(name, "not built in")});
    for (const auto &meter : meters)
        if (meter.name() == "nvml") libraries.add({"nvml", meter.reason});
    Table devices({"device", "what it is"});
    for (const auto &device : hpart_command::devices()) devices.add({device.spec, device.description});
    return libraries.text() + "\n" + devices.text();
}

std::string for_people(const Json &info, const std::vector<MeterKind> &meters, const std::string &compiler)
{
    Table libraries({"library", "found"});
    for (const auto &[name, what] : info["libraries"].items()) libraries.add({name, what.get<std::string>()});
    Table processors({"processor", "what it is"});
    for (const auto &device : info["devices"])
        processors.add({device["spec"].get<std::string>(), device["description"].get<std::string>()});
    std::string quota, proposed;
    if (info.contains("cpu_quota"))
        quota = "a control group limits processor time to " + fixed_text(info["cpu_quota"].get<double>(), 2) +
                " cores: times measured here are those of the limit\n\n";
    for (const auto &processor : info["processors"]) proposed += " --processor " + processor.get<std::string>();
    return "hpart " + info["version"].get<std::string>() + (compiler.empty() ? "" : ", built with " + compiler) +
           "\n\n" + libraries.text() + "\n" + processors.text() + "\n" + quota +
           "proposed for hpart profile:" + proposed + "\n\n" + meters_for_people(meters);
}

void run(const Common &common, bool devices_alone)
{
    const auto devices = devices_json(); // first: it opens the drivers that the library then describes
    const auto report = library_info();
    Json info;
    info["version"] = report_text(report, "version");
    info["libraries"] = libraries_json();
    if (const auto quota = report_double(report, "cpu_quota")) info["cpu_quota"] = *quota;
    info["devices"] = devices;
    const auto meters = meter_kinds();
    info["meters"] = meters_json(meters);
    info["processors"] = default_processors();
    emit(common, info, [&] {
        return devices_alone ? devices_for_people(info, meters)
                             : for_people(info, meters, report_text(report, "compiler"));
    });
}

// The line that sets all paths of this installation: share/hpart/env.sh, from the command's own place.
void print_environment()
{
    std::error_code error;
    const auto command = std::filesystem::read_symlink("/proc/self/exe", error);
    const auto file = (command.parent_path() / HPART_ENV_FILE).lexically_normal().string();
    if (error || !std::filesystem::exists(file, error))
        give_up("there is no ", in_quotes(file), ": this command is not installed");
    std::string quoted;
    for (const char c : file) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    print(". '" + quoted + "'\n");
}

} // namespace

void add_info(CLI::App &app)
{
    auto common = std::make_shared<Common>();
    auto *sub = app.add_subcommand("info", "version, libraries, processors, OpenCL devices, energy meters");
    auto devices_alone = std::make_shared<bool>(false);
    add_format(*sub, *common);
    sub->add_flag("--devices", *devices_alone, "accelerators alone: their libraries, and why one is not found");
    auto environment = std::make_shared<bool>(false);
    sub->add_flag("--environment", *environment, "the shell's line that sets all paths of this installation");
    sub->footer("Example: hpart info --devices");
    sub->callback([common, devices_alone, environment] {
        if (*environment) return print_environment();
        common->settle();
        run(*common, *devices_alone);
    });
}

} // namespace hpart_command
