#include "core/processor_time.hpp"

#include "core/error.hpp"
#include "core/file.hpp"
#include "core/text.hpp"

#include <algorithm>

#include <unistd.h>

namespace hpart
{

namespace
{

double ticks_per_second() { return static_cast<double>(::sysconf(_SC_CLK_TCK)); }

// Calls take(word) for each of them.
template <typename Take> void for_each_word(std::string_view line, const Take &take)
{
    constexpr std::string_view blanks = " \n";
    for (auto begin = line.find_first_not_of(blanks); begin != std::string_view::npos;
         begin = line.find_first_not_of(blanks)) {
        line.remove_prefix(begin);
        const auto word = line.substr(0, line.find_first_of(blanks));
        take(word);
        line.remove_prefix(word.size());
    }
}

// Ticks of a process and of the children that it waited for. "17 (a name) S 1 ...": the name may have blanks and brackets.
std::int64_t ticks_of(const std::string &stat)
{
    constexpr int first = 11, last = 14; // utime, stime, cutime and cstime behind the name
    const auto name_end = stat.rfind(')');
    if (name_end == std::string::npos) return 0;
    std::int64_t ticks = 0;
    int field = 0;
    for_each_word(std::string_view(stat).substr(name_end + 1), [&](std::string_view word) {
        if (field >= first && field <= last) ticks += parse_int(word).value_or(0);
        ++field;
    });
    return ticks;
}

bool may_run_on(const std::vector<int> &cores, const std::string &thread)
{
    const auto allowed = allowed_cores(content_of_file(thread + "/status"));
    return allowed.empty() || std::any_of(allowed.begin(), allowed.end(), [&](int core) {
               return std::find(cores.begin(), cores.end(), core) != cores.end();
           });
}

std::int64_t ticks_of_family(const std::string &folder, const std::string &proc_root, const std::vector<int> &cores)
{
    auto ticks = ticks_of(content_of_file(folder + "/stat"));
    for (const auto &name : names_in(folder + "/task")) {
        const auto thread = text(folder, "/task/", name);
        if (!cores.empty() && !may_run_on(cores, thread)) ticks -= ticks_of(content_of_file(thread + "/stat"));
        for_each_word(content_of_file(thread + "/children"), [&](std::string_view child) {
            ticks += ticks_of_family(text(proc_root, "/", child), proc_root, cores);
        });
    }
    return ticks;
}

} // namespace

CoreTimes parse_core_times(std::string_view stat, const std::vector<int> &cores)
{
    // cpu3 user nice system idle iowait irq softirq steal guest guest_nice; guests' time is in user's.
    constexpr std::size_t idle = 3, iowait = 4, steal = 7, fields = 8;
    constexpr std::string_view prefix = "cpu";
    const auto ticks = ticks_per_second();
    CoreTimes out;
    for (; stat.starts_with(prefix); stat.remove_prefix(std::min(stat.find('\n'), stat.size() - 1) + 1)) {
        auto line = stat.substr(prefix.size(), stat.find('\n') - prefix.size());
        const auto core = parse_int(line.substr(0, line.find(' ')));
        if (core && !cores.empty() && std::find(cores.begin(), cores.end(), *core) == cores.end()) continue;
        if (core) ++out.cores;
        // The first line is the sum over all cores, rounded once. It has two blanks.
        if (core.has_value() == cores.empty()) continue;
        if (line.starts_with("  ")) line.remove_prefix(1);
        for (std::size_t field = 0; field < fields; ++field) {
            const auto blank = line.find(' ');
            if (blank == std::string_view::npos) break;
            line.remove_prefix(blank + 1);
            const double seconds = static_cast<double>(parse_int(line.substr(0, line.find(' '))).value_or(0)) / ticks;
            if (field == steal)
                out.stolen += seconds;
            else if (field != idle && field != iowait)
                out.busy += seconds;
        }
    }
    return out;
}

CoreTimes core_times(const std::string &proc_root, const std::vector<int> &cores)
{
    return parse_core_times(content_of_file(proc_root + "/stat"), cores);
}

double own_core_seconds(const std::string &proc_root, const std::vector<int> &cores)
{
    return static_cast<double>(ticks_of_family(proc_root + "/self", proc_root, cores)) / ticks_per_second();
}

std::vector<int> allowed_cores(std::string_view status)
{
    constexpr std::string_view key = "Cpus_allowed_list:\t";
    const auto begin = status.find(key);
    if (begin == std::string_view::npos) return {};
    auto list = status.substr(begin + key.size());
    list = list.substr(0, list.find('\n'));
    std::vector<int> cores;
    for (; !list.empty(); list.remove_prefix(std::min(list.find(','), list.size() - 1) + 1)) {
        const auto range = list.substr(0, list.find(','));
        const auto dash = range.find('-');
        const auto first = parse_int(range.substr(0, dash));
        const auto last = dash == std::string_view::npos ? first : parse_int(range.substr(dash + 1));
        for (auto core = first.value_or(0); first && core <= last.value_or(-1); ++core)
            cores.push_back(static_cast<int>(core));
    }
    return cores;
}

ThreadSchedule parse_schedule(std::string_view schedstat)
{
    constexpr double nanosecond = 1e-9;
    const auto blank = schedstat.find(' ');
    if (blank == std::string_view::npos) return {};
    const auto rest = schedstat.substr(blank + 1);
    const auto seconds = [](std::string_view number) {
        return static_cast<double>(parse_int(number).value_or(0)) * nanosecond;
    };
    return {seconds(schedstat.substr(0, blank)), seconds(rest.substr(0, rest.find(' ')))};
}

FamilyWaits::FamilyWaits(pid_t process, std::string proc_root) : process_(process), proc_root_(std::move(proc_root)) {}

template <typename Take> void FamilyWaits::for_each_thread(pid_t process, const Take &take) const
{
    const auto tasks = text(proc_root_, "/", process, "/task");
    for (const auto &name : names_in(tasks)) {
        const auto thread = text(tasks, "/", name);
        take(static_cast<pid_t>(parse_int(name).value_or(0)),
             parse_schedule(content_of_file(thread + "/schedstat")).waited);
        for_each_word(content_of_file(thread + "/children"), [&](std::string_view child) {
            for_each_thread(static_cast<pid_t>(parse_int(child).value_or(0)), take);
        });
    }
}

void FamilyWaits::begin()
{
    before_.clear();
    seconds_ = 0;
    for_each_thread(process_, [&](pid_t thread, double waited) { before_[thread] = waited; });
}

void FamilyWaits::look()
{
    for_each_thread(process_, [&](pid_t thread, double waited) {
        const auto before = before_.find(thread);
        seconds_ = std::max(seconds_, before == before_.end() ? waited : waited - before->second);
    });
}

} // namespace hpart
