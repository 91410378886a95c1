#include "out_of_card/devices/registry.hpp"

#include "core/error.hpp"
#include "core/progress.hpp"
#include "core/text.hpp"
#include "host/page_memory.hpp"
#include "out_of_card/devices/cuda_device.hpp"
#include "out_of_card/devices/host_device.hpp"
#include "out_of_card/devices/opencl_list.hpp"

#ifdef HPART_HAVE_OPENCL
#include "out_of_card/devices/opencl_backend.hpp"
#endif

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <cstring>
#include <iterator>
#include <limits>
#include <optional>
#include <utility>

#include <unistd.h>

namespace hpart
{

namespace
{

// Bytes of a copy: far above what caches near the cores hold, and so long that a thread's waking is a small part of it.
constexpr std::int64_t most_bytes = std::int64_t{1} << 25, most_bytes_on_cores = std::int64_t{1} << 23;
constexpr std::int64_t first_bytes = std::int64_t{1} << 18, most_bytes_of_short_rows = std::int64_t{1} << 21;
constexpr double longest_copy_seconds = 2e-3; // some 50 copies are made
constexpr double budget_seconds = 0.15;       // then each of the rest is made once
constexpr int runs = 4;                       // the best of them counts
constexpr int copies_in_flight = 16;
constexpr std::int64_t typical_row_bytes = 4096;         // of a panel in the midst of a matrix
constexpr std::int64_t short_rows[] = {256, 1024, 4096}; // where some drivers send one row at a time
constexpr double least_row_seconds = 1e-12;              // none that can be measured
// Copies on the host's cores begin elsewhere each time in so much memory: matrices are not in the caches either.
constexpr std::int64_t far_bytes = std::int64_t{1} << 26;

// Memory of the host as the engine copies it: pinned where that is to be had.
class HostMemory
{
  public:
    HostMemory(Device &device, std::int64_t bytes)
    {
        try {
            if (!device.info().on_host_cores) pinned_ = device.allocate_pinned(bytes);
        } catch (const Error &error) {
            if (error.status() != Status::out_of_memory) throw;
        }
        if (!pinned_) pages_ = allocate_pages(bytes);
        std::memset(data(), 0, static_cast<std::size_t>(bytes)); // the system gives memory when it is written
    }
    std::byte *data() const { return static_cast<std::byte *>(pinned_ ? pinned_->data() : pages_.get()); }

  private:
    std::unique_ptr<PinnedMemory> pinned_;
    PageMemory pages_;
};

// Rectangles on the host, packed on the device.
struct Shape {
    Rectangle rectangle;
    std::int64_t host_pitch = 0;
};

// Every other row of a matrix.
Shape rows_of(std::int64_t row_bytes, std::int64_t bytes)
{
    row_bytes = std::clamp<std::int64_t>(bytes, 1, row_bytes);
    return {{std::max<std::int64_t>(1, bytes / row_bytes), row_bytes}, 2 * row_bytes};
}

class Trial
{
  public:
    // bytes: of the largest copy. host_bytes: of the host's memory, if copies are to begin elsewhere each time.
    Trial(DeviceSession &session, std::int64_t bytes, std::int64_t host_bytes)
        : device_(session.device()), buffer_in_(session.allocate(bytes)), buffer_out_(session.allocate(bytes)),
          place_bytes_(2 * bytes),
          places_(device_.info().on_host_cores ? std::max<std::int64_t>(2, host_bytes / place_bytes_) : 2),
          host_(device_, places_ * place_bytes_), in_(device_.make_queue()), out_(device_.make_queue()),
          begin_(Clock::now())
    {
        copy_once(rows_of(typical_row_bytes, bytes), true, true); // all memory is touched
    }

    // Time of one copy each way asked for.
    double seconds(const Shape &shape, bool in, bool out)
    {
        double least = copy_once(shape, in, out);
        for (int run = 1; run < runs && seconds_since(begin_) < budget_seconds; ++run)
            least = std::min(least, copy_once(shape, in, out));
        return std::max(least, clock_tick_seconds);
    }

    // Time of a copy of hardly any bytes, among many in the queue.
    double copy_seconds()
    {
        auto least = std::numeric_limits<double>::infinity();
        for (int run = 0; run < runs; ++run) {
            const auto start = Clock::now();
            std::array<Event, copies_in_flight> copies;
            for (auto &copy : copies) {
                copy = write({{1, 1}, 1});
                device_.flush(*in_);
            }
            for (const auto &copy : copies) wait_for(copy);
            least = std::min(least, seconds_since(start) / copies_in_flight);
        }
        return least;
    }

