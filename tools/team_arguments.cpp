#include "team_arguments.hpp"

#include "core/file.hpp"
#include "core/machine.hpp"
#include "library.hpp"
#include "processors.hpp"
#include "team.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <sstream>
#include <thread>

namespace hpart_command
{

namespace
{

// The programs in place of a built-in kernel.
Team team_of_programs(const TeamArguments &arguments, const std::vector<Program> &programs)
{
    if (!arguments.kernel.empty() || !arguments.dims.empty() || arguments.memory_limit)
        refuse("--kernel, --dims and --memory-limit belong to built-in kernels, but --processor names the program ",
               in_quotes(programs.front().name), "; remove them");
    for (const auto &program : programs)
        if (!takes_size(program) && !arguments.program.stays_alive())
            refuse("--processor ", in_quotes(program.name), " runs ", in_quotes(program.command),
                   ", which has no {size}: all sizes would be the same");
    return make_team(programs, arguments.program);
}

Team team_of_application(const TeamArguments &arguments)
{
    const auto &application = arguments.application;
    if (!application.command) refuse("--processors names the processors of --application, which is missing");
    if (!application.processors) refuse("--application needs the names of its processors: --processors NAME,NAME...");
    if (!arguments.kernel.empty() || !arguments.dims.empty() || arguments.memory_limit || !arguments.processors.empty())
        refuse("remove --kernel, --dims, --memory-limit and --processor: --application runs all processors");
    return make_application_team(application, *application.processors, arguments.program);
}

Team team_of_kernel(const TeamArguments &arguments)
{
    if (arguments.kernel.empty())
        refuse("--kernel is required, unless --processor NAME=COMMAND names programs; see hpart profile --help");
    if (arguments.program.are_given())
        refuse("--time-from, --time-pattern, --time-unit, --protocol and --timeout belong to programs, --processor "
               "NAME=COMMAND");
    return make_team(arguments.line(), arguments.processors.empty() ? default_processors() : arguments.processors,
                     arguments.memory_limit);
}

} // namespace

KernelLine TeamArguments::line() const { return {kernel, parse_dims("--dims", dims, kernel)}; }

std::string TeamArguments::warning() const
{
    const bool has_cores = processors.empty() || std::any_of(processors.begin(), processors.end(),
                                                             [](const auto &spec) { return spec.starts_with("cpu:"); });
    std::string lines;
    if (processors.size() > 1) {
        const bool has_opencl = std::any_of(processors.begin(), processors.end(),
                                            [](const auto &spec) { return spec.starts_with("opencl:"); });
        const auto bound = has_opencl ? devices_of_bound_units(devices()) : std::vector<std::string>();
        if (const auto siblings = siblings_of(processors, cores_here(), bound); !siblings.empty())
            lines += text("hpart: ", siblings,
                          " are threads of one core, and each takes time from the other; hpart info "
                          "proposes processors with cores of their own\n");
    }
    const auto *const builtin = hpart::find_kernel(kernel);
    if (!has_cores || builtin == nullptr) return lines;
    for (const auto &[name, version] : linked_libraries(library_info()))
        if (name == builtin->work.versions.front() && version.find(hpart::older_kernels) != std::string::npos)
            lines += text("hpart: ", builtin->work.library, " ", version, "\n");
    return lines;
}

Team TeamArguments::make() const
{
    if (application.are_given()) return team_of_application(*this);
    if (!processors.empty()) name_argument("processor", "--processor");
    name_argument("dims", "--dims");
    const auto programs = programs_of(processors);
    return programs.empty() ? team_of_kernel(*this) : team_of_programs(*this, programs);
}

void add_team_arguments(CLI::App &app, TeamArguments &arguments)
{
    app.add_option("--kernel", arguments.kernel,
                   "dgemm (rows of C are split), dgemv (rows of y), fft2d (rows of one 2D transform), zfft (a 2D "
                   "transform each); sgemm, sgemv and cfft in single precision")
        ->type_name("NAME");
    app.add_option("--dims", arguments.dims,
                   "the kernel's other dimensions: n and k of dgemm, n of the others; n=size: square problems")
        ->type_name("n=512,k=512|512x512");
    app.add_option("--processor", arguments.processors,
                   "cpu:CORES or a device of hpart info, @CORES for its host part (cuda:0@23); or a program, "
                   "'GPU=./app {size}', CPU=lib:PATH:FUNCTION@CORES; may be repeated")
        ->type_name("SPEC|NAME=COMMAND")
        ->allow_extra_args(false);
    add_application_arguments(app, arguments.application);
    add_program_arguments(app, arguments.program);
    add_optional(app, "--memory-limit", arguments.memory_limit,
                 "use no more of each device's memory; larger problems go in parts")
        ->type_name("BYTES");
}

namespace
{

constexpr auto window = std::chrono::milliseconds(250);
// Shares of all cores' time. Idle systems stay below.
constexpr double usual_load = 0.05;
constexpr double usual_steal = 0.01;
// Core seconds in the window. Idle systems have none.
constexpr double least_seconds = 0.04;

bool is_number(const std::string &text)
{
    return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos && text.size() < 10;
}

// "" where there is no such file.
std::string first_line(const std::string &path)
{
    const auto found = hpart::read_sysfs(path);
    return found.status == hpart::Status::success ? found.text : "";
}

void read_frequencies(const std::string &root, MachineState &out)
{
    const auto cpus = root + "/sys/devices/system/cpu/";
    for (const auto &name : hpart::names_in(cpus)) {
        if (!name.starts_with("cpu") || !is_number(name.substr(3))) continue;
        const auto governor = first_line(cpus + name + "/cpufreq/scaling_governor");
        if (!governor.empty()) out.governors[name.substr(3)] = governor;
    }
    const auto find_switch = [&](const char *file, const char *on, const char *off) {
        if (out.turbo || first_line(cpus + file) != on) return;
        out.turbo = true;
        out.turbo_remedy = text("echo ", off, " > /sys/devices/system/cpu/", file);
    };
    find_switch("intel_pstate/no_turbo", "0", "1");
    find_switch("cpufreq/boost", "1", "0");
}

std::string whole_percent(double share) { return text(std::round(100 * share), " %"); }

double used_by(std::int64_t process, const MachineState &first, const MachineState &second)
{
    const auto seconds = [&](const MachineState &state) {
        const auto found = state.processes.find(process);
        return found == state.processes.end() ? 0 : found->second.seconds;
    };
    return seconds(second) - seconds(first);
}

// ", most of it cc1plus (process 123)"
std::string busiest(const MachineState &first, const MachineState &second)
{
    const auto used = [&](const auto &entry) {
        return entry.first == second.own ? 0 : used_by(entry.first, first, second);
    };
    const auto most = std::max_element(second.processes.begin(), second.processes.end(),
                                       [&](const auto &a, const auto &b) { return used(a) < used(b); });
    if (most == second.processes.end() || used(*most) <= 0) return "";
    return text(", most of it ", most->second.name, " (process ", most->first, ")");
}

// The share of the cores' time that other processes take; 0 of an idle system.
double load_of_others(const MachineState &first, const MachineState &second)
{
    const double all = second.all_seconds() - first.all_seconds();
    const double busy_of_others = second.times.busy - first.times.busy - used_by(second.own, first, second);
    return busy_of_others >= least_seconds && busy_of_others > usual_load * all ? busy_of_others / all : 0;
}

} // namespace

MachineState machine_state(const std::string &root)
{
    const auto proc = root + "/proc";
    MachineState out;
    out.times = hpart::core_times(proc, {});
    out.swapped = hpart::swapped_pages(proc);
    for (const auto &id : hpart::names_in(proc))
        if (is_number(id))
            if (auto times = hpart::parse_process_times(first_line(text(proc, "/", id, "/stat"))))
                out.processes[std::stoll(id)] = std::move(*times);
    std::istringstream(first_line(proc + "/self/stat")) >> out.own;
    read_frequencies(root, out);
    return out;
}

std::vector<std::string> disturbances_between(const MachineState &first, const MachineState &second)
{
    std::vector<std::string> out;
    const double all = second.all_seconds() - first.all_seconds();
    const double load = load_of_others(first, second);
    const double stolen = second.times.stolen - first.times.stolen;
    const bool is_stolen = stolen > 0 && stolen > usual_steal * all;
    if (load > 0)
        out.push_back(text("other processes use ", whole_percent(load), " of the cores", busiest(first, second),
                           is_stolen ? text(", and a hypervisor takes ", whole_percent(stolen / all)) : "",
                           ": times get longer and intervals wider; stop them, or wait"));
    else if (is_stolen)
        out.push_back(text("the hypervisor takes ", whole_percent(stolen / all),
                           " of the cores for other machines (steal); wait, or take medians, as tune does: --option "
                           "statistic=median"));
    if (second.swapped > first.swapped)
        out.emplace_back("memory is swapped to disk; end programs, or choose smaller sizes");
    const auto slow = std::find_if(second.governors.begin(), second.governors.end(),
                                   [](const auto &entry) { return entry.second != "performance"; });
    if (slow != second.governors.end())
        out.push_back(text("the governor of core ", slow->first, " is '", slow->second,
                           "', which changes its frequency; cpupower frequency-set -g performance"));
    if (second.turbo)
        out.push_back(text("turbo is on: speeds depend on heat and on how many cores work; ", second.turbo_remedy));
    return out;
}

void add_quiet_arguments(CLI::App &sub, QuietArguments &arguments)
{
    sub.add_flag("--strict", arguments.strict, "measure nothing while something disturbs this machine");
}

std::string disturbances_now(const QuietArguments &arguments)
{
    const auto root = hpart::machine_root();
    const auto first = machine_state(root);
    if (first.times.cores == 0) return ""; // nothing tells
    std::this_thread::sleep_for(window);
    const auto found = disturbances_between(first, machine_state(root));
    if (arguments.strict && !found.empty()) {
        std::string all;
        for (const auto &one : found) all += (all.empty() ? "" : "; ") + one;
        give_up("the machine is not quiet: ", all, "; without --strict it is measured all the same");
    }
    std::string out;
    for (const auto &one : found) out += one_line("hpart: not quiet: " + one) + "\n";
    return out;
}

} // namespace hpart_command
