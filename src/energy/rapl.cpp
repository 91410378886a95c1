// The kernel's powercap files: the running average power limit's energy counters of Intel and AMD, and ARM's zones (SCMI).
#include "core/error.hpp"
#include "core/file.hpp"
#include "core/machine.hpp"
#include "core/progress.hpp"
#include "energy/backends.hpp"
#include "energy/mirrored.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <set>
#include <system_error>

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

} // namespace hpart
