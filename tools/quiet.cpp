#include "quiet.hpp"

#include "core/file.hpp"
#include "failure.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

namespace hpart_command
{

namespace
{

constexpr auto window = std::chrono::milliseconds(250);
// Shares of all cores' time. Idle systems stay below.
constexpr double usual_load = 0.05;
constexpr double usual_steal = 0.01;
// Ticks in the window. Idle systems have none.
constexpr double least_ticks = 4;

std::string first_line(const std::string &path)
{
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

bool is_number(const std::string &text)
{
    return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos && text.size() < 10;
}

// "cpu user nice system idle iowait irq softirq steal ..."
void read_times(const std::string &root, MachineState &out)
{
    std::ifstream file(root + "/proc/stat");
    for (std::string line; std::getline(file, line) && line.starts_with("cpu");) {
        std::istringstream fields(line);
        std::string name;
        double user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0, steal = 0;
        fields >> name >> user >> nice >> system >> idle >> iowait >> irq >> softirq >> steal;
        if (name != "cpu") {
            ++out.cores;
            continue;
        }
        out.busy = user + nice + system + irq + softirq;
        out.stolen = steal;
        out.all = out.busy + idle + iowait + steal;
    }
}

void read_paging(const std::string &root, MachineState &out)
{
    std::ifstream file(root + "/proc/vmstat");
    std::string key;
    for (double value = 0; file >> key >> value;)
        if (key == "pswpin" || key == "pswpout") out.swapped += value;
}

// "123 (name) S ppid ... utime stime": the name may have blanks and brackets.
void read_processes(const std::string &root, MachineState &out)
{
    constexpr int fields_before_times = 11; // behind the name
    for (const auto &id : hpart::names_in(root + "/proc")) {
        if (!is_number(id)) continue;
        const auto stat = first_line(text(root, "/proc/", id, "/stat"));
        const auto open = stat.find('('), close = stat.rfind(')');
        if (open == std::string::npos || close == std::string::npos || close < open) continue;
        std::istringstream rest(stat.substr(close + 1));
        std::string skipped;
        for (int k = 0; k < fields_before_times; ++k) rest >> skipped;
        double user = 0, system = 0;
        if (rest >> user >> system)
            out.processes[std::stoll(id)] = {stat.substr(open + 1, close - open - 1), user + system};
    }
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
    const auto ticks = [&](const MachineState &state) {
        const auto found = state.processes.find(process);
        return found == state.processes.end() ? 0 : found->second.ticks;
    };
    return ticks(second) - ticks(first);
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
    const double all = second.all - first.all;
    const double busy_of_others = second.busy - first.busy - used_by(second.own, first, second);
    return busy_of_others >= least_ticks && busy_of_others > usual_load * all ? busy_of_others / all : 0;
}

} // namespace

MachineState machine_state(const std::string &root)
{
    MachineState out;
    read_times(root, out);
    read_paging(root, out);
    read_processes(root, out);
    std::istringstream(first_line(root + "/proc/self/stat")) >> out.own;
    read_frequencies(root, out);
    return out;
}

std::vector<std::string> disturbances_between(const MachineState &first, const MachineState &second)
{
    std::vector<std::string> out;
    const double all = second.all - first.all;
    const double load = load_of_others(first, second);
    const double stolen = second.stolen - first.stolen;
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
    const auto *const given = std::getenv("HPART_MACHINE_ROOT");
    const std::string root = given == nullptr ? "" : given;
    const auto first = machine_state(root);
    if (first.cores > 0) std::this_thread::sleep_for(window);
    const auto second = first.cores > 0 ? machine_state(root) : first;
    const auto found = disturbances_between(first, second);
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