  private:
    double copy_once(const Shape &shape, bool in, bool out)
    {
        const auto start = Clock::now();
        Event written, read;
        if (in) written = write(shape);
        if (out)
            read = device_.read(*out_, {buffer_out_.get(), 0, shape.rectangle.row_bytes}, next_place(),
                                shape.host_pitch, shape.rectangle, {});
        if (in) device_.flush(*in_);
        if (out) device_.flush(*out_);
        wait_for(written);
        wait_for(read);
        return seconds_since(start);
    }

    Event write(const Shape &shape)
    {
        return device_.write(*in_, {buffer_in_.get(), 0, shape.rectangle.row_bytes}, next_place(), shape.host_pitch,
                             shape.rectangle, {});
    }

    std::byte *next_place()
    {
        place_ = (place_ + 1) % places_;
        return host_.data() + place_ * place_bytes_;
    }

    void wait_for(const Event &event) const
    {
        if (event && event->wait() == EventState::failed)
            fail(Status::device, "a copy on ", device_.info().spec, " failed: ", event->failure());
    }

    Device &device_;
    SessionBuffer buffer_in_, buffer_out_;
    std::int64_t place_bytes_, places_, place_ = 0;
    HostMemory host_;
    std::unique_ptr<DeviceQueue> in_, out_; // go before what their commands use
    Clock::time_point begin_;
};

// Both ways: the slower one counts.
double seconds_per_byte(Trial &trial, const Shape &shape)
{
    const auto bytes = static_cast<double>(shape.rectangle.bytes());
    return std::max(trial.seconds(shape, true, false), trial.seconds(shape, false, true)) / bytes;
}

// Time of a row besides the time of its bytes: rectangles of short rows take longer than one row of as many bytes. The shortest
// have most rows, and count most.
double seconds_of_a_row(Trial &trial, std::int64_t bytes)
{
    const auto packed = seconds_per_byte(trial, {{1, bytes}, bytes});
    double more = 0, rows = 0;
    for (const auto row_bytes : short_rows) {
        const auto shape = rows_of(row_bytes, bytes);
        more += (seconds_per_byte(trial, shape) - packed) * static_cast<double>(shape.rectangle.bytes());
        rows += static_cast<double>(shape.rectangle.rows);
    }
    return std::max(more / rows, least_row_seconds);
}

// As many as a copy of a time that is easily measured has.
std::int64_t bytes_to_measure_with(Trial &trial, std::int64_t room)
{
    const auto bytes = std::min(room, first_bytes);
    const auto seconds = trial.seconds(rows_of(typical_row_bytes, bytes), true, false);
    const auto wanted = static_cast<double>(bytes) * longest_copy_seconds / seconds;
    return std::clamp(static_cast<std::int64_t>(std::min(wanted, static_cast<double>(most_bytes))), bytes, room);
}

// Each row of a large matrix is in pages of its own, and the link looks up their addresses. A trial's arrays are too small to show
// it: this is an H200's and an H100's for rows of 4 kB (docs/background/performance.md).
constexpr double far_row_seconds = 5e-8;

LinkRates measure(DeviceSession &session, std::int64_t room, std::int64_t host_bytes)
{
    Trial trial(session, room, host_bytes);
    const auto bytes = bytes_to_measure_with(trial, room);
    LinkRates rates;
    rates.copy_seconds = trial.copy_seconds();
    const auto shape = rows_of(typical_row_bytes, bytes);
    const auto rate = [&](bool in, bool out) {
        const auto total = static_cast<double>(shape.rectangle.bytes()) * ((in ? 1 : 0) + (out ? 1 : 0));
        const auto seconds = trial.seconds(shape, in, out);
        return total / std::max(seconds - rates.copy_seconds, seconds / 2);
    };
    rates.in_bytes_per_second = rate(true, false);
    rates.out_bytes_per_second = rate(false, true);
    rates.both_bytes_per_second = rate(true, true);
    rates.row_seconds = seconds_of_a_row(trial, std::min(bytes, most_bytes_of_short_rows));
    if (!session.info().on_host_cores && !session.info().shares_host_memory)
        rates.row_seconds = std::max(rates.row_seconds, far_row_seconds);
    rates.shared_units = session.shared_units();
    return rates;
}

LinkRates measure_within_memory(DeviceSession &session)
{
    constexpr std::int64_t buffers = 2;
    const auto granule = session.info().granule_bytes;
    const auto free =
        std::min(session.info().largest_buffer_bytes, (session.memory_limit() - session.used()) / buffers);
    const auto most = session.info().on_host_cores ? most_bytes_on_cores : most_bytes;
    auto room = std::clamp(free / granule * granule, granule, most);
    for (auto host_bytes = far_bytes;; host_bytes /= 2) {
        try {
            return measure(session, room, host_bytes);
        } catch (const Error &error) { // device or host has less than was thought: libraries and others take of it, too
            if (error.status() != Status::out_of_memory || (room == granule && host_bytes == 0)) throw;
            room = std::max(room / 2 / granule * granule, granule);
        }
    }
}

} // namespace

LinkRates measured_link(DeviceSession &session)
{
    return *session.kept_rate<const LinkRates>(
        name_of_link_rates, [&] { return std::make_shared<const LinkRates>(measure_within_memory(session)); });
}

namespace
{

// One line a backend. The specification of its devices is its prefix, or begins with the prefix and a colon.
struct BackendEntry {
    std::string_view prefix;
    std::string_view specs; // for messages
    std::shared_ptr<Device> (*open)(std::string_view spec);
    std::vector<ListedDevice> (*list)();
};

std::shared_ptr<Device> open_host(std::string_view spec)
{
    if (spec != "host") fail_argument("device ", in_quotes(spec), " is unknown; the host is named host");
    return make_host_device();
}

std::vector<ListedDevice> list_host()
{
    const auto device = make_host_device();
    const auto &info = device->info();
    return {{info.spec, describe({.spec = info.spec,
                                  .name = "this machine's cores",
                                  .type = "host",
                                  .compute_units = info.compute_units,
                                  .memory_bytes = info.memory_bytes})}};
}

std::shared_ptr<Device> open_opencl(std::string_view spec)
{
#ifdef HPART_HAVE_OPENCL
    return make_opencl_device(spec);
#else
    fail(Status::unsupported, "device ", in_quotes(spec), " cannot be opened: this build has no OpenCL");
#endif
}

std::vector<ListedDevice> list_opencl()
{
    std::vector<ListedDevice> out;
    std::string on_cores; // the first processor
    for (const auto &device : list_opencl_devices()) {
        auto description = describe(device);
        // Drivers count the machine's cores, whatever a batch system left.
        if (const auto usable = usable_cores().size();
            device.type == "CPU" && std::cmp_less(usable, device.compute_units))
            description += text(", ", pluralise(usable, "usable core"));
        if (device.type == "CPU" && !on_cores.empty()) description += text(", the same cores as ", on_cores);
        if (device.type == "CPU" && on_cores.empty()) on_cores = device.spec;
        out.push_back({device.spec, std::move(description)});
    }
    return out;
}

std::shared_ptr<Device> open_cuda(std::string_view spec)
{
    constexpr std::string_view prefix = "cuda:";
    const auto number = parse_int(spec.substr(std::min(prefix.size(), spec.size())));
    if (!number || *number < 0 || text(prefix, *number) != spec)
        fail_argument(in_quotes(spec), " names no CUDA device; it must be cuda:N, as cuda:0");
    return make_cuda_device(*number);
}

std::vector<ListedDevice> list_cuda()
{
    std::vector<ListedDevice> out;
    for (const auto &info : list_cuda_devices())
        out.push_back({info.spec, describe({.spec = info.spec,
                                            .name = info.name,
                                            .type = "GPU",
                                            .driver = info.driver,
                                            .bus = info.bus,
                                            .compute_units = info.compute_units,
                                            .memory_bytes = info.memory_bytes})});
    return out;
}

constexpr BackendEntry backends[] = {
    {"host", "host", open_host, list_host},
    {"opencl", "opencl:P:D, opencl:P:D:S", open_opencl, list_opencl},
    {"cuda", "cuda:N", open_cuda, list_cuda},
};

} // namespace

void each_accelerator(void (*take)(void *user, const char *spec), void *user)
{
    std::vector<std::string> buses;
    for (const auto &info : list_cuda_devices()) {
        take(user, info.spec.c_str());
        buses.push_back(info.bus);
    }
    for (const auto &info : list_opencl_devices()) {
        const bool is_known = !info.bus.empty() && std::find(buses.begin(), buses.end(), info.bus) != buses.end();
        if (info.type == "CPU" || is_known || (info.bus.empty() && !buses.empty())) continue;
        take(user, info.spec.c_str());
        buses.push_back(info.bus);
    }
}

namespace
{

// Drivers that one process has used do not work in its forks.
void refuse_in_fork(std::string_view spec)
{
    static const pid_t first = getpid();
    if (getpid() != first)
        fail(Status::device, spec,
             " cannot be opened: this process was forked from one that had opened a device; start a new process "
             "instead");
}

std::shared_ptr<Device> open_device(std::string_view spec)
{
    std::string known;
    for (const auto &backend : backends) {
        if (spec.substr(0, spec.find(':')) == backend.prefix) {
            if (backend.open != open_host) refuse_in_fork(spec);
            return backend.open(spec);
        }
        known += text(known.empty() ? "" : ", ", backend.specs);
    }
    fail_argument("device ", in_quotes(spec), " is unknown; devices are ", known,
                  "; hpart info lists those of this machine");
}

bool is_unit(std::string_view spec) { return std::ranges::count(spec, ':') == 3; }

// Each has a thread of its own.
bool are_units_of_one(std::string_view one, std::string_view other)
{
    return is_unit(one) && is_unit(other) && one.substr(0, one.rfind(':')) == other.substr(0, other.rfind(':'));
}

// One processor of this machine may be a device of several platforms, and its units are parts of it.
void refuse_shared_cores(const DeviceInfo &one, const DeviceInfo &other)
{
    const auto is_on_cores = [](const DeviceInfo &info) {
        return info.on_host_cores && info.backend == Backend::opencl;
    };
    if (!is_on_cores(one) || !is_on_cores(other) || are_units_of_one(one.spec, other.spec)) return;
    CoreList shared;
    std::ranges::set_intersection(cores_of(one), cores_of(other), std::back_inserter(shared));
    if (shared.empty()) return;
    fail_argument("devices ", in_quotes(one.spec), " and ", in_quotes(other.spec), " share core",
                  shared.size() > 1 ? "s " : " ", format_cores(shared),
                  ", where each takes time from the other; open one of them alone");
}

// "cuda:0", "opencl:1": a device and its units have one platform.
std::string_view platform_of(std::string_view spec)
{
    const auto colon = spec.find(':');
    return spec.substr(0, spec.find(':', colon == std::string_view::npos ? colon : colon + 1));
}

void refuse_one_gpu(const DeviceInfo &one, const DeviceInfo &other)
{
    const auto is_same = [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); };
    const bool is_same_bus = !one.bus.empty() && std::ranges::equal(one.bus, other.bus, is_same);
    if (!is_same_bus || platform_of(one.spec) == platform_of(other.spec)) return;
    fail_argument("devices ", in_quotes(one.spec), " and ", in_quotes(other.spec), " are one GPU, on bus ", one.bus,
                  "; open one of them alone");
}

std::optional<std::int64_t> memory_limit_of(const Options &options)
{
    return options.is_set("memory_limit") ? options.find_int("memory_limit") : std::nullopt;
}

} // namespace

