#include "measurement/cpu_quota.hpp"

#include "core/sysfs.hpp"
#include "core/text.hpp"

#include <fstream>
#include <optional>

namespace hpart
{

namespace
{

// The first line of a file; "" where there is none.
std::string line_of(const std::string &path)
{
    const auto found = read_sysfs(path);
    return found.status == Status::success ? found.text : "";
}

// cpu.max of version 2: "20000 100000" or "max 100000"; version 1 has two files, and -1 is no limit.
std::optional<double> quota_of(const std::string &folder)
{
    auto quota = line_of(folder + "/cpu.max"), period = std::string();
    if (const auto blank = quota.find(' '); blank != std::string::npos) {
        period = quota.substr(blank + 1);
        quota.resize(blank);
    } else {
        quota = line_of(folder + "/cpu.cfs_quota_us");
        period = line_of(folder + "/cpu.cfs_period_us");
    }
    const auto microseconds = parse_int(quota), of = parse_int(period);
    if (!microseconds || !of || *microseconds <= 0 || *of <= 0) return std::nullopt;
    return static_cast<double>(*microseconds) / static_cast<double>(*of);
}

// A group and those that it lies in. A container may not see its own group's name: its root is the group.
void add_groups(const std::string &root, std::string group, CpuQuota &out)
{
    for (;; group.resize(group.rfind('/'))) {
        if (group == "/") group.clear();
        const auto folder = root + group;
        if (const auto cores = quota_of(folder)) {
            if (out.cores == 0 || *cores < out.cores) out.cores = *cores;
            out.counts.push_back(folder + "/cpu.stat");
        }
        if (group.find('/') == std::string::npos) return;
    }
}

} // namespace

std::int64_t CpuQuota::stops() const
{
    std::int64_t sum = 0;
    for (const auto &path : counts) {
        std::ifstream file(path);
        for (std::string line; std::getline(file, line);) {
            constexpr std::string_view key = "nr_throttled ";
            if (std::string_view(line).starts_with(key))
                sum += parse_int(std::string_view(line).substr(key.size())).value_or(0);
        }
    }
    return sum;
}

CpuQuota cpu_quota(const std::string &proc_root)
{
    CpuQuota out;
    std::ifstream groups(proc_root + "/self/cgroup");
    // "4:cpu,cpuacct:/a/b", version 2 "0::/a/b"
    for (std::string line; std::getline(groups, line);) {
        const auto first = line.find(':'), second = line.find(':', first + 1);
        if (first == std::string::npos || second == std::string::npos) continue;
        const auto controllers = line.substr(first + 1, second - first - 1), group = line.substr(second + 1);
        const auto root = sysfs_root() + "/fs/cgroup";
        if (controllers.empty())
            add_groups(root, group, out);
        else if (("," + controllers + ",").find(",cpu,") != std::string::npos)
            add_groups(text(root, "/", controllers), group, out);
    }
    return out;
}

} // namespace hpart
