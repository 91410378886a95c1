#include "c_api/device.hpp"

#include "c_api/callback.hpp"
#include "c_api/handles.hpp"
#include "core/machine.hpp"
#include "energy/sensor.hpp"
#include "host/thread_group.hpp"
#include "out_of_card/devices/cuda_device.hpp"
#include "out_of_card/devices/opencl_list.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

using namespace hpart;
using namespace hpart::c_api;

namespace hpart::c_api
{

Options operation_options(const hpart_device &device, const hpart_options *options, Call call)
{
    auto set = options_for(options, call);
    // The devices have it since they were opened.
    constexpr const char *key = "memory_limit";
    if (set.is_set(key) && !set.agrees_with(device.defaults, key))
        fail_option(key, " is not the one that the device was opened with; it must be given when a device is opened");
    set.take_missing(device.defaults, call);
    set.unset(key);
    return set;
}

std::shared_ptr<Timeline> traced(Options &settings)
{
    const auto path = settings.get_text("trace_file");
    if (path.empty()) return nullptr;
    if (settings.get_int("dry_run") == 1)
        fail_argument(
            "options 'trace_file' and 'dry_run' are set, but a dry run has no commands; give only one of them");
    auto trace = std::make_shared<Timeline>(path);
    settings.set_timeline(trace);
    return trace;
}

void write_trace(Timeline &trace, const hpart_device &device, const Report &about)
{
    const auto *const method = about.find("method");
    const bool is_of_host = method != nullptr && Report::format(*method) == "host";
    if (trace.empty())
        trace.add(is_of_host ? "host" : device.devices.sessions.front()->info().spec, "all of the operation", 0,
                  trace.now());
    try {
        trace.write();
    } catch (const Error &error) {
        fail(error.status(), error.what(), "; the result is complete, only the trace is missing");
    }
}

} // namespace hpart::c_api

namespace
{

// All devices but the host.
std::vector<ListedDevice> accelerators()
{
    auto devices = list_devices();
    std::erase_if(devices, [](const ListedDevice &device) { return device.spec == "host"; });
    return devices;
}

// Memory that one CUDA device has pinned is pinned for all.
bool is_cuda(const DeviceSession &session) { return session.info().backend == Backend::cuda; }

// The device's pinned_mutex is held.
void forget_pinned(hpart_device &device, std::map<void *, PinnedEntry, std::less<>>::iterator entry)
{
    for (const auto &session : device.devices.sessions) session->pinned_ranges().remove(entry->first);
    device.pinned.erase(entry);
}

// Keeps an entry, whose memory `owner` has pinned. The device's pinned_mutex is held.
void keep_pinned(hpart_device &device, void *memory, PinnedEntry entry, const DeviceSession &owner)
{
    const auto bytes = entry.bytes;
    const bool is_pinned = entry.memory && entry.memory->is_pinned();
    device.pinned.emplace(memory, std::move(entry));
    try {
        for (const auto &session : device.devices.sessions)
            if (is_pinned && (session.get() == &owner || (is_cuda(*session) && is_cuda(owner))))
                session->pinned_ranges().add(memory, bytes);
    } catch (...) {
        forget_pinned(device, device.pinned.find(memory));
        throw;
    }
}

// Ends an entry of memory that the caller pinned, or that hpart allocated.
void end_pinned(hpart_device *device, void *memory, bool callers)
{
    if (memory == nullptr) return;
    guarded([&] {
        require(device, "device");
        const std::lock_guard lock(device->pinned_mutex);
        const auto found = device->pinned.find(memory);
        if (found == device->pinned.end() || found->second.is_callers != callers)
            fail_argument("memory is no pinned memory of this device; it must come from its ",
                          callers ? "hpart_pin" : "hpart_alloc_pinned");
        forget_pinned(*device, found);
    });
}

} // namespace

