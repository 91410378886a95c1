// The counters of this machine that show disturbances.
#pragma once

#include "core/file.hpp"
#include "host/cores.hpp"
#include "measurement/cpu_quota.hpp"
#include "measurement/disturbance.hpp"

#include <functional>
#include <set>
#include <string>
#include <vector>

#include <sys/types.h>

namespace hpart
{

// Counts that a system lacks are 0.
class SystemCounters final : public Counters
{
  public:
    using ProgramWaits = std::function<std::vector<double>()>; // MachineCounts::programs_waited
    // threads: the measured ones. cores: of the work; empty: any. unwatched: other threads on them do the work, too.
    SystemCounters(const std::set<pid_t> &threads, CoreList cores, bool unwatched, std::string proc_root = "/proc",
                   ProgramWaits programs = {});
    ThreadCounts threads() override;
    MachineCounts machine() override;
    double cores() const override { return count_; }
    bool are_unwatched() const override { return unwatched_; }

  private:
    std::string proc_root_;
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
