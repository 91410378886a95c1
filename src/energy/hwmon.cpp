// Sensors of the kernel's hardware monitoring: one file with microwatts or microjoules, or two with millivolts and milliamperes.
#include "core/error.hpp"
#include "core/file.hpp"
#include "core/machine.hpp"
#include "core/progress.hpp"
#include "energy/sensor.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>

namespace hpart
{

namespace
{

constexpr double usual_interval_seconds = 0.1; // where the driver does not tell
constexpr double seconds_of_millisecond = 1e-3;
constexpr std::int64_t longest_interval_milliseconds = 3600000; // what tells more does not mean it
constexpr double unit_of_micro = 1e-6;
constexpr std::string_view hwmon_remedy = "let all users read it, as by a udev rule SUBSYSTEM==\"hwmon\", "
                                          "RUN+=\"/bin/chmod a+r /sys%p/power1_input\"";

bool starts_with(std::string_view text, std::string_view start) { return text.substr(0, start.size()) == start; }
bool ends_with(std::string_view text, std::string_view end)
{
    return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

bool is_energy(std::string_view file) { return starts_with(file, "energy") && ends_with(file, "_input"); }
bool is_power(std::string_view file)
{
    return starts_with(file, "power") && (ends_with(file, "_input") || ends_with(file, "_average"));
}

std::string name_of(const std::string &path) { return path.substr(path.rfind('/') + 1); }

// "PPT" of ".../power1_average"; "" without one. Power meters that ACPI describes, as NVIDIA Grace's, have the maker's word.
std::string label_of(const std::string &file)
{
    for (const auto *suffix : {"_label", "_oem_info"}) {
        const auto found = read_sysfs(file.substr(0, file.rfind('_')) + suffix);
        if (found.status == Status::success && !found.text.empty()) return found.text;
    }
    return "";
}

// ".../in1_input" of ".../curr1_input", if both are of one rail, as INA3221 has them: a label names it, no other label contradicts, and the
// driver does not multiply them itself; "" otherwise.
std::string volts_of(const std::string &file)
{
    constexpr std::string_view current = "curr";
    const auto name = name_of(file);
    if (!starts_with(name, current) || !ends_with(name, "_input")) return "";
    const auto folder = file.substr(0, file.size() - name.size()), rest = name.substr(current.size());
    const auto number = rest.substr(0, rest.find('_'));
    const auto volts = text(folder, "in", rest);
    std::error_code error;
    const auto exists = [&](const std::string &path) { return std::filesystem::exists(path, error); };
    if (!exists(volts) || exists(text(folder, "power", rest)) || exists(text(folder, "power", number, "_average")))
        return "";
    const auto of_current = label_of(file), of_volts = label_of(volts);
    const bool is_named = !of_current.empty() || !of_volts.empty();
    return is_named && (of_current.empty() || of_volts.empty() || of_current == of_volts) ? volts : "";
}

std::string rail_of(const std::string &file)
{
    const auto label = label_of(file), volts = volts_of(file);
    return label.empty() && !volts.empty() ? label_of(volts) : label;
}

bool is_sensor(const std::string &file)
{
    const auto name = name_of(file);
    return is_energy(name) || is_power(name) || !volts_of(file).empty();
}

// Older drivers, and drivers of power meters that ACPI describes, have their files in the folder "device".
std::vector<std::string> sensors_in(const std::string &folder)
{
    std::vector<std::string> sensors;
    for (const std::string place : {"", "device/"})
        for (const auto &file : names_in(text(folder, "/", place)))
            if (is_sensor(text(folder, "/", place, file)) &&
                std::find(sensors.begin(), sensors.end(), file) == sensors.end())
                sensors.push_back(place + file);
    // A mean over the time since the last value and a sample of one power: the mean misses nothing.
    std::erase_if(sensors, [&](const auto &file) {
        constexpr std::string_view sample = "_input";
        return is_power(name_of(file)) && file.ends_with(sample) &&
               std::find(sensors.begin(), sensors.end(), file.substr(0, file.size() - sample.size()) + "_average") !=
                   sensors.end();
    });
    return sensors;
}

std::string folder_of_all() { return sysfs_root() + "/class/hwmon"; }

// "hwmon2", "hwmon2/power1_input", or a path; one under /sys is one under the root that was set.
std::string resolve(const std::string &argument)
{
    constexpr std::string_view system = "/sys/";
    if (starts_with(argument, system)) return sysfs_root() + "/" + argument.substr(system.size());
    const auto named = text(folder_of_all(), "/", argument);
    std::error_code error;
    const bool is_path =
        argument.front() == '/' || (!std::filesystem::exists(named, error) && std::filesystem::exists(argument, error));
    return is_path ? argument : named;
}

// "hwmon2/power1_average" of "amdgpu/PPT": by the names of the driver and of the sensor's label or file; "" if there is none.
std::string sensor_by_driver(const std::string &argument)
{
    const auto slash = argument.find('/');
    if (slash == std::string::npos) return {};
    const auto driver = argument.substr(0, slash), sensor = argument.substr(slash + 1);
    std::vector<std::string> found;
    for (const auto &chip : names_in(folder_of_all())) {
        const auto folder = text(folder_of_all(), "/", chip, "/");
        const auto in_folder = read_sysfs(folder + "name"), in_device = read_sysfs(folder + "device/name");
        if ((in_folder.status == Status::success ? in_folder : in_device).text != driver) continue;
        for (const auto &file : sensors_in(folder))
            if (name_of(file) == sensor || rail_of(folder + file) == sensor) found.push_back(text(chip, "/", file));
    }
    if (found.size() < 2) return found.empty() ? "" : found.front();
    std::string list;
    for (const auto &file : found) list += text(list.empty() ? "" : ", ", "hwmon:", file);
    fail_parameter("spec", " is ", in_quotes("hwmon:" + argument),
                   "; several sensors have this name, take one of them: ", list);
}

// The place of ".../power1_input", ".../power1_average" and ".../energy1_input", whatever links lead there: one channel.
std::string origin_of(const std::string &file)
{
    std::error_code error;
    const auto found = std::filesystem::canonical(file, error).string();
    if (error) return file;
    const auto name = found.rfind('/') + 1, end = found.rfind('_');
    const auto number = std::min(found.find_first_of("0123456789", name), end);
    return found.substr(0, name) + found.substr(number, end - number);
}

std::string sensor_file(const std::string &argument)
{
    if (const auto file = sensor_by_driver(argument); !file.empty()) return text(folder_of_all(), "/", file);
    auto path = resolve(argument);
    if (is_sensor(path)) return path;
    const auto sensors = sensors_in(path);
    if (sensors.size() == 1) return path + "/" + sensors.front();
    if (sensors.empty())
        fail(Status::unsupported,
             "there is no sensor of power or energy (power1_input, energy1_input, or curr1_input and in1_input with a "
             "label) in ",
             in_quotes(path));
    std::string list;
    for (const auto &sensor : sensors) list += text(list.empty() ? "" : ", ", sensor);
    fail_parameter("spec", " is ", in_quotes("hwmon:" + argument),
                   "; the folder has several sensors, take one of them: ", list);
}

double interval_of(const std::string &file)
{
    const auto folder = file.substr(0, file.rfind('/') + 1);
    for (const auto &path : {file + "_interval", folder + "update_interval"}) {
        const auto found = read_sysfs(path);
        const auto milliseconds = found.status == Status::success ? parse_int(found.text) : std::nullopt;
        if (milliseconds && *milliseconds > 0 && *milliseconds <= longest_interval_milliseconds)
            return static_cast<double>(*milliseconds) * seconds_of_millisecond;
    }
    return usual_interval_seconds;
}

class Hwmon final : public Source
{
  public:
    // volts: "" if the file has power or energy.
    Hwmon(std::string file, std::string volts) : file_(std::move(file)), volts_(std::move(volts)) {}
    Reading read() override
    {
        const auto before = Clock::now();
        const auto number_of = [](const std::string &file) {
            return static_cast<double>(read_sysfs_number(file, hwmon_remedy, Status::device));
        };
        // Milliamperes times millivolts are microwatts.
        const double value = number_of(file_) * (volts_.empty() ? 1 : number_of(volts_)) * unit_of_micro;
        return {middle_seconds(before, Clock::now()), {value}};
    }

  private:
    std::string file_, volts_;
};

} // namespace

Sensor open_hwmon(const std::string &argument, const MeterSettings &settings)
{
    const auto file = sensor_file(argument);
    const auto volts = volts_of(file);
    for (const auto &path : {file, volts})
        if (!path.empty()) read_sysfs_number(path, hwmon_remedy, Status::unsupported);
    const bool counts = is_energy(name_of(file));
    Sensor sensor;
    sensor.traits = {"hwmon:" + argument,
                     counts ? Quantity::joules : Quantity::watts,
                     counts ? Method::counter : Method::integrated,
                     settings.interval.value_or(interval_of(file)),
                     {{name_of(file), counts ? std::numeric_limits<double>::quiet_NaN() : never_wraps}}};
    sensor.traits.never_rests = true;
    sensor.traits.origin = origin_of(file);
    sensor.source = std::make_unique<Hwmon>(file, volts);
    return sensor;
}

MeterAvailability look_for_hwmon()
{
    std::vector<std::string> arguments;
    for (const auto &name : names_in(folder_of_all()))
        for (const auto &sensor : sensors_in(folder_of_all() + "/" + name))
            arguments.push_back(text(name, "/", sensor));
    const auto found = try_to_open_all(open_hwmon, arguments);
    std::string works, dead, failure;
    auto status = Status::unsupported;
    for (std::size_t k = 0; k < arguments.size(); ++k) {
        const bool is_working = found[k].status == Status::success;
        if (!is_working && (status == Status::unsupported || !found[k].is_dead)) status = found[k].status;
        if (!is_working && !found[k].is_dead) {
            if (failure.empty()) failure = found[k].text;
            continue;
        }
        auto &list = is_working ? works : dead;
        const auto label = rail_of(text(folder_of_all(), "/", arguments[k]));
        list += text(list.empty() ? "" : ", ", "hwmon:", arguments[k], label.empty() ? "" : text(" (", label, ")"));
    }
    if (!dead.empty()) dead += " did not move: a sleeping device?";
    std::string all;
    for (const auto &part : {works, dead, failure})
        if (!part.empty()) all += text(all.empty() ? "" : "; ", part);
    if (!all.empty()) return {works.empty() ? status : Status::success, all};
    return {Status::unsupported, text("there is no sensor of power or energy in ", in_quotes(folder_of_all()),
                                      "; the board may have one whose driver is not loaded: sensors-detect finds it")};
}

} // namespace hpart
