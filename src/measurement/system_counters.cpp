#include "measurement/system_counters.hpp"

#include "core/error.hpp"
#include "core/file.hpp"
#include "core/progress.hpp"
#include "energy/sysfs.hpp"

#include <algorithm>
#include <array>
#include <ctime>
#include <utility>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace hpart
{

namespace
{

constexpr double nanosecond = 1e-9;
// A typical time slice: counted for each involuntary switch if the system does not report how long a thread waited.
constexpr double slice_seconds = 0.003;

// "" where there is none. /proc/stat is longer than what sysfs.hpp reads; the lines of cores are its first.
std::string beginning_of(const std::string &path)
{
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.get() < 0) return {};
    std::string content(std::size_t{1} << 16, '\0');
    const auto length = ::read(file.get(), content.data(), content.size());
    content.resize(length < 0 ? 0 : static_cast<std::size_t>(length));
    return content;
}

// "2933568 1200 1": nanoseconds that the thread ran, waited, and how often.
double waited_of(const Descriptor &schedule)
{
    std::array<char, 128> buffer{};
    const auto length = ::pread(schedule.get(), buffer.data(), buffer.size(), 0);
    if (length <= 0) return 0;
    const std::string_view content(buffer.data(), static_cast<std::size_t>(length));
    const auto blank = content.find(' ');
    if (blank == std::string_view::npos) return 0;
    const auto rest = content.substr(blank + 1);
    return static_cast<double>(parse_int(rest.substr(0, rest.find(' '))).value_or(0)) * nanosecond;
}

double seconds_of(const timeval &time)
{
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

// Processor time of this process and of the children that it waited for.
double own_seconds()
{
    timespec own{};
    ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &own);
    rusage children{};
    ::getrusage(RUSAGE_CHILDREN, &children);
    return static_cast<double>(own.tv_sec) + nanosecond * static_cast<double>(own.tv_nsec) +
           seconds_of(children.ru_utime) + seconds_of(children.ru_stime);
}

} // namespace

CoreTimes parse_core_times(std::string_view stat, const CoreList &cores)
{
    // cpu3 user nice system idle iowait irq softirq steal guest guest_nice; guests' time is in user's.
    constexpr std::size_t idle = 3, iowait = 4, steal = 7, fields = 8;
    constexpr std::string_view prefix = "cpu";
    const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
    CoreTimes out;
    for (; stat.starts_with(prefix); stat.remove_prefix(std::min(stat.find('\n'), stat.size() - 1) + 1)) {
        auto line = stat.substr(prefix.size(), stat.find('\n') - prefix.size());
        const auto core = parse_int(line.substr(0, line.find(' ')));
        if (!core) continue; // the sum over all
        if (!cores.empty() && std::find(cores.begin(), cores.end(), *core) == cores.end()) continue;
        ++out.cores;
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

SystemCounters::SystemCounters(const std::set<pid_t> &threads, CoreList cores, bool unwatched, std::string proc_root)
    : proc_root_(std::move(proc_root)), cores_(std::move(cores)), unwatched_(unwatched), quota_(cpu_quota(proc_root_))
{
    for (const auto id : threads) {
        Descriptor file(::open(text(proc_root_, "/self/task/", id, "/schedstat").c_str(), O_RDONLY | O_CLOEXEC));
        if (file.get() >= 0) schedules_.push_back(std::move(file));
    }
    count_ = std::max(1, parse_core_times(beginning_of(proc_root_ + "/stat"), cores_).cores);
    for (const auto core : cores_.empty() ? usable_cores() : cores_) {
        const auto path = text(sysfs_root(), "/devices/system/cpu/cpu", core, "/thermal_throttle/core_throttle_count");
        if (::access(path.c_str(), R_OK) == 0) throttle_files_.push_back(path);
    }
}

ThreadCounts SystemCounters::threads()
{
    ThreadCounts out;
    rusage use{};
    ::getrusage(RUSAGE_SELF, &use);
    out.page_reads = use.ru_majflt;
    for (const auto &schedule : schedules_) out.waited.push_back(waited_of(schedule));
    if (schedules_.empty()) out.waited.push_back(slice_seconds * static_cast<double>(use.ru_nivcsw));
    return out;
}

MachineCounts SystemCounters::machine()
{
    const auto times = parse_core_times(beginning_of(proc_root_ + "/stat"), cores_);
    MachineCounts out;
    out.seconds = std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
    out.others = times.busy - own_seconds();
    out.stolen = times.stolen;
    for (const auto &path : throttle_files_) out.throttles += parse_int(read_sysfs(path).text).value_or(0);
    out.quota_stops = quota_.stops();
    return out;
}

std::set<pid_t> thread_ids()
{
    std::set<pid_t> ids;
    for (const auto &name : names_in("/proc/self/task"))
        if (const auto id = parse_int(name)) ids.insert(static_cast<pid_t>(*id));
    return ids;
}

} // namespace hpart
