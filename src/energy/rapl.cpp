// The kernel's powercap files: the running average power limit's energy counters of Intel and AMD, and ARM's zones (SCMI).

#include "energy/backends.hpp"

#include "core/clock.hpp"
#include "core/error.hpp"
#include "core/file.hpp"
#include "core/machine.hpp"
#include "core/progress.hpp"
#include "energy/sensor.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <system_error>
#include <utility>

namespace hpart
{

namespace
{

constexpr double rapl_interval = 0.001, arm_power_interval = 0.1;
constexpr double joules_of_microjoule = 1e-6;
constexpr int deepest_zone = 4; // control type, package, its parts, and one to spare
constexpr std::string_view rapl_remedy =
    "let all users read it: sudo chmod a+r /sys/class/powercap/*rapl*/energy_uj, for good by the udev rule "
    "SUBSYSTEM==\"powercap\", RUN+=\"/bin/chmod a+r /sys%p/energy_uj\"";

struct Zone {
    std::string id;   // "intel-rapl:0:1"
    std::string path; // of its folder
    std::string name; // "package-0", "dram", "core", "uncore", "psys"
};

constexpr std::string_view arm_zones = "arm-scmi";
bool is_of_zones(std::string_view entry)
{
    return entry.find("rapl") != std::string::npos || entry.starts_with(arm_zones);
}
bool is_mmio(const Zone &zone) { return zone.id.find("mmio") != std::string::npos; }

// Containers keep the links to zones and hide the zones.
bool leads_nowhere(const std::string &path)
{
    std::error_code error;
    return std::filesystem::is_symlink(path, error) && !std::filesystem::exists(path, error);
}

std::string hidden_by_container(const std::string &path)
{
    return text(in_quotes(path), " leads nowhere: a container hides /sys/devices/virtual/powercap: mount it");
}

// Zones ("intel-rapl:0:1") stand side by side in /sys/class/powercap and again inside one another, and inside the control types
// ("intel-rapl"); each is taken once. failures: why those that are nowhere whole cannot be, by their names.
void collect(const std::string &folder, int depth, std::set<std::string> &seen, std::vector<Zone> &zones,
             std::map<std::string, std::string> &failures)
{
    for (const auto &entry : names_in(folder)) {
        if (!is_of_zones(entry)) continue;
        const auto path = text(folder, "/", entry);
        const bool is_hidden = leads_nowhere(path);
        if (is_hidden) failures.emplace(entry, hidden_by_container(path));
        if (!is_hidden && entry.find(':') != std::string::npos && !seen.contains(entry)) {
            const auto name = read_sysfs(path + "/name");
            const bool is_named = name.status == Status::success && !name.text.empty();
            if (is_named) {
                seen.insert(entry);
                zones.push_back({entry, path, name.text});
            } else
                failures.emplace(entry, text("cannot read ", in_quotes(path + "/name"), ": ",
                                             name.status == Status::success ? "it is empty" : name.text));
        }
        if (depth > 1) collect(path, depth - 1, seen, zones, failures);
    }
    for (const auto &zone : seen) failures.erase(zone);
}

bool is_package(const Zone &zone) { return zone.name.rfind("package", 0) == 0; }

// "intel-rapl:0:1" -> "intel-rapl:0"
std::string parent_of(const std::string &id)
{
    const auto colon = id.rfind(':');
    return colon == id.find(':') ? std::string() : id.substr(0, colon);
}

// Packages and their memory. Parts of a package are not added to it, nor psys, which contains all. The same package
// through memory-mapped registers is the same energy again, but may have the memory alone. A machine that has psys alone is measured by it.
// ARM's zones have any names: one contains those inside it.
std::vector<Zone> zones_to_sum(const std::vector<Zone> &all)
{
    std::vector<Zone> chosen;
    for (const bool of_mmio : {false, true}) {
        const auto had = chosen;
        const auto is_new = [&](const std::string &name) {
            return std::none_of(had.begin(), had.end(), [&](const auto &zone) { return zone.name == name; });
        };
        for (const auto &zone : all) {
            if (!is_package(zone) || is_mmio(zone) != of_mmio) continue;
            const bool is_again = of_mmio && !had.empty();
            if (is_again && is_new(zone.name)) continue;
            if (!is_again) chosen.push_back(zone);
            const auto memory = zone.name + "/dram";
            for (const auto &part : all)
                if (part.name == "dram" && parent_of(part.id) == zone.id && is_new(memory))
                    chosen.push_back({part.id, part.path, memory});
        }
    }
    if (chosen.empty())
        for (const auto &zone : all)
            if (zone.name == "psys" && chosen.empty()) chosen.push_back(zone);
    if (chosen.empty())
        for (const auto &zone : all)
            if (zone.id.starts_with(arm_zones) && parent_of(zone.id).empty()) chosen.push_back(zone);
    return chosen;
}

// Joules; NaN when it is not told.
double range_of(const Zone &zone)
{
    const auto found = read_sysfs(zone.path + "/max_energy_range_uj");
    const auto range = found.status == Status::success ? parse_int(found.text) : std::nullopt;
    return range && *range > 0 ? static_cast<double>(*range) * joules_of_microjoule
                               : std::numeric_limits<double>::quiet_NaN();
}

std::int64_t read_counter(const Zone &zone)
{
    return read_sysfs_number(zone.path + "/energy_uj", rapl_remedy, Status::unsupported);
}

bool is_memory(const Zone &zone) { return zone.name.ends_with("/dram"); }

// Some firmware switches the counter of the memory off: it would stand still, and the meter would be taken for dead.
void drop_memory_that_stands_still(std::vector<Zone> &zones)
{
    constexpr auto long_enough = std::chrono::milliseconds(20); // counters move each millisecond
    if (std::none_of(zones.begin(), zones.end(), is_memory)) return;
    std::vector<std::int64_t> before;
    before.reserve(zones.size());
    for (const auto &zone : zones) before.push_back(read_counter(zone));
    Clock::sleep_for(long_enough);
    std::vector<Zone> moving;
    for (std::size_t k = 0; k < zones.size(); ++k)
        if (!is_memory(zones[k]) || read_counter(zones[k]) != before[k]) moving.push_back(zones[k]);
    zones = std::move(moving);
}

// "package-0-die-1" -> "package-0-die-", its memory -> "package-0-die-/dram"; "" of a whole package.
std::string dies_of(const Zone &zone)
{
    constexpr std::string_view die = "-die-";
    const auto at = zone.name.find(die);
    if (at == std::string::npos) return {};
    return zone.name.substr(0, at + die.size()) + (is_memory(zone) ? "/dram" : "");
}

// Some processors show their one counter at each die: it has the name of the first.
void join_mirrored_dies(std::vector<Zone> &zones)
{
    const auto read = [&] {
        std::vector<double> values;
        for (const auto &zone : zones) values.push_back(static_cast<double>(read_counter(zone)));
        return values;
    };
    const auto are_alike = [&](std::size_t k, std::size_t j) {
        return !dies_of(zones[k]).empty() && dies_of(zones[k]) == dies_of(zones[j]);
    };
    const auto mirrors = mirrored_counters(zones.size(), read, are_alike);
    std::vector<Zone> own;
    for (std::size_t k = 0; k < zones.size(); ++k)
        if (mirrors[k] == k) own.push_back(zones[k]);
    zones = std::move(own);
}

class Rapl final : public Source
{
  public:
    Rapl(const std::vector<Zone> &zones, std::string_view file)
    {
        for (const auto &zone : zones) files_.push_back(text(zone.path, "/", file));
    }

