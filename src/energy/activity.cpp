// Source: the precautions of Khaleghzadeh's thesis of 2019, 4.2.2. It sets fans to full speed, and watches that a program uses
// neither disks nor the network and does not page, and that no other one runs.

#include "energy/activity.hpp"

#include "core/error.hpp"
#include "core/file.hpp"
#include "core/machine.hpp"
#include "core/progress.hpp"
#include "core/text.hpp"
#include "energy/tally.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <system_error>

#include <unistd.h>

namespace hpart
{

namespace
{

constexpr double sector_bytes = 512;
// A machine at rest writes its logs and answers the network: less than this is no disturbance.
constexpr double quiet_share_of_cores = 0.05, quiet_cores = 0.5, quiet_core_seconds = 0.05;
constexpr double quiet_bytes_per_second = 1e6, quiet_paging_per_second = 1e5;
// A fan's sensor counts whole turns: its value at a constant speed varies by about 2 %.
constexpr double steady_share = 0.05, steady_turns = 50;

template <typename Take> void for_each_line(const std::string &path, const Take &take)
{
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) take(line);
}

bool are_digits(std::string_view name)
{
    return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
}

// "sda1" of "sda", "nvme0n1p1" of "nvme0n1".
bool is_partition(std::string_view name, std::string_view disk)
{
    if (!name.starts_with(disk)) return false;
    name.remove_prefix(disk.size());
    if (!are_digits(disk.substr(disk.size() - 1))) return are_digits(name);
    return name.starts_with('p') && are_digits(name.substr(1));
}

// "nvme0n1" for one of its paths, "nvme0c1n1"; else the name itself.
std::string disk_of_path(const std::string &name)
{
    constexpr std::string_view nvme = "nvme";
    const auto path = name.find('c', nvme.size()), space = name.find('n', nvme.size());
    if (!name.starts_with(nvme) || path == std::string::npos || space == std::string::npos || space < path) return name;
    return name.substr(0, path) + name.substr(space);
}

// A disk's counters include its partitions'. The paths to a disk count its bytes again, or in its place. Others are made of memory or of
// disks that count by themselves.
double disk_bytes(const std::string &path)
{
    constexpr std::array<std::string_view, 9> made = {"loop", "ram", "zram", "dm-", "md", "sr", "bcache", "drbd", "zd"};
    struct Disk {
        double sectors = 0, sectors_of_paths = 0;
    };
    std::map<std::string, Disk> disks;
    for_each_line(path, [&](const std::string &line) {
        std::istringstream fields(line);
        std::string name;
        double number = 0, read = 0, written = 0;
        if (!(fields >> number >> number >> name >> number >> number >> read)) return;
        if (!(fields >> number >> number >> number >> written)) return;
        if (std::any_of(made.begin(), made.end(), [&](auto prefix) { return name.starts_with(prefix); })) return;
        const auto disk = disk_of_path(name);
        (disk == name ? disks[disk].sectors : disks[disk].sectors_of_paths) += read + written;
    });
    double sectors = 0;
    for (const auto &[name, disk] : disks)
        if (std::none_of(disks.begin(), disks.end(),
                         [&, &part = name](const auto &each) { return is_partition(part, each.first); }))
            sectors += std::max(disk.sectors, disk.sectors_of_paths);
    return sectors * sector_bytes;
}

// Bonds, VLANs and bridges are over others, and so is an adapter of a virtual machine that hands on a device of the host's.
bool is_over_another(const std::string &interface)
{
    const auto files = names_in(text(sysfs_root(), "/class/net/", interface));
    return std::any_of(files.begin(), files.end(), [](const auto &file) { return file.starts_with("lower_"); });
}

bool has_device(const std::string &interface)
{
    std::error_code error;
    return std::filesystem::exists(text(sysfs_root(), "/class/net/", interface, "/device"), error);
}

// "eth0: 1234 5 ...": bytes received first, bytes sent ninth. A container has no devices: there all count that are over no other one.
double network_bytes(const std::string &path)
{
    double of_devices = 0, of_others = 0;
    bool has_devices = false;
    for_each_line(path, [&](const std::string &line) {
        const auto colon = line.find(':');
        if (colon == std::string::npos) return;
        const std::string name(trim(std::string_view(line).substr(0, colon)));
        if (name == "lo" || is_over_another(name)) return;
        const bool is_device = has_device(name);
        has_devices = has_devices || is_device;
        std::istringstream fields(line.substr(colon + 1));
        double value = 0;
        for (int field = 0; field < 9 && fields >> value; ++field)
            if (field == 0 || field == 8) (is_device ? of_devices : of_others) += value;
    });
    return has_devices ? of_devices : of_others;
}

std::vector<FanSpeeds> fan_speeds()
{
    std::vector<FanSpeeds> fans;
    const auto root = sysfs_root() + "/class/hwmon";
    for (const auto &chip : names_in(root)) {
        std::set<std::string> seen;
        // Older drivers have their files in the folder "device".
        for (const std::string place : {"", "device/"})
            for (const auto &name : names_in(text(root, "/", chip, "/", place))) {
                if (!name.starts_with("fan") || !name.ends_with("_input") || !seen.insert(name).second) continue;
                const auto found = read_sysfs(text(root, "/", chip, "/", place, name));
                const auto turns = found.status == Status::success ? parse_int(found.text) : std::nullopt;
                if (!turns) continue;
                const auto speed = static_cast<double>(*turns);
                fans.push_back({text(chip, "/", name.substr(0, name.find('_'))), speed, speed});
            }
    }
    return fans;
}

Activity counters_now(const std::string &proc_root)
{
    Activity now;
    const auto times = core_times(proc_root, {});
    now.other_core_seconds = times.busy - own_core_seconds(proc_root, {});
    now.core_seconds = times.cores;
    now.disk_bytes = disk_bytes(proc_root + "/diskstats");
    now.network_bytes = network_bytes(proc_root + "/net/dev");
    now.paged_bytes = swapped_pages(proc_root) * static_cast<double>(::sysconf(_SC_PAGESIZE));
    now.fans = fan_speeds();
    return now;
}

void add_fans(std::vector<FanSpeeds> &fans, const std::vector<FanSpeeds> &others)
{
    for (const auto &other : others) {
        const auto fan =
            std::find_if(fans.begin(), fans.end(), [&](const auto &each) { return each.name == other.name; });
        if (fan == fans.end()) {
            fans.push_back(other);
            continue;
        }
        fan->lowest = std::min(fan->lowest, other.lowest);
        fan->highest = std::max(fan->highest, other.highest);
    }
}

// A core that works takes far more than its share of a large machine's power.
std::string processes_text(const Activity &of)
{
    const double quiet = std::min(quiet_share_of_cores * of.core_seconds, quiet_cores * of.seconds);
    if (of.other_core_seconds <= quiet_core_seconds + quiet) return {};
    return text("other processes used ", rounded_text(100 * of.other_core_seconds / of.core_seconds),
                " % of the cores");
}

std::string traffic_text(const Activity &of)
{
    std::vector<std::string> parts;
    // A short window must have as much as a second of the limit.
    const auto add_bytes = [&](double bytes, double limit, std::string_view what) {
        if (bytes <= limit * std::max(of.seconds, 1.0)) return;
        const auto amount = of.seconds > 0 ? text(rounded_text(bytes / of.seconds / 1e6), " MB/s")
                                           : text(rounded_text(bytes / 1e6), " MB");
        parts.push_back(text(amount, " ", what));
    };
    add_bytes(of.disk_bytes, quiet_bytes_per_second, "moved to and from disks");
    add_bytes(of.network_bytes, quiet_bytes_per_second, "moved over the network");
    add_bytes(of.paged_bytes, quiet_paging_per_second, "moved to and from swap space (paging)");
    return with_semicolons(parts);
}

std::string fans_text(const std::vector<FanSpeeds> &fans)
{
    std::vector<std::string> parts;
    for (const auto &fan : fans)
        if (fan.highest - fan.lowest > std::max(steady_share * fan.highest, steady_turns))
            parts.push_back(text("fan ", fan.name, " ran at ", fan.lowest, " to ", fan.highest, " turns per minute"));
    return with_semicolons(parts);
}

} // namespace

