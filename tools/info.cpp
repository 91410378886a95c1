// hpart info: what this library and this machine can do.
#include "arguments.hpp"
#include "core/machine.hpp"
#include "core/text.hpp"
#include "file.hpp"
#include "library.hpp"
#include "output.hpp"
#include "processors.hpp"
#include "table.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>
#include <system_error>

#include <glob.h>
#include <unistd.h>

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
    for (const auto *name : {"cuda", "cublas", "cufft", "cusolver", "opencl", "clblast", "vkfft"})
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
void print_environment(const Common &common)
{
    std::error_code error;
    const auto command = std::filesystem::read_symlink("/proc/self/exe", error);
    const auto file = (command.parent_path() / HPART_ENV_FILE).lexically_normal().string();
    if (error || !std::filesystem::exists(file, error))
        give_up("there is no ", in_quotes(file), ": this command is not installed");
    if (common.json || common.csv) return emit(common, Json{{"file", file}}, [] { return std::string(); });
    std::string quoted;
    for (const char c : file) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    print(". '" + quoted + "'\n");
}

// The kernel's files that hpart and hwloc read. A folder of which only the name counts is made without its files.
constexpr const char *captured_files[] = {
    "/proc/{cpuinfo,meminfo,stat,vmstat,diskstats,mounts,net/dev,self/cgroup,self/status,self/stat}",
    "/proc/sys/kernel/perf_event_paranoid",
    "/sys/devices/system/{cpu,node}/{online,possible,present}",
    "/sys/devices/system/cpu/{intel_pstate/no_turbo,cpufreq/boost}",
    "/sys/devices/system/cpu/cpu[0-9]*/{online,cpu_capacity,topology/*,cache/index*/*,acpi_cppc/nominal_*}",
    "/sys/devices/system/cpu/cpu[0-9]*/cpufreq/{base_frequency,cpuinfo_max_freq,scaling_governor}",
    "/sys/devices/system/cpu/cpu[0-9]*/thermal_throttle/core_throttle_count",
    "/sys/devices/system/node/node[0-9]*/{cpumap,cpulist,distance,meminfo,hugepages/*/nr_hugepages}",
    "/sys/class/hwmon/*{,/device}/{name,update_interval,power*,energy*,fan*_input}",
    "/sys/class/powercap/*/{name,energy_uj,max_energy_range_uj}",
    "/sys/class/net/*/{device,lower_*}",
    "/sys/bus/event_source/devices/power/{type,cpumask,events/*,format/*}",
    "/sys/bus/pci/devices/*/{class,local_cpulist}",
};
constexpr const char *files_of_group =
    "/{cpu.max,cpu.stat,cpu.cfs_*,cpuset.*,memory.max,memory.current,memory.stat,memory.*_in_bytes}";

// The folder's files of this pattern. Names of control groups have backslashes.
std::vector<std::string> paths_of(const std::string &folder, const char *files)
{
    std::string pattern;
    for (const char c : folder)
        pattern += (std::string_view("\\*?[]{}~").find(c) != std::string_view::npos ? "\\" : "") + std::string(1, c);
    pattern += files;
    glob_t found{};
    std::vector<std::string> paths;
    if (::glob(pattern.c_str(), GLOB_BRACE | GLOB_NOSORT, nullptr, &found) == 0)
        paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
    ::globfree(&found);
    return paths;
}

// Copies the machine's files into a new folder, for HPART_MACHINE_ROOT and HWLOC_FSROOT.
void capture_machine(const Common &common, const std::string &folder)
{
    namespace fs = std::filesystem;
    std::error_code error;
    if (folder.empty() || fs::exists(folder, error))
        refuse("--capture is ", in_quotes(folder), "; it must be the name of a new folder");
    const auto root = hpart::machine_root();
    std::vector<std::string> paths;
    const auto add = [&](const std::string &under, const char *files) {
        for (auto &path : paths_of(under, files)) paths.push_back(std::move(path));
    };
    for (const auto *files : captured_files) add(root, files);
    for (const auto *controller : {"cpu", "cpuset", "memory"})
        for (const auto &group : hpart::control_groups(controller, hpart::proc_root())) add(group, files_of_group);
    std::int64_t files = 0, unread = 0;
    for (const auto &path : paths) {
        const fs::path target = folder + path.substr(root.size());
        fs::create_directories(target.parent_path(), error);
        if (fs::is_directory(path)) {
            fs::create_directory(target, error);
            continue;
        }
        std::ifstream source(path);
        std::ostringstream content;
        content << source.rdbuf();
        if (source.bad() || content.str().empty()) {
            ++unread;
            continue;
        }
        if (!(std::ofstream(target) << content.str() << std::flush)) {
            const auto reason = error ? error.message() : std::generic_category().message(errno);
            fs::remove_all(folder, error);
            give_up("cannot write ", in_quotes(target.string()), ": ", reason);
        }
        ++files;
    }
    if (files == 0) give_up(root.empty() ? "/" : root, " has no proc and sys of a machine");
    Json result;
    result["folder"] = folder;
    result["files"] = files;
    result["unread"] = unread;
    emit(common, result, [&] {
        return text("copied ", hpart::pluralise(files, "file"), " of the kernel to ", folder, "; ", unread,
                    " others are empty or not readable", unread > 0 && ::geteuid() != 0 ? ": root may read more" : "",
                    "\n");
    });
}

} // namespace

