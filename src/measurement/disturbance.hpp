// Which repetitions of a measurement the system disturbed, judged by its counters.
#pragma once

#include "core/file.hpp"
#include "host/cores.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <sys/types.h>

namespace hpart
{

// Cumulative counts since any fixed moment.
struct ThreadCounts {
    std::vector<double> waited; // seconds for which a measured thread was ready to run but had no core, one per thread
    std::vector<double>
        mates; // seconds that its core ran the others, where measured threads share few cores; empty: none do
    std::vector<double> ran;     // seconds for which they ran; empty: unknown
    std::int64_t page_reads = 0; // page faults of this process that read from a disk
};

struct MachineCounts {
    double seconds = 0;           // of the clock
    double others = 0;            // core seconds that other processes used on the cores in use
    double stolen = 0;            // core seconds that a hypervisor gave to other machines
    std::int64_t throttles = 0;   // of the cores in use, for heat
    std::int64_t quota_stops = 0; // of the process and its group, by a quota of processor time
    // Seconds for which each processor that is a program waited for a core; for its own processes too.
    std::vector<double> programs_waited = {};
};

class Counters
{
  public:
    Counters() = default;
    Counters(const Counters &) = delete;
    Counters &operator=(const Counters &) = delete;
    virtual ~Counters() = default;
    virtual ThreadCounts threads() = 0;
    virtual MachineCounts machine() = 0;
    // The counts of the machine are sums over so many cores.
    virtual double cores() const = 0;
    // True if other threads' time on these cores counts as work: a device's threads cannot be watched.
    virtual bool are_unwatched() const = 0;
    // The processor of thread k of threads(), and of program k of machine(); "" if it is not known.
    virtual std::string processor_of_thread(std::size_t /*k*/) const { return ""; }
    virtual std::string processor_of_program(std::size_t /*k*/) const { return ""; }
};

// Threads are judged in groups of repetitions of 5 ms at least, so that reading costs less than 0.1 %; the machine, whose counters
// are in steps of 10 ms, in windows of half a second at least. A longer repetition is a group or window of its own. A disturbed group
// ends its window.
//
// The lengths of groups and windows and what they may lose follow from earlier repetitions: were their own times used, a slow repetition
// might lose more than a fast one, and the mean of those that are left would be too high.
class DisturbanceWatch
{
  public:
    // precision: a smaller share of the time is no disturbance. usual_seconds: of a run that does not count; 0: none is known.
    DisturbanceWatch(Counters &counters, double precision, double usual_seconds);

    // Call after each repetition. Returns how many of the newest repetitions were disturbed.
    std::int64_t after_repetition(double seconds);
    // The same for repetitions whose group or window is not complete, which ends here.
    std::int64_t finish();

    // The disturbances since the watch began: "other processes used 45 % of the cores; ...".
    std::string who() const;

  private:
    // Repetitions since the last reading.
    struct Stretch {
        std::int64_t repetitions = 0;
        double seconds = 0;
        void add(double of_repetition)
        {
            ++repetitions;
            seconds += of_repetition;
        }
    };
    bool is_group_disturbed();
    // holds_others: the time of others is held against it.
    bool is_window_disturbed(std::int64_t repetitions, bool holds_others);
    std::int64_t judge(double least_group, double least_window);
    // A repetition takes so long by those before the group; 0 if none is known.
    double usual_seconds() const;

    Counters &counters_;
    double precision_;
    ThreadCounts threads_;
    MachineCounts machine_, first_machine_;
    Stretch group_, window_, judged_; // judged_: all groups that have ended
    Stretch judged_windows_;          // with the times between repetitions
    double first_usual_seconds_;
    double waited_ = 0;             // in all groups, by the thread of each that waited longest
    double wanted_ = 0;             // for which these threads ran or waited
    std::vector<double> waited_of_; // in all groups, by thread
    std::int64_t page_reads_ = 0;
};

// The limit of processor time that control groups set for this process, as containers and batch systems do.

struct CpuQuota {
    double cores = 0;                // seconds of processor time a second; 0: no limit
    std::vector<std::string> counts; // cpu.stat of each group that has a limit
    // The number of times that these groups were stopped until their next period.
    std::int64_t stops() const;
};

// The least quota of the process's group and of those that it lies in; both versions of control groups.
CpuQuota cpu_quota(const std::string &proc_root);

// The counters of this machine that show disturbances.

// Counts that a system lacks are 0.
class SystemCounters final : public Counters
{
  public:
    using ProgramWaits = std::function<std::vector<double>()>; // MachineCounts::programs_waited
    struct Names {                                             // of processors
        std::map<pid_t, std::string> of_threads;
        std::vector<std::string> of_programs;
    };
    // threads: the measured ones. cores: of the work; empty: any. unwatched: other threads on them do the work, too.
    SystemCounters(const std::set<pid_t> &threads, CoreList cores, bool unwatched, std::string proc_root = "/proc",
                   ProgramWaits programs = {}, Names names = {});
    ThreadCounts threads() override;
    MachineCounts machine() override;
    double cores() const override { return count_; }
    bool are_unwatched() const override { return unwatched_; }
    std::string processor_of_thread(std::size_t k) const override { return k < measured_ ? of_threads_[k] : ""; }
    std::string processor_of_program(std::size_t k) const override
    {
        return k < names_.of_programs.size() ? names_.of_programs[k] : "";
    }

  private:
    std::string proc_root_;
    Names names_;
    std::vector<std::string> of_threads_; // the processor of each measured thread
    CoreList cores_;
    bool unwatched_;
    ProgramWaits programs_;
    double count_ = 1;
    // schedstat of each thread, kept open: reading takes a microsecond. The measured threads come first. The others of this process run
    // on cores that one of them may use.
    std::vector<Descriptor> schedules_;
    std::size_t measured_ = 0;
    // Threads that run on some cores, which are fewer, and the measured ones of them that may use all of these cores: they wait for each
    // other. Places in schedules_.
    struct Crowd {
        std::vector<std::size_t> threads, measured;
        double cores = 1;
    };
    std::vector<Crowd> crowds_;
    std::vector<std::string> throttle_files_;
    CpuQuota quota_;
};

// Ids of this process's threads.
std::set<pid_t> thread_ids();

} // namespace hpart
