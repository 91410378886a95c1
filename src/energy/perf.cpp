
#include "core/error.hpp"
#include "core/machine.hpp"
#include "energy/backends.hpp"
#include "energy/sensor.hpp"

#include <cerrno>
#include <cmath>
#include <optional>
#include <system_error>

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace hpart
{

namespace
{

constexpr double perf_interval = 0.001;
constexpr std::int64_t most_cores = 65536;
constexpr auto paranoid_file = "/proc/sys/kernel/perf_event_paranoid";

class SystemCalls final : public PerfCalls
{
  public:
    int open_event(std::uint32_t type, std::uint64_t config, int processor) override
    {
        perf_event_attr attributes{};
        attributes.size = sizeof attributes;
        attributes.type = type;
        attributes.config = config;
        constexpr int every_process = -1, no_group = -1;
        return static_cast<int>(
            ::syscall(SYS_perf_event_open, &attributes, every_process, processor, no_group, PERF_FLAG_FD_CLOEXEC));
    }
    bool read_count(int descriptor, std::uint64_t &count) override
    {
        return ::read(descriptor, &count, sizeof count) == static_cast<ssize_t>(sizeof count);
    }
    void close_event(int descriptor) noexcept override { ::close(descriptor); }
};

// An energy event of the power unit.
struct PerfEvent {
    std::string name; // "energy-pkg"
    std::uint64_t config;
    double joules_of_count;
};

struct PowerUnit {
    std::uint32_t type;
    std::vector<int> processors; // one per package
    std::vector<PerfEvent> events;
};

std::string text_of(const std::string &path)
{
    const auto found = read_sysfs(path);
    if (found.status != Status::success) fail(found.status, "cannot read ", in_quotes(path), ": ", found.text);
    return found.text;
}

[[noreturn]] void not_understood(const std::string &path, const std::string &content)
{
    fail(Status::unsupported, in_quotes(path), " has ", in_quotes(content), ", which is not understood");
}

// "0,24" or "0-1"
std::vector<int> processors_in(const std::string &path)
{
    const auto content = text_of(path);
    std::vector<int> processors;
    std::string_view rest = content;
    while (!rest.empty()) {
        const auto comma = rest.find(',');
        const auto item = rest.substr(0, comma);
        const auto dash = item.find('-');
        const auto first = parse_int(item.substr(0, dash));
        const auto last = dash == std::string_view::npos ? first : parse_int(item.substr(dash + 1));
        if (!first || !last || *first < 0 || *last < *first || *last >= most_cores) not_understood(path, content);
        for (auto k = *first; k <= *last; ++k) processors.push_back(static_cast<int>(k));
        rest.remove_prefix(comma == std::string_view::npos ? rest.size() : comma + 1);
    }
    if (processors.empty()) not_understood(path, content);
    return processors;
}

// "event=0x02"
std::uint64_t config_in(const std::string &path)
{
    constexpr std::string_view prefix = "event=0x";
    constexpr int hexadecimal = 16;
    const auto content = text_of(path);
    std::uint64_t config = 0;
    const auto *const end = content.data() + content.size();
    if (content.rfind(prefix, 0) != 0) not_understood(path, content);
    const auto result = std::from_chars(content.data() + prefix.size(), end, config, hexadecimal);
    if (result.ec != std::errc{} || result.ptr != end) not_understood(path, content);
    return config;
}

PerfEvent read_event(const std::string &folder, const std::string &name)
{
    const auto path = folder + "/events/" + name;
    const auto unit = text_of(path + ".unit"), scale = text_of(path + ".scale");
    const auto factor = parse_double(scale);
    if (unit != "Joules") not_understood(path + ".unit", unit);
    if (!factor || !std::isfinite(*factor) || *factor <= 0) not_understood(path + ".scale", scale);
    return {name, config_in(path), *factor};
}

bool has_event(const std::string &folder, const std::string &name)
{
    return read_sysfs(folder + "/events/" + name).status == Status::success;
}

// Packages and their memory, as for rapl: cores and graphics are inside a package, psys has all of them.
PowerUnit find_power_unit()
{
    const auto folder = sysfs_root() + "/bus/event_source/devices/power";
    const auto type = read_sysfs(folder + "/type");
    const auto number = type.status == Status::success ? parse_int(type.text) : std::nullopt;
    if (!number || *number < 0 || *number > std::numeric_limits<std::uint32_t>::max())
        fail(type.status == Status::permission ? type.status : Status::unsupported, "there are no energy counters in ",
             in_quotes(folder),
             ": the processor has none, it is a virtual machine's, or the kernel lacks the module rapl");
    PowerUnit unit{static_cast<std::uint32_t>(*number), processors_in(folder + "/cpumask"), {}};
    for (const auto *name : {"energy-pkg", "energy-ram"})
        if (has_event(folder, name)) unit.events.push_back(read_event(folder, name));
    if ((unit.events.empty() || unit.events.front().name != "energy-pkg") && has_event(folder, "energy-psys"))
        unit.events = {read_event(folder, "energy-psys")};
    if (unit.events.empty())
        fail(Status::unsupported, in_quotes(folder), " has none of the events energy-pkg, energy-ram and energy-psys");
    return unit;
}

// Nothing if the system does not say.
std::optional<std::int64_t> package_of(int processor)
{
    const auto found =
        read_sysfs(text(sysfs_root(), "/devices/system/cpu/cpu", processor, "/topology/physical_package_id"));
    return found.status == Status::success ? parse_int(found.text) : std::nullopt;
}

[[noreturn]] void fail_to_open(const PerfEvent &event, int processor, int error)
{
    const auto reason = std::generic_category().message(error);
    const auto what = text("cannot open the event ", event.name, " of processor ", processor, ": ", reason);
    const auto level = read_sysfs(paranoid_file);
    const auto number = level.status == Status::success ? parse_int(level.text) : std::nullopt;
    const bool is_refused = error == EACCES || error == EPERM;
    if (error == ENOSYS || (is_refused && ((number && *number <= 0) || ::geteuid() == 0)))
        fail(Status::permission, what,
             "; the system's settings allow it, so that a filter of system calls refuses it, as containers have one: "
             "run the container with --cap-add PERFMON, or with --security-opt seccomp=FILE that allows "
             "perf_event_open");
    if (is_refused) {
        fail(
            Status::permission, what, "; ", paranoid_file, " is ", level.text,
            " and must be 0 or less, as by sudo sysctl kernel.perf_event_paranoid=0, or the program needs CAP_PERFMON");
    }
    const bool is_absent = error == ENOENT || error == ENODEV || error == EOPNOTSUPP || error == EINVAL;
    fail(is_absent ? Status::unsupported : Status::device, what);
}

[[noreturn]] void fail_to_read(const std::string &name, int error)
{
    auto what = text("meter perf: ", name, " cannot be read any more: ", std::generic_category().message(error));
    if (error == EBUSY || error == EAGAIN) throw BusyError(Status::device, std::move(what));
    fail(Status::device, what);
}

class Perf final : public Source
{
  public:
    explicit Perf(std::shared_ptr<PerfCalls> calls) : calls_(std::move(calls)) {}
    Perf(const Perf &) = delete;
    Perf &operator=(const Perf &) = delete;
    ~Perf() override
    {
        for (const auto &counter : counters_) calls_->close_event(counter.descriptor);
    }

    void add(std::uint32_t type, const PerfEvent &event, int processor)
    {
        counters_.reserve(counters_.size() + 1);
        const int descriptor = calls_->open_event(type, event.config, processor);
        if (descriptor < 0) fail_to_open(event, processor, errno);
        counters_.push_back({descriptor, event.joules_of_count, event.name});
    }

    void remove(std::size_t k)
    {
        calls_->close_event(counters_[k].descriptor);
        counters_.erase(counters_.begin() + static_cast<std::ptrdiff_t>(k));
    }

    Reading read() override
    {
        const auto before = Clock::now();
        Reading reading;
        for (const auto &counter : counters_) {
            std::uint64_t count = 0;
            if (!calls_->read_count(counter.descriptor, count)) fail_to_read(counter.name, errno);
            reading.values.push_back(static_cast<double>(count) * counter.joules_of_count);
        }
        reading.seconds = middle_seconds(before, Clock::now());
        return reading;
    }

  private:
    struct Counter {
        int descriptor;
        double joules_of_count;
        std::string name;
    };
    std::shared_ptr<PerfCalls> calls_;
    std::vector<Counter> counters_;
};

} // namespace

Sensor open_perf_by(std::shared_ptr<PerfCalls> calls, const MeterSettings &settings)
{
    const auto unit = find_power_unit();
    auto source = std::make_unique<Perf>(std::move(calls));
    Sensor sensor;
    sensor.traits = {"perf", Quantity::joules, Method::counter, settings.interval.value_or(perf_interval), {}};
    sensor.traits.never_rests = true;
    for (const int processor : unit.processors) {
        for (const auto &event : unit.events) {
            source->add(unit.type, event, processor);
            // The kernel widens the counters to 64 bits.
            sensor.traits.channels.push_back(
                {text(event.name, " of processor ", processor, "'s package"), never_wraps});
        }
    }
    // A processor a die may show the package's one counter again.
    const auto events = unit.events.size();
    const auto mirrors = mirrored_counters(
        sensor.traits.channels.size(), [&] { return source->read().values; },
        [&](std::size_t k, std::size_t j) {
            const auto package = package_of(unit.processors[k / events]);
            return k % events == j % events && package && package == package_of(unit.processors[j / events]);
        });
    for (auto k = mirrors.size(); k-- > 0;) {
        if (mirrors[k] == k) continue;
        source->remove(k);
        sensor.traits.channels.erase(sensor.traits.channels.begin() + static_cast<std::ptrdiff_t>(k));
    }
    sensor.source = std::move(source);
    return sensor;
}

Sensor open_perf(const std::string & /*argument*/, const MeterSettings &settings)
{
    return open_perf_by(std::make_shared<SystemCalls>(), settings);
}

MeterAvailability look_for_perf() { return try_to_open(open_perf, ""); }

} // namespace hpart
