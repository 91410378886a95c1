#include "measurement/disturbance.hpp"

#include "core/error.hpp"
#include "core/file.hpp"
#include "core/machine.hpp"
#include "core/progress.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

namespace hpart
{

namespace
{

constexpr double group_seconds = 0.005;
constexpr double window_seconds = 0.5;
// A shorter last group or window ends unjudged.
constexpr double shortest_group = 0.001;
constexpr double shortest_window = 0.1;
// Waking a thread may take so long, on a machine at rest too.
constexpr double usual_wait = 2e-4;
// A fast disk takes at least so long for a read.
constexpr double seconds_of_page_read = 1e-4;
// Steps of the machine's counters are 10 ms.
constexpr double least_stolen = 0.03;
constexpr double least_others = 0.05;
constexpr double usual_share_of_others = 0.05;

double rounded_percent(double share) { return std::round(1000 * share) / 10; }

// The program that waited longest.
struct LongestWait {
    double seconds = 0;
    std::size_t program = 0;
};

LongestWait longest_wait(const MachineCounts &before, const MachineCounts &now)
{
    LongestWait longest;
    for (std::size_t k = 0; k < now.programs_waited.size(); ++k)
        if (const double waited = now.programs_waited[k] - before.programs_waited[k]; waited > longest.seconds)
            longest = {waited, k};
    return longest;
}

// A share says nothing if the wait is longer than the time: processes wait side by side, and kernels may tell times of their own.
std::string wait_text(double waited, double time)
{
    if (waited < time) return text("for ", rounded_percent(waited / time), " % of their time");
    return text("for ", brief_seconds(waited), " in all, in ", brief_seconds(time), " of repetitions");
}

std::string named(std::string_view what, const std::string &processor)
{
    return processor.empty() ? std::string(what) : text(what, " of ", processor);
}

} // namespace

DisturbanceWatch::DisturbanceWatch(Counters &counters, double precision, double usual_seconds)
    : counters_(counters), precision_(precision), threads_(counters.threads()), machine_(counters.machine()),
      first_machine_(machine_), first_usual_seconds_(usual_seconds)
{
}

std::int64_t DisturbanceWatch::after_repetition(double seconds)
{
    group_.add(seconds);
    window_.add(seconds);
    return judge(group_seconds, window_seconds);
}

std::int64_t DisturbanceWatch::finish() { return judge(shortest_group, shortest_window); }

double DisturbanceWatch::usual_seconds() const
{
    return judged_.repetitions == 0 ? first_usual_seconds_ : judged_.seconds / static_cast<double>(judged_.repetitions);
}

std::int64_t DisturbanceWatch::judge(double least_group, double least_window)
{
    const auto repetitions = static_cast<double>(group_.repetitions);
    const double usual = usual_seconds();
    std::int64_t disturbed = 0;
    // Without an earlier time its own must do; is_group_disturbed() lets it pass.
    if ((usual > 0 ? repetitions * usual : group_.seconds) >= least_group) {
        const bool is_disturbed = is_group_disturbed();
        const auto group = std::exchange(group_, {});
        judged_.repetitions += group.repetitions;
        judged_.seconds += group.seconds;
        if (is_disturbed) disturbed = group.repetitions;
    }
    const double length = usual > 0 ? usual * static_cast<double>(window_.repetitions) : window_.seconds;
    if (disturbed == 0 && length < least_window) return 0;
    const auto window = std::exchange(window_, {});
    if (length < shortest_window)
        machine_ = counters_.machine();
    else if (is_window_disturbed(window.repetitions, disturbed == 0)) // the others' time is the group's
        disturbed = std::max(disturbed, window.repetitions);
    return disturbed;
}

bool DisturbanceWatch::is_group_disturbed()
{
    auto now = counters_.threads();
    double waited = 0, wanted = 0;
    waited_of_.resize(now.waited.size());
    for (std::size_t k = 0; k < now.waited.size(); ++k) {
        const double for_mates = now.mates.empty() ? 0 : now.mates[k] - threads_.mates[k];
        const double in_all = now.waited[k] - threads_.waited[k];
        waited_of_[k] += std::max(0.0, in_all - for_mates);
        if (in_all - for_mates <= waited) continue;
        waited = in_all - for_mates;
        wanted = now.ran.empty() ? 0 : in_all + now.ran[k] - threads_.ran[k];
    }
    const auto page_reads = now.page_reads - threads_.page_reads;
    threads_ = std::move(now);
    waited_ += waited;
    wanted_ += wanted;
    page_reads_ += page_reads;
    if (usual_seconds() == 0) return false;
    const double lost = waited + seconds_of_page_read * static_cast<double>(page_reads);
    return lost > std::max(usual_wait, precision_ * usual_seconds() * static_cast<double>(group_.repetitions));
}

bool DisturbanceWatch::is_window_disturbed(std::int64_t repetitions, bool holds_others)
{
    const auto before = machine_;
    machine_ = counters_.machine();
    const double seconds = machine_.seconds - before.seconds;
    const auto &judged = judged_windows_;
    const double usual = judged.repetitions > 0 ? judged.seconds / static_cast<double>(judged.repetitions) *
                                                      static_cast<double>(repetitions)
                                                : seconds;
    judged_windows_ = {judged.repetitions + repetitions, judged.seconds + seconds};
    const double core_seconds = usual * counters_.cores();
    const double others = machine_.others - before.others;
    // Programs wait for their own processes, too, which is no disturbance.
    const double waited = std::min(longest_wait(before, machine_).seconds, others);
    return machine_.stolen - before.stolen > std::max(least_stolen, precision_ * core_seconds) ||
           waited > std::max(least_others, precision_ * usual) ||
           (holds_others && counters_.are_unwatched() &&
            others > least_others + usual_share_of_others * core_seconds) ||
           machine_.throttles > before.throttles || machine_.quota_stops > before.quota_stops;
}

std::string DisturbanceWatch::who() const
{
    const double core_seconds = (machine_.seconds - first_machine_.seconds) * counters_.cores();
    const double others = machine_.others - first_machine_.others;
    const double stolen = machine_.stolen - first_machine_.stolen;
    const auto throttles = machine_.throttles - first_machine_.throttles;
    const auto [waited, program] = longest_wait(first_machine_, machine_);
    const double seconds = machine_.seconds - first_machine_.seconds;
    const auto thread = std::max_element(waited_of_.begin(), waited_of_.end()) - waited_of_.begin();
    std::string out;
    const auto add = [&](bool holds, const auto &...parts) {
        if (holds) out += text(out.empty() ? "" : "; ", parts...);
    };
    add(others > least_others && others > usual_share_of_others * core_seconds, "other processes used ",
        rounded_percent(std::min(1.0, others / core_seconds)), " % of the cores"); // ticks are 10 ms
    // Repetitions are shorter than their threads' time where kernels tell their own times, or threads run between them. Threads that wait
    // for a program hardly run.
    const double wanted = wanted_ > 0 && waited == 0 ? wanted_ : judged_.seconds;
    add(waited_ > precision_ * judged_.seconds,
        named("the threads", counters_.processor_of_thread(static_cast<std::size_t>(thread))), " waited for a core ",
        wait_text(waited_, wanted));
    add(std::min(waited, others) > std::max(least_others, precision_ * seconds),
        named("the programs", counters_.processor_of_program(program)), " waited for a core ",
        wait_text(std::min(waited, others), seconds));
    add(stolen > least_stolen, "the hypervisor took ", rounded_percent(stolen / core_seconds),
        " % of the cores (steal)");
    add(page_reads_ > 0, "memory was read from disk ", pluralise(page_reads_, "time"), " (paging)");
    add(throttles > 0, "the cores were throttled ", pluralise(throttles, "time"));
    const auto stops = machine_.quota_stops - first_machine_.quota_stops;
    add(stops > 0, "the quota of processor time stopped the processes ", pluralise(stops, "time"));
    return out.empty() ? "single disturbances" : out;
}

namespace
{

// The first line of a file; "" where there is none.
std::string line_of_counter(const std::string &path)
{
    const auto found = read_sysfs(path);
    return found.status == Status::success ? found.text : "";
}

// cpu.max of version 2: "20000 100000" or "max 100000"; version 1 has two files, and -1 is no limit.
std::optional<double> quota_of(const std::string &folder)
{
    auto quota = line_of_counter(folder + "/cpu.max"), period = std::string();
    if (const auto blank = quota.find(' '); blank != std::string::npos) {
        period = quota.substr(blank + 1);
        quota.resize(blank);
    } else {
        quota = line_of_counter(folder + "/cpu.cfs_quota_us");
        period = line_of_counter(folder + "/cpu.cfs_period_us");
    }
    const auto microseconds = parse_int(quota), of = parse_int(period);
    if (!microseconds || !of || *microseconds <= 0 || *of <= 0) return std::nullopt;
    return static_cast<double>(*microseconds) / static_cast<double>(*of);
}

} // namespace

std::int64_t CpuQuota::stops() const
{
    std::int64_t sum = 0;
    for (const auto &path : counts) sum += sum_in_file(path, {"nr_throttled"}).value_or(0);
    return sum;
}

CpuQuota cpu_quota(const std::string &proc_root)
{
    CpuQuota out;
    for (const auto &folder : control_groups("cpu", proc_root))
        if (const auto cores = quota_of(folder)) {
            if (out.cores == 0 || *cores < out.cores) out.cores = *cores;
            out.counts.push_back(folder + "/cpu.stat");
        }
    return out;
}

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

bool lies_within(const CoreList &some, const CoreList &all)
{
    return !some.empty() && std::includes(all.begin(), all.end(), some.begin(), some.end());
}

} // namespace