// The shapes of a platform's functions.

namespace
{

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

std::string percent_of(const Json &value) { return fixed_text(value.get<double>(), 1) + " %"; }

void add_row(Table &table, const Json &shape, const char *name, const char *points_key)
{
    const auto value = [&](const char *key) { return shape[std::string(name) + key]; };
    const auto pairs = std::to_string(std::max<std::int64_t>(shape[points_key].get<std::int64_t>() - 1, 0));
    const auto turns = value("_minima").get<std::int64_t>() + value("_maxima").get<std::int64_t>();
    table.add({shape["processor"].get<std::string>(), name, value("_falls").dump() + " of " + pairs,
               percent_of(value("_largest_fall")), std::to_string(turns), percent_of(value("_variation")),
               percent_of(value("_mean_variation"))});
}

std::string for_people(const Json &shapes)
{
    Table table({"processor", "function", ">falls of pairs", ">largest fall", ">turns", ">variation", ">mean"});
    std::string models;
    for (const auto &shape : shapes) {
        for (const char *name : {"time", "speed"}) add_row(table, shape, name, "points");
        if (shape["energy_points"] != 0) add_row(table, shape, "energy", "energy_points");
        const auto name = shape["processor"].get<std::string>();
        models += shape["points"] == 0 ? text(name, ": no points\n")
                                       : text(name, ": the conditions of functional performance models ",
                                              shape["fpm"] == 1 ? "hold" : "do not hold", "\n");
    }
    return table.text() + "\n" + models;
}

void run_shape(const Common &common, const std::string &file)
{
    const auto platform = read_platform(file);
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
    emit(common, result, [&] { return for_people(result["processors"]); });
}

} // namespace

void add_info(CLI::App &app)
{
    struct Arguments {
        Common common;
        std::optional<std::string> file, folder;
        bool devices_alone = false, environment = false;
    };
    auto arguments = std::make_shared<Arguments>();
    auto *sub = app.add_subcommand(
        "info", "version, libraries, processors, OpenCL devices, energy meters; shapes of functions");
    add_optional(*sub, "FILE", arguments->file,
                 "platform file (CSV): the distance of its functions from smooth ones, in place of the machine");
    add_format(*sub, arguments->common);
    sub->add_flag("--devices", arguments->devices_alone,
                  "accelerators alone: their libraries, and why one is not found");
    sub->add_flag("--environment", arguments->environment, "the shell's line that sets all paths of this installation");
    add_optional(*sub, "--capture", arguments->folder,
                 "copy the kernel's files of this machine to a new folder, for HPART_MACHINE_ROOT")
        ->type_name("FOLDER");
    sub->footer(
        "Of a file: falls of pairs are pairs of neighbouring sizes whose larger size has the smaller value, of all\n"
        "pairs. Variation: the difference of a local minimum and the maximum next to it, over the smaller. The speed\n"
        "is in operations if the file names a known kernel.\n"
        "Examples: hpart info --devices\n"
        "          hpart info platform.csv");
    sub->callback([arguments] {
        arguments->common.settle();
        if (arguments->file && (arguments->devices_alone || arguments->environment || arguments->folder))
            refuse("FILE is ", in_quotes(*arguments->file), ", beside an option of the machine; give only one of them");
        if (arguments->file) return run_shape(arguments->common, *arguments->file);
        if (arguments->environment) return print_environment(arguments->common);
        if (arguments->folder) return capture_machine(arguments->common, *arguments->folder);
        run(arguments->common, arguments->devices_alone);
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
    require_writable(arguments.output);
    Platform platform;
    name_argument("parameter", "--parameter");
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
