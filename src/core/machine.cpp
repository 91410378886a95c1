#include "core/machine.hpp"

#include "core/clock.hpp"
#include "core/error.hpp"
#include "core/file.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

namespace hpart
{

namespace
{

// More than any number of the kernel's has digits.
constexpr std::size_t longest_text = 4096;
// In a tree that is played by a program a file may be empty while it is written anew.
constexpr int tries_for_empty = 200;
constexpr auto pause_for_empty = std::chrono::milliseconds(1);

Status status_of(int error)
{
    if (error == EACCES || error == EPERM) return Status::permission;
    return error == ENOENT || error == ENOTDIR || error == ENODEV || error == ENXIO ? Status::unsupported : Status::io;
}

SysfsText failure_of(int error)
{
    return {status_of(error), std::generic_category().message(error), error == EBUSY || error == EAGAIN};
}

SysfsText read_once(const std::string &path)
{
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (file.get() < 0) return failure_of(errno);
    std::array<char, longest_text> buffer{};
    const auto length = ::read(file.get(), buffer.data(), buffer.size());
    // The user may read the file: its driver refuses.
    if (length < 0 && errno == EPERM)
        return {Status::io,
                text(std::generic_category().message(EPERM),
                     " by its driver, as of a device that sleeps: give the device work first"),
                false};
    if (length < 0) return failure_of(errno);
    const std::string_view content(buffer.data(), static_cast<std::size_t>(length));
    return {Status::success, std::string(trim(content.substr(0, content.find('\n')))), false};
}

} // namespace

std::string machine_root()
{
    const auto *const root = std::getenv("HPART_MACHINE_ROOT");
    if (root == nullptr || *root == 0 || std::string_view(root) == "/") return "";
    std::error_code error;
    if (!std::filesystem::is_directory(root, error))
        fail(Status::io, "HPART_MACHINE_ROOT is ", in_quotes(root),
             ", which is no folder; it must be the folder with the machine's proc and sys");
    return root;
}

std::string proc_root() { return machine_root() + "/proc"; }

std::string sysfs_root() { return machine_root() + "/sys"; }

std::optional<std::int64_t> sum_in_file(const std::string &path, std::initializer_list<std::string_view> words)
{
    std::optional<std::int64_t> sum;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);)
        for (const auto word : words) {
            if (!line.starts_with(word) || line.find_first_of(" \t") != word.size()) continue;
            const auto number = trim(std::string_view(line).substr(word.size()));
            if (const auto value = parse_int(number.substr(0, number.find(' ')))) sum = sum.value_or(0) + *value;
        }
    return sum;
}

double swapped_pages(const std::string &proc_root)
{
    return static_cast<double>(sum_in_file(proc_root + "/vmstat", {"pswpin", "pswpout"}).value_or(0));
}

SysfsText read_sysfs(const std::string &path)
{
    auto found = read_once(path);
    for (int k = 1; k < tries_for_empty && found.status == Status::success && found.text.empty(); ++k) {
        Clock::sleep_for(pause_for_empty);
        found = read_once(path);
    }
    return found;
}

std::int64_t read_sysfs_number(const std::string &path, std::string_view remedy, Status otherwise)
{
    const auto found = read_sysfs(path);
    if (found.status == Status::permission)
        fail(Status::permission, "cannot read ", in_quotes(path), ": ", found.text, "; ", remedy);
    if (found.is_busy) throw BusyError(otherwise, text("cannot read ", in_quotes(path), ": ", found.text));
    if (found.status != Status::success) fail(otherwise, "cannot read ", in_quotes(path), ": ", found.text);
    const auto value = parse_int(found.text);
    if (!value) fail(otherwise, in_quotes(path), " has ", in_quotes(found.text), "; it must be a whole number");
    return *value;
}