extern "C" {

int64_t hpart_device_count(void)
{
    const DefaultEnvironment environment; // drivers start threads, which inherit it
    try {
        return static_cast<std::int64_t>(accelerators().size());
    } catch (...) {
        return 0; // a loader that fails has no devices for us
    }
}

hpart_status hpart_device_describe(int64_t k, char *buffer, int64_t capacity, int64_t *needed)
{
    return guarded([&] {
        const auto devices = accelerators();
        const auto count = static_cast<std::int64_t>(devices.size());
        if (count == 0) {
            std::string cuda;
            list_cuda_devices({}, &cuda);
            fail_argument("k is ", k, "; there are no devices: OpenCL is ", describe_opencl_platforms(), "; ", cuda);
        }
        if (k < 0 || k >= count) fail_argument("k is ", k, "; the devices are 0 to ", count - 1);
        copy_text(devices[static_cast<std::size_t>(k)].description, buffer, capacity, needed);
    });
}

hpart_status hpart_device_open(const char *spec, const hpart_options *options, hpart_device **device)
{
    return guarded([&] {
        require(spec, "spec");
        require(device, "device");
        auto set = options_for(options, call_device);
        auto devices = open_devices(spec, set);
        set.set_progress(nullptr); // the callback was for opening alone
        *device = new hpart_device{std::move(devices), std::move(set)};
    });
}

void hpart_device_close(hpart_device *device)
{
    const DefaultEnvironment environment;
    delete device;
}

hpart_status hpart_device_native(const hpart_device *device, int64_t k, const char *what, void **handle)
{
    return guarded([&] {
        require(device, "device");
        require(what, "what");
        require(handle, "handle");
        const auto &devices = device->devices.sessions;
        const auto count = static_cast<std::int64_t>(devices.size());
        if (k < 0 || k >= count) fail_argument("k is ", k, "; the devices are 0 to ", count - 1);
        const auto &session = *devices[static_cast<std::size_t>(k)];
        auto *const found = session.device().native_handle(what);
        if (found == nullptr)
            fail(Status::unsupported, session.info().spec, " has no ", in_quotes(what),
                 "; OpenCL devices have 'cl_context' and 'cl_device_id', CUDA devices have 'CUcontext'");
        *handle = found;
    });
}

void *hpart_alloc_pinned(hpart_device *device, int64_t bytes)
{
    void *memory = nullptr;
    guarded([&] {
        require(device, "device");
        if (bytes < 0) fail_argument("bytes is ", bytes, "; it must not be negative");
        const auto &devices = device->devices.sessions;
        // Every device of a list copies from the same arrays; only those with memory of their own gain by it.
        const auto found = std::find_if(devices.begin(), devices.end(),
                                        [](const auto &session) { return !session->info().on_host_cores; });
        const auto &owner = found == devices.end() ? devices.front() : *found;
        auto pinned = owner->device().allocate_pinned(std::max<std::int64_t>(bytes, 1));
        void *const data = pinned->data();
        const std::lock_guard lock(device->pinned_mutex);
        keep_pinned(*device, data, {std::move(pinned), bytes, false}, *owner);
        memory = data;
    });
    return memory;
}

void hpart_free_pinned(hpart_device *device, void *memory) { end_pinned(device, memory, false); }

hpart_status hpart_pin(hpart_device *device, void *memory, int64_t bytes)
{
    return guarded([&] {
        require(device, "device");
        require(memory, "memory");
        if (bytes <= 0) fail_argument("bytes is ", bytes, "; it must be positive");
        if (reinterpret_cast<std::uintptr_t>(memory) > UINTPTR_MAX - static_cast<std::uint64_t>(bytes))
            fail_argument("bytes is ", bytes, "; the memory would end behind the last address");
        const std::lock_guard lock(device->pinned_mutex);
        const auto end_of = [](const void *first, std::int64_t length) {
            return static_cast<const char *>(first) + length;
        };
        const auto next = device->pinned.lower_bound(memory);
        const bool meets_next = next != device->pinned.end() && next->first < end_of(memory, bytes);
        const bool meets_last =
            next != device->pinned.begin() && end_of(std::prev(next)->first, std::prev(next)->second.bytes) > memory;
        if (meets_next || meets_last)
            fail_argument("some of the memory is pinned for this device already; unpin that first, or leave it out");
        // Memory that one CUDA device pins is pinned for all; no other kind of device has such a call.
        const auto &sessions = device->devices.sessions;
        const auto found =
            std::find_if(sessions.begin(), sessions.end(), [](const auto &one) { return is_cuda(*one); });
        const auto &owner = found == sessions.end() ? sessions.front() : *found;
        keep_pinned(*device, memory, {owner->device().pin(memory, bytes), bytes, true}, *owner);
    });
}

void hpart_unpin(hpart_device *device, void *memory) { end_pinned(device, memory, true); }

} // extern "C"

namespace
{

constexpr const char *waiting = "waiting for the meter";

// The last description for which a caller asked the length alone. It is in fixed memory: a caller that stops there leaks none.
constexpr std::int64_t no_line = -1;
struct KeptLine {
    std::int64_t k = no_line;
    Status status = Status::success;
    std::array<char, 4096> text;
    std::size_t length = 0;
};

// A meter of the user's, and the pointer it owns.
class UserSource final : public Source
{
  public:
    UserSource(std::string name, hpart_meter_read function, void *user)
        : name_(std::move(name)), function_(function), user_(user)
    {
    }
    UserSource(const UserSource &) = delete;
    UserSource &operator=(const UserSource &) = delete;
    ~UserSource() override { free_quietly(free_user_, user_); }
    // Until then the caller owns the user pointer.
    void own(hpart_free free_user) { free_user_ = free_user; }

    Reading read() override
    {
        const double nothing = std::nan("");
        double value = nothing, seconds = nothing;
        const auto function = text("meter ", name_, ": its function");
        const int stop = call_(function.c_str(), [&] { return function_(user_, &value, &seconds); });
        if (stop != 0) fail(Status::callback, function, " returned ", stop);
        return {seconds, {value}};
    }

  private:
    Callback call_;
    std::string name_;
    hpart_meter_read function_;
    void *user_;
    hpart_free free_user_ = nullptr;
};

Quantity quantity_of(std::int32_t quantity)
{
    if (quantity != HPART_JOULES && quantity != HPART_WATTS)
        fail_argument("quantity is ", quantity, "; it must be HPART_JOULES or HPART_WATTS");
    return static_cast<Quantity>(quantity);
}

void require_finite(double value, double least, const char *name)
{
    if (std::isfinite(value) && value >= least) return;
    fail_argument(name, " is ", value, "; it must be finite and at least ", least);
}

} // namespace