    Reading read() override
    {
        const auto before = Clock::now();
        Reading reading;
        for (const auto &file : files_) {
            const auto millionths = read_sysfs_number(file, rapl_remedy, Status::device);
            reading.values.push_back(static_cast<double>(millionths) * joules_of_microjoule);
        }
        reading.seconds = middle_seconds(before, Clock::now());
        return reading;
    }

  private:
    std::vector<std::string> files_;
};

// The kernel's driver of SCMI has the mean power of some milliseconds; a firmware's own may count.
bool has_power_alone(const std::vector<Zone> &zones)
{
    std::error_code error;
    return std::any_of(zones.begin(), zones.end(), [&](const auto &zone) {
        return zone.id.starts_with(arm_zones) && !std::filesystem::exists(zone.path + "/energy_uj", error) &&
               std::filesystem::exists(zone.path + "/power_uw", error);
    });
}

Sensor sensor_of_power(const std::vector<Zone> &zones, const MeterSettings &settings)
{
    constexpr std::string_view file = "power_uw";
    Sensor sensor;
    sensor.traits = {"rapl", Quantity::watts, Method::integrated, settings.interval.value_or(arm_power_interval), {}};
    for (const auto &zone : zones) {
        read_sysfs_number(text(zone.path, "/", file), rapl_remedy, Status::unsupported);
        sensor.traits.channels.push_back({zone.name, never_wraps});
    }
    sensor.source = std::make_unique<Rapl>(zones, file);
    return sensor;
}

} // namespace

Sensor open_rapl(const std::string & /*argument*/, const MeterSettings &settings)
{
    const auto folder = sysfs_root() + "/class/powercap";
    std::set<std::string> seen;
    std::vector<Zone> all;
    std::map<std::string, std::string> failures;
    if (leads_nowhere(folder)) failures.emplace("", hidden_by_container(folder));
    collect(folder, deepest_zone, seen, all, failures);
    auto zones = zones_to_sum(all);
    // A sum without one of its parts would be a wrong energy.
    if (!failures.empty()) {
        const auto &failure = failures.begin()->second;
        fail(Status::unsupported,
             zones.empty() ? "there are no RAPL counters in " : "RAPL's counters are not whole in ", in_quotes(folder),
             ": ", failure);
    }
    if (zones.empty())
        fail(Status::unsupported, "there are no RAPL counters in ", in_quotes(folder),
             ": the processor has none, it is a virtual machine's, or the kernel lacks the module intel_rapl_msr");
    if (has_power_alone(zones)) return sensor_of_power(zones, settings);
    for (const auto &zone : zones) read_counter(zone);
    drop_memory_that_stands_still(zones);
    join_mirrored_dies(zones);
    Sensor sensor;
    sensor.traits = {"rapl", Quantity::joules, Method::counter, settings.interval.value_or(rapl_interval), {}};
    sensor.traits.never_rests = true;
    for (const auto &zone : zones) sensor.traits.channels.push_back({zone.name, range_of(zone)});
    sensor.source = std::make_unique<Rapl>(zones, "energy_uj");
    return sensor;
}

MeterAvailability look_for_rapl() { return try_to_open(open_rapl, ""); }

// A mirror shows the values of another counter, up to some milliseconds later. So its values stay within some milliseconds of energy of the
// other's, and most of them are values that the other one shows, too. Two counters of their own are millions of steps apart, or drift apart.

namespace
{

constexpr int rounds = 40;
constexpr auto pause = std::chrono::milliseconds(1); // counters move each millisecond
constexpr double longest_lag_seconds = 0.004;
// A counter that moves more rarely than the lag may be a whole step behind; steps differ.
constexpr double lagging_steps = 2;
// The counter may begin again between its values and its mirror's.
constexpr double share_near = 0.9;
constexpr double least_share_equal = 0.25;
constexpr int least_rounds = 3; // in which the counter has moved

struct Round {
    std::vector<double> before, after; // of each counter
};

class Watched
{
  public:
    Watched(const std::vector<Round> &seen, double seconds) : rounds_(seen), seconds_(seconds) {}