namespace
{

// Systems link "cpu" to the folder of "cpu,cpuacct", in whichever order they mount it.
std::string folder_of(const std::string &root, const std::string &controllers, std::string_view controller)
{
    const auto comma = controllers.find(',');
    const auto turned = comma == std::string::npos
                            ? controllers
                            : text(controllers.substr(comma + 1), ",", controllers.substr(0, comma));
    std::error_code error;
    for (const auto &name : {std::string(controller), controllers, turned})
        if (auto folder = text(root, "/", name); std::filesystem::exists(folder, error)) return folder;
    return text(root, "/", controllers);
}

std::optional<std::int64_t> number_in_file(const std::string &path)
{
    const auto found = read_sysfs(path);
    return found.status == Status::success ? parse_int(found.text) : std::nullopt;
}

// The pages of files in a group's memory, which the system takes back when it needs them.
std::int64_t page_cache(const std::string &folder, bool is_version_1)
{
    const auto path = folder + "/memory.stat";
    return (is_version_1 ? sum_in_file(path, {"total_inactive_file", "total_active_file"})
                         : sum_in_file(path, {"inactive_file", "active_file"}))
        .value_or(0);
}

} // namespace

std::vector<std::string> control_groups(std::string_view controller, const std::string &proc_root)
{
    std::vector<std::string> folders;
    std::ifstream groups(proc_root + "/self/cgroup");
    // "4:cpu,cpuacct:/a/b", version 2 "0::/a/b"
    for (std::string line; std::getline(groups, line);) {
        const auto first = line.find(':'), second = line.find(':', first + 1);
        if (first == std::string::npos || second == std::string::npos) continue;
        const auto controllers = line.substr(first + 1, second - first - 1);
        auto group = line.substr(second + 1), root = sysfs_root() + "/fs/cgroup";
        if (!controllers.empty()) {
            if (("," + controllers + ",").find(text(",", controller, ",")) == std::string::npos) continue;
            root = folder_of(root, controllers, controller);
        }
        // A container may not see its own group's name: its root is the group.
        for (;; group.resize(group.rfind('/'))) {
            if (group == "/") group.clear();
            folders.push_back(root + group);
            if (group.find('/') == std::string::npos) break;
        }
    }
    return folders;
}

std::int64_t group_memory_left(const std::string &proc_root)
{
    auto left = std::numeric_limits<std::int64_t>::max();
    for (const auto &folder : control_groups("memory", proc_root)) {
        auto limit = number_in_file(folder + "/memory.max"), used = number_in_file(folder + "/memory.current");
        const bool is_version_1 = !used;
        if (is_version_1) {
            limit = number_in_file(folder + "/memory.limit_in_bytes");
            used = number_in_file(folder + "/memory.usage_in_bytes");
        }
        if (!limit || !used) continue; // "max"
        left = std::min(left, std::max<std::int64_t>(
                                  *limit - std::max<std::int64_t>(*used - page_cache(folder, is_version_1), 0), 0));
    }
    return left;
}

std::string processor_model()
{
    std::string content;
    try {
        content = read_file(proc_root() + "/cpuinfo");
    } catch (const Error &) {
        return {}; // a container may hide it
    }
    for (const std::string_view key : {"\nmodel name", "\ncpu model", "\nModel", "\ncpu\t"}) {
        const auto at = ("\n" + content).find(key);
        if (at == std::string::npos) continue;
        const auto line = std::string_view(content).substr(at, content.find('\n', at) - at);
        if (const auto colon = line.find(':'); colon != std::string_view::npos)
            return printable(trim(line.substr(colon + 1)), ' ');
    }
    return {};
}

namespace
{

constexpr std::string_view part_separator = ", ", units_end = " compute units", bytes_end = " bytes",
                           indivisible = "indivisible", with_double = "double precision",
                           without_double = "no double precision", bus_begin = "bus ";

} // namespace

std::string describe(const DeviceDescription &device)
{
    const auto field = [](std::string_view begin, std::string_view value) {
        return value.empty() ? std::string() : text(part_separator, begin, value);
    };
    const bool is_whole = device.type == "CPU" && !device.is_divisible;
    return text(device.spec, " ", device.name, part_separator, device.compute_units, units_end, part_separator,
                device.memory_bytes, bytes_end, part_separator, device.type, field("", is_whole ? indivisible : ""),
                part_separator, device.double_precision ? with_double : without_double, field("", device.driver),
                field(bus_begin, device.bus));
}