extern "C" {

hpart_status hpart_meter_open(const char *spec, const hpart_options *options, hpart_meter **meter)
{
    return guarded([&] {
        require(spec, "spec");
        require(meter, "meter");
        const auto set = options_for(options, call_meter);
        std::optional<BasePower> base;
        if (const auto watts = set.find_double("base_power")) base = BasePower{*watts, 0};
        // The options own the callback, which is called while they live.
        const auto look = [progress = std::weak_ptr(set.progress())] {
            const auto callback = progress.lock();
            if (callback && (*callback)(-1, waiting) != 0)
                fail(Status::cancelled, "the progress callback stopped the call at: ", waiting);
        };
        auto sensor = open_sensor(spec, {set.find_double("interval"), look, set.get_int("lines")});
        wait_for_rest();
        const Calibration calibration{set.get_double("meter_scale"), set.get_double("meter_offset")};
        *meter = new hpart_meter{Meter(std::move(sensor), base, look, calibration, proc_root())};
    });
}

hpart_status hpart_meter_create(const char *name, hpart_meter_read read, int32_t quantity, double interval_seconds,
                                double wrap, void *user, hpart_free free_user, hpart_meter **meter)
{
    return guarded([&] {
        require(name, "name");
        if (read == nullptr) fail_argument("read is NULL; it must not be");
        require(meter, "meter");
        const auto kind = quantity_of(quantity);
        require_finite(interval_seconds, find_option_key("interval")->smallest, "interval_seconds");
        require_finite(wrap, 0, "wrap");
        if (kind == Quantity::watts && wrap != never_wraps)
            fail_argument("wrap is ", wrap, "; power has none: it must be 0");
        auto owner = std::make_unique<UserSource>(name, read, user);
        auto *const source = owner.get();
        Sensor sensor;
        sensor.traits = {name,
                         kind,
                         kind == Quantity::joules ? Method::counter : Method::integrated,
                         interval_seconds,
                         {{name, wrap}}};
        sensor.source = std::move(owner);
        *meter = new hpart_meter{Meter(std::move(sensor), std::nullopt, no_look, {}, proc_root())};
        source->own(free_user);
    });
}

int64_t hpart_meter_count(void)
{
    try {
        return static_cast<std::int64_t>(meter_kinds().size());
    } catch (...) {
        return 0;
    }
}

hpart_status hpart_meter_describe(int64_t k, char *buffer, int64_t capacity, int64_t *needed, hpart_status *works_here)
{
    return guarded([&] {
        const auto &kinds = meter_kinds();
        const auto count = static_cast<std::int64_t>(kinds.size());
        if (k < 0 || k >= count) fail_argument("k is ", k, "; the meters are 0 to ", count - 1);
        const auto &kind = kinds[static_cast<std::size_t>(k)];
        // Callers ask for the length and then for the text: looking takes seconds where a counter stands still.
        thread_local KeptLine kept;
        const auto known = std::exchange(kept.k, no_line) == k;
        const auto found_again = std::string_view(kept.text.data(), known ? kept.length : 0);
        const auto has_room = [&](std::string_view line) {
            return buffer != nullptr && capacity > static_cast<std::int64_t>(line.size());
        };
        auto status = kept.status;
        std::string line(found_again);
        if (!known || !has_room(line)) {
            const auto found = kind.look();
            line = text(kind.form, " ", found.text);
            status = found.status;
        }
        if (!has_room(line) && line.size() <= kept.text.size()) {
            kept.k = k;
            kept.status = status;
            kept.length = line.copy(kept.text.data(), kept.text.size());
        }
        copy_text(line, buffer, capacity, needed);
        if (works_here != nullptr) *works_here = static_cast<hpart_status>(status);
    });
}

hpart_status hpart_meter_start(hpart_meter *meter)
{
    return guarded([&] {
        require(meter, "meter");
        meter->value.start();
    });
}

hpart_status hpart_meter_stop(hpart_meter *meter, double *joules, double *seconds)
{
    return guarded([&] {
        require(meter, "meter");
        const auto measured = meter->value.stop();
        if (joules != nullptr) *joules = measured.joules;
        if (seconds != nullptr) *seconds = measured.seconds;
    });
}

hpart_status hpart_meter_base_power(hpart_meter *meter, double seconds, double *watts, double *standard_error)
{
    return guarded([&] {
        require(meter, "meter");
        wait_for_rest();
        const auto base = meter->value.measure_base_power(seconds);
        if (watts != nullptr) *watts = base.watts;
        if (standard_error != nullptr) *standard_error = base.standard_error;
    });
}

hpart_status hpart_meter_report(const hpart_meter *meter, hpart_report **report)
{
    return guarded([&] {
        require(meter, "meter");
        require(report, "report");
        *report = new hpart_report{meter->value.report()};
    });
}

void hpart_meter_close(hpart_meter *meter) { delete meter; }

} // extern "C"