CoreList cores_of(const DeviceInfo &info)
{
    if (!has_bound_units(info)) return usable_cores();
    const std::string_view spec = info.spec;
    const auto unit = is_unit(spec) ? parse_int(spec.substr(spec.rfind(':') + 1)).value_or(0) : std::int64_t{0};
    CoreList cores;
    for (auto core = unit; core < unit + info.compute_units; ++core) cores.push_back(static_cast<int>(core));
    return cores;
}

bool has_bound_units(const DeviceInfo &info)
{
    const char *affinity = std::getenv("POCL_AFFINITY");
    return is_pocl(info.driver) && affinity != nullptr && std::string_view(affinity) == "1";
}

DeviceGroup open_devices(std::string_view spec, const Options &options)
{
    std::vector<std::string_view> specs;
    for (auto rest = spec;;) {
        const auto comma = rest.find(',');
        const auto one = trim(rest.substr(0, comma));
        if (one.empty())
            fail_argument("devices are ", in_quotes(spec), "; they must be one or several, as opencl:0:0,host");
        if (std::find(specs.begin(), specs.end(), one) != specs.end())
            fail_argument("devices are ", in_quotes(spec), ", where ", in_quotes(one), " stands twice");
        specs.push_back(one);
        if (comma == std::string_view::npos) break;
        rest.remove_prefix(comma + 1);
    }
    DeviceGroup devices;
    for (const auto one : specs)
        devices.sessions.push_back(std::make_shared<DeviceSession>(open_device(one), memory_limit_of(options)));
    refuse_shared_hardware(devices);
    return devices;
}

void refuse_shared_hardware(const DeviceGroup &devices)
{
    for (std::size_t second = 0; second < devices.sessions.size(); ++second)
        for (std::size_t first = 0; first < second; ++first) {
            const auto &one = devices.sessions[first]->info(), &other = devices.sessions[second]->info();
            refuse_shared_cores(one, other);
            refuse_one_gpu(one, other);
        }
}

double DeviceGroup::setup_seconds() const
{
    double sum = -shared_setup_seconds;
    for (const auto &session : sessions) sum += session->setup_seconds();
    return sum;
}

std::vector<std::unique_lock<DeviceLock>> DeviceGroup::lock_all() const
{
    std::vector<DeviceSession *> ordered;
    for (const auto &session : sessions) ordered.push_back(session.get());
    std::sort(ordered.begin(), ordered.end(), std::less<>());
    std::vector<std::unique_lock<DeviceLock>> locks;
    for (auto *const session : ordered) locks.emplace_back(session->in_use());
    return locks;
}

std::vector<ListedDevice> list_devices()
{
    std::vector<ListedDevice> out;
    for (const auto &backend : backends) {
        auto devices = backend.list();
        std::move(devices.begin(), devices.end(), std::back_inserter(out));
    }
    return out;
}

} // namespace hpart