// A name may have commas: the fields begin with the compute units.
std::optional<DeviceDescription> parse_device(std::string_view description)
{
    std::vector<std::string_view> fields;
    DeviceDescription device;
    for (auto rest = description; !rest.empty();) {
        const auto field = rest.substr(0, rest.find(part_separator));
        if (fields.empty() && field.ends_with(units_end) && rest.data() > description.data())
            device.name = description.substr(0, static_cast<std::size_t>(rest.data() - description.data()) -
                                                    part_separator.size());
        if (!device.name.empty()) fields.push_back(field);
        rest.remove_prefix(std::min(field.size() + part_separator.size(), rest.size()));
    }
    if (fields.size() < 4 || !fields[1].ends_with(bytes_end)) return std::nullopt;
    const auto number = [](std::string_view field, std::string_view end) {
        return parse_int(field.substr(0, field.size() - end.size())).value_or(0);
    };
    device.compute_units = number(fields[0], units_end);
    device.memory_bytes = number(fields[1], bytes_end);
    device.type = fields[2];
    device.is_divisible = fields[3] != indivisible;
    const std::size_t precision = device.is_divisible ? 3 : 4;
    if (precision == fields.size()) return std::nullopt;
    device.double_precision = fields[precision] == with_double;
    for (auto k = precision + 1; k < fields.size(); ++k)
        if (fields[k].starts_with(bus_begin))
            device.bus = fields[k].substr(bus_begin.size());
        else if (device.driver.empty())
            device.driver = fields[k];
    return device;
}

bool is_pocl(std::string_view driver)
{
    return driver.find("PoCL") != std::string_view::npos || driver.find("pocl") != std::string_view::npos;
}

namespace
{

double ticks_per_second() { return static_cast<double>(::sysconf(_SC_CLK_TCK)); }

// Calls take(word) for each of them.
template <typename Take> void for_each_word(std::string_view line, const Take &take)
{
    constexpr std::string_view blanks = " \n";
    for (auto begin = line.find_first_not_of(blanks); begin != std::string_view::npos;
         begin = line.find_first_not_of(blanks)) {
        line.remove_prefix(begin);
        const auto word = line.substr(0, line.find_first_of(blanks));
        take(word);
        line.remove_prefix(word.size());
    }
}

double family_seconds(const std::string &folder)
{
    const auto times = parse_process_times(content_of_file(folder + "/stat"));
    return times ? times->seconds + times->of_children : 0;
}

bool may_run_on(const std::vector<int> &cores, const std::string &thread)
{
    const auto allowed = allowed_cores(content_of_file(thread + "/status"));
    return allowed.empty() || std::any_of(allowed.begin(), allowed.end(), [&](int core) {
               return std::find(cores.begin(), cores.end(), core) != cores.end();
           });
}

double seconds_of_family(const std::string &folder, const std::string &proc_root, const std::vector<int> &cores)
{
    auto seconds = family_seconds(folder);
    for (const auto &name : names_in(folder + "/task")) {
        const auto thread = text(folder, "/task/", name);
        if (!cores.empty() && !may_run_on(cores, thread)) seconds -= family_seconds(thread);
        for_each_word(content_of_file(thread + "/children"), [&](std::string_view child) {
            seconds += seconds_of_family(text(proc_root, "/", child), proc_root, cores);
        });
    }
    return seconds;
}

} // namespace

std::optional<ProcessTimes> parse_process_times(std::string_view stat)
{
    constexpr int user = 11, system = 12, last = 14; // behind the name; then the two of the children
    const auto begin = stat.find('('), end = stat.rfind(')');
    if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) return std::nullopt;
    ProcessTimes out{std::string(stat.substr(begin + 1, end - begin - 1))};
    int field = 0;
    for_each_word(stat.substr(end + 1), [&](std::string_view word) {
        const auto at = field++;
        if (at >= user && at <= last)
            (at <= system ? out.seconds : out.of_children) +=
                static_cast<double>(parse_int(word).value_or(0)) / ticks_per_second();
    });
    return field > system ? std::optional(out) : std::nullopt;
}

