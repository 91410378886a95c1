#include "measurement/system_counters.hpp"

#include "core/error.hpp"
#include "core/file.hpp"
#include "core/machine.hpp"
#include "core/progress.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace hpart
{

namespace
{

// A typical time slice: counted for each involuntary switch if the system does not report how long a thread waited.
constexpr double slice_seconds = 0.003;

ThreadSchedule schedule_of(const Descriptor &file)
{
    std::array<char, 128> buffer{};
    const auto length = ::pread(file.get(), buffer.data(), buffer.size(), 0);
    return length <= 0 ? ThreadSchedule{} : parse_schedule({buffer.data(), static_cast<std::size_t>(length)});
}

bool is_within(const CoreList &some, const CoreList &all)
{
    return !some.empty() && std::includes(all.begin(), all.end(), some.begin(), some.end());
}

} // namespace

SystemCounters::SystemCounters(const std::set<pid_t> &threads, CoreList cores, bool unwatched, std::string proc_root,
                               ProgramWaits programs)
    : proc_root_(std::move(proc_root)), cores_(std::move(cores)), unwatched_(unwatched), programs_(std::move(programs)),
      quota_(cpu_quota(proc_root_))
{
    std::vector<CoreList> allowed_of; // each thread
    std::set<CoreList> of_measured;
    const auto add = [&](std::int64_t id, bool is_measured) {
        const auto folder = text(proc_root_, "/self/task/", id);
        auto allowed = allowed_cores(content_of_file(folder + "/status"));
        const auto runs_there = [&](const CoreList &all) { return is_within(allowed, all); };
        if (!is_measured && std::none_of(of_measured.begin(), of_measured.end(), runs_there)) return;
        Descriptor file(::open((folder + "/schedstat").c_str(), O_RDONLY | O_CLOEXEC));
        if (file.get() < 0) return;
        schedules_.push_back(std::move(file));
        if (is_measured) of_measured.insert(allowed);
        allowed_of.push_back(std::move(allowed));
    };
    for (const auto id : threads) add(id, true);
    measured_ = schedules_.size();
    for (const auto &name : names_in(proc_root_ + "/self/task"))
        if (const auto id = parse_int(name); id && !threads.contains(static_cast<pid_t>(*id))) add(*id, false);
    for (const auto &all : of_measured) {
        Crowd crowd{{}, {}, static_cast<double>(all.size())};
        for (std::size_t k = 0; k < allowed_of.size(); ++k) {
            if (is_within(allowed_of[k], all)) crowd.threads.push_back(k);
            if (k < measured_ && allowed_of[k] == all) crowd.measured.push_back(k);
        }
        if (crowd.threads.size() > all.size()) crowds_.push_back(std::move(crowd));
    }
    count_ = std::max(1, core_times(proc_root_, cores_).cores);
    std::set<std::string> seen; // threads of one core show one count
    for (const auto core : cores_.empty() ? usable_cores() : cores_) {
        const auto folder = text(sysfs_root(), "/devices/system/cpu/cpu", core);
        const auto siblings = read_sysfs(folder + "/topology/thread_siblings_list");
        if (siblings.status == Status::success && !seen.insert(siblings.text).second) continue;
        const auto path = folder + "/thermal_throttle/core_throttle_count";
        if (::access(path.c_str(), R_OK) == 0) throttle_files_.push_back(path);
    }
}

ThreadCounts SystemCounters::threads()
{
    ThreadCounts out;
    rusage use{};
    ::getrusage(RUSAGE_SELF, &use);
    out.page_reads = use.ru_majflt;
    std::vector<double> ran;
    for (const auto &file : schedules_) {
        const auto schedule = schedule_of(file);
        ran.push_back(schedule.ran);
        if (out.waited.size() < measured_) out.waited.push_back(schedule.waited);
    }
    if (!crowds_.empty()) out.mates.resize(measured_);
    for (const auto &crowd : crowds_)
        for (const auto k : crowd.measured)
            for (const auto other : crowd.threads)
                if (other != k) out.mates[k] += ran[other] / crowd.cores;
    ran.resize(measured_);
    out.ran = std::move(ran);
    if (measured_ == 0) out.waited.push_back(slice_seconds * static_cast<double>(use.ru_nivcsw));
    return out;
}

MachineCounts SystemCounters::machine()
{
    const auto times = core_times(proc_root_, cores_);
    MachineCounts out;
    out.seconds = std::chrono::duration<double>(Clock::now().time_since_epoch()).count();
    out.others = times.busy - own_core_seconds(proc_root_, cores_);
    out.stolen = times.stolen;
    for (const auto &path : throttle_files_) out.throttles += parse_int(read_sysfs(path).text).value_or(0);
    out.quota_stops = quota_.stops();
    if (programs_) out.programs_waited = programs_();
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