void Activity::add(const Activity &other)
{
    seconds += other.seconds;
    other_core_seconds += other.other_core_seconds;
    core_seconds += other.core_seconds;
    disk_bytes += other.disk_bytes;
    network_bytes += other.network_bytes;
    paged_bytes += other.paged_bytes;
    add_fans(fans, other.fans);
}

std::string with_semicolons(const std::vector<std::string> &parts)
{
    std::string out;
    for (const auto &part : parts)
        if (!part.empty()) out += text(out.empty() ? "" : "; ", part);
    return out;
}

std::string Activity::text() const
{
    return with_semicolons({processes_text(*this), traffic_text(*this), fans_text(fans)});
}

ActivityWatch::ActivityWatch(std::string proc_root)
    : proc_root_(std::move(proc_root)), begin_(Clock::now()), first_(counters_now(proc_root_))
{
}

Activity ActivityWatch::until_now() const
{
    auto now = counters_now(proc_root_);
    now.seconds = seconds_since(begin_);
    now.core_seconds *= now.seconds;
    now.other_core_seconds -= first_.other_core_seconds; // below 0 within its steps, which sums must even out
    // A disk or an interface that was removed takes its counts with it.
    now.disk_bytes = std::max(now.disk_bytes - first_.disk_bytes, 0.0);
    now.network_bytes = std::max(now.network_bytes - first_.network_bytes, 0.0);
    now.paged_bytes = std::max(now.paged_bytes - first_.paged_bytes, 0.0);
    add_fans(now.fans, first_.fans);
    return now;
}

void ActivityLog::add(const Activity &window)
{
    ++windows_;
    all_.add(window);
    if (window.text().empty()) return;
    ++disturbed_;
    in_disturbed_.add(window);
}

// Single windows may be too short to judge processor time, and a fan may get faster from one to the next.
std::string ActivityLog::text() const
{
    const auto in_disturbed = processes_text(in_disturbed_);
    auto what = with_semicolons({in_disturbed.empty() ? processes_text(all_) : in_disturbed,
                                 traffic_text(in_disturbed_), fans_text(all_.fans)});
    if (disturbed_ == 0) return what;
    if (what.empty()) what = "single disturbances";
    return hpart::text(disturbed_, " of ", pluralise(windows_, "window"), disturbed_ == 1 ? " was" : " were",
                       " disturbed: ", what);
}

} // namespace hpart