CoreTimes parse_core_times(std::string_view stat, const std::vector<int> &cores)
{
    // cpu3 user nice system idle iowait irq softirq steal guest guest_nice; guests' time is in user's.
    constexpr std::size_t idle = 3, iowait = 4, steal = 7, fields = 8;
    constexpr std::string_view prefix = "cpu";
    const auto ticks = ticks_per_second();
    CoreTimes out;
    for (; stat.starts_with(prefix); stat.remove_prefix(std::min(stat.find('\n'), stat.size() - 1) + 1)) {
        auto line = stat.substr(prefix.size(), stat.find('\n') - prefix.size());
        const auto core = parse_int(line.substr(0, line.find(' ')));
        if (core && !cores.empty() && std::find(cores.begin(), cores.end(), *core) == cores.end()) continue;
        if (core) ++out.cores;
        // The first line is the sum over all cores, rounded once. It has two blanks.
        if (core.has_value() == cores.empty()) continue;
        if (line.starts_with("  ")) line.remove_prefix(1);
        for (std::size_t field = 0; field < fields; ++field) {
            const auto blank = line.find(' ');
            if (blank == std::string_view::npos) break;
            line.remove_prefix(blank + 1);
            const double seconds = static_cast<double>(parse_int(line.substr(0, line.find(' '))).value_or(0)) / ticks;
            if (field == steal)
                out.stolen += seconds;
            else
                (field == idle || field == iowait ? out.idle : out.busy) += seconds;
        }
    }
    return out;
}

CoreTimes core_times(const std::string &proc_root, const std::vector<int> &cores)
{
    return parse_core_times(content_of_file(proc_root + "/stat"), cores);
}

double own_core_seconds(const std::string &proc_root, const std::vector<int> &cores)
{
    return seconds_of_family(proc_root + "/self", proc_root, cores);
}

std::vector<int> allowed_cores(std::string_view status)
{
    constexpr std::string_view key = "Cpus_allowed_list:\t";
    const auto begin = status.find(key);
    if (begin == std::string_view::npos) return {};
    auto list = status.substr(begin + key.size());
    list = list.substr(0, list.find('\n'));
    std::vector<int> cores;
    for (; !list.empty(); list.remove_prefix(std::min(list.find(','), list.size() - 1) + 1)) {
        const auto range = list.substr(0, list.find(','));
        const auto dash = range.find('-');
        const auto first = parse_int(range.substr(0, dash));
        const auto last = dash == std::string_view::npos ? first : parse_int(range.substr(dash + 1));
        for (auto core = first.value_or(0); first && core <= last.value_or(-1); ++core)
            cores.push_back(static_cast<int>(core));
    }
    return cores;
}

ThreadSchedule parse_schedule(std::string_view schedstat)
{
    constexpr double nanosecond = 1e-9;
    const auto blank = schedstat.find(' ');
    if (blank == std::string_view::npos) return {};
    const auto rest = schedstat.substr(blank + 1);
    const auto seconds = [](std::string_view number) {
        return static_cast<double>(parse_int(number).value_or(0)) * nanosecond;
    };
    return {seconds(schedstat.substr(0, blank)), seconds(rest.substr(0, rest.find(' ')))};
}

FamilyWaits::FamilyWaits(pid_t process, std::string proc_root) : process_(process), proc_root_(std::move(proc_root)) {}

template <typename Take> void FamilyWaits::for_each_thread(pid_t process, const Take &take) const
{
    const auto tasks = text(proc_root_, "/", process, "/task");
    for (const auto &name : names_in(tasks)) {
        const auto thread = text(tasks, "/", name);
        take(static_cast<pid_t>(parse_int(name).value_or(0)),
             parse_schedule(content_of_file(thread + "/schedstat")).waited);
        for_each_word(content_of_file(thread + "/children"), [&](std::string_view child) {
            for_each_thread(static_cast<pid_t>(parse_int(child).value_or(0)), take);
        });
    }
}

void FamilyWaits::begin()
{
    before_.clear();
    seconds_ = 0;
    for_each_thread(process_, [&](pid_t thread, double waited) { before_[thread] = waited; });
}

void FamilyWaits::look()
{
    for_each_thread(process_, [&](pid_t thread, double waited) {
        const auto before = before_.find(thread);
        seconds_ = std::max(seconds_, before == before_.end() ? waited : waited - before->second);
    });
}

} // namespace hpart
