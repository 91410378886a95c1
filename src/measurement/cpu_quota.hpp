// The limit of processor time that control groups set for this process, as containers and batch systems do.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace hpart
{

struct CpuQuota {
    double cores = 0;                // seconds of processor time a second; 0: no limit
    std::vector<std::string> counts; // cpu.stat of each group that has a limit
    // The number of times that these groups were stopped until their next period.
    std::int64_t stops() const;
};

// The least quota of the process's group and of those that it lies in; both versions of control groups.
CpuQuota cpu_quota(const std::string &proc_root = "/proc");

} // namespace hpart