    bool is_mirror(std::size_t one, std::size_t other) const
    {
        const double tolerance = energy_of_lag(one);
        const double first = rounds_.front().before[one];
        int moved = 0, equal = 0, near = 0;
        for (const auto &[before, after] : rounds_) {
            const double value = before[other], low = before[one], high = after[one];
            if (value >= low - tolerance && value <= high + tolerance) ++near;
            if (low == first) continue;
            ++moved;
            if ((value >= low && value <= high) || (value != first && shows(one, value))) ++equal;
        }
        return moved >= least_rounds && near >= share_near * static_cast<double>(rounds_.size()) &&
               equal >= least_share_equal * moved;
    }

  private:
    double energy_of_lag(std::size_t one) const
    {
        double moved = 0, smallest = std::numeric_limits<double>::infinity();
        for (std::size_t k = 1; k < rounds_.size(); ++k) {
            const double step = rounds_[k].before[one] - rounds_[k - 1].before[one];
            if (step <= 0) continue;
            moved += step;
            smallest = std::min(smallest, step);
        }
        return moved > 0 ? std::max(moved / seconds_ * longest_lag_seconds, lagging_steps * smallest) : 0;
    }
    bool shows(std::size_t one, double value) const
    {
        return std::any_of(rounds_.begin(), rounds_.end(),
                           [&](const auto &round) { return round.before[one] == value || round.after[one] == value; });
    }

    const std::vector<Round> &rounds_;
    const double seconds_;
};

} // namespace

std::vector<std::size_t> mirrored_counters(std::size_t count, const std::function<std::vector<double>()> &read,
                                           const std::function<bool(std::size_t, std::size_t)> &are_alike)
{
    std::vector<std::size_t> mirrors(count);
    std::iota(mirrors.begin(), mirrors.end(), std::size_t{0});
    std::vector<std::pair<std::size_t, std::size_t>> pairs;
    for (std::size_t k = 0; k < count; ++k)
        for (std::size_t j = k + 1; j < count; ++j)
            if (are_alike(k, j)) pairs.emplace_back(k, j);
    if (pairs.empty()) return mirrors;
    std::vector<Round> seen;
    const auto begin = Clock::now();
    for (int round = 0; round < rounds; ++round) {
        if (round > 0) Clock::sleep_for(pause);
        auto before = read();
        seen.push_back({std::move(before), read()});
    }
    const Watched watched(seen, seconds_since(begin));
    for (const auto &[one, other] : pairs)
        if (mirrors[other] == other && watched.is_mirror(one, other)) mirrors[other] = mirrors[one];
    return mirrors;
}

} // namespace hpart