SystemCounters::SystemCounters(const std::set<pid_t> &threads, CoreList cores, bool unwatched, std::string proc_root,
                               ProgramWaits programs, Names names)
    : proc_root_(std::move(proc_root)), names_(std::move(names)), cores_(std::move(cores)), unwatched_(unwatched),
      programs_(std::move(programs)), quota_(cpu_quota(proc_root_))
{
    std::vector<CoreList> allowed_of; // each thread
    std::set<CoreList> of_measured;
    const auto add = [&](std::int64_t id, bool is_measured) {
        const auto folder = text(proc_root_, "/self/task/", id);
        auto allowed = allowed_cores(content_of_file(folder + "/status"));
        const auto runs_there = [&](const CoreList &all) { return lies_within(allowed, all); };
        if (!is_measured && std::none_of(of_measured.begin(), of_measured.end(), runs_there)) return;
        Descriptor file(::open((folder + "/schedstat").c_str(), O_RDONLY | O_CLOEXEC));
        if (file.get() < 0) return;
        schedules_.push_back(std::move(file));
        if (is_measured) {
            of_measured.insert(allowed);
            const auto name = names_.of_threads.find(static_cast<pid_t>(id));
            of_threads_.push_back(name == names_.of_threads.end() ? "" : name->second);
        }
        allowed_of.push_back(std::move(allowed));
    };
    for (const auto id : threads) add(id, true);
    measured_ = schedules_.size();
    for (const auto &name : names_in(proc_root_ + "/self/task"))
        if (const auto id = parse_int(name); id && !threads.contains(static_cast<pid_t>(*id))) add(*id, false);
    for (const auto &all : of_measured) {
        Crowd crowd{{}, {}, static_cast<double>(all.size())};
        for (std::size_t k = 0; k < allowed_of.size(); ++k) {
            if (lies_within(allowed_of[k], all)) crowd.threads.push_back(k);
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
