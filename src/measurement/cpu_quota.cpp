#include "measurement/cpu_quota.hpp"

#include "core/machine.hpp"
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
    for (const auto &folder : control_groups("cpu", proc_root))
        if (const auto cores = quota_of(folder)) {
            if (out.cores == 0 || *cores < out.cores) out.cores = *cores;
            out.counts.push_back(folder + "/cpu.stat");
        }
    return out;
}

} // namespace hpart
