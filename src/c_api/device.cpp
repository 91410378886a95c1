#include "c_api/device.hpp"

#include "c_api/handles.hpp"
#include "out_of_card/devices/cuda_device.hpp"
#include "out_of_card/devices/opencl_list.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

#include <sys/mman.h>
#include <unistd.h>

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
        fail_argument("option 'trace_file' is set, but a dry run has no commands; give only one of them");
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

using PinnedEntries = std::map<void *, PinnedEntry, std::less<>>;

// The device's pinned_mutex is held.
void forget_pinned(hpart_device &device, PinnedEntries::iterator entry)
{
    for (const auto &session : device.devices.sessions) session->pinned_ranges().remove(entry->first);
    device.pinned.erase(entry);
}

// In a fork another thread's lock may be closed for ever.
void require_own_process(const hpart_device &device)
{
    for (const auto &session : device.devices.sessions) session->in_use().require_own_process();
}

// An entry that has some of this memory; the end if none has. The device's pinned_mutex is held.
PinnedEntries::iterator find_pinned(hpart_device &device, const void *memory, std::int64_t bytes)
{
    auto &all = device.pinned;
    const auto end_of = [](const void *first, std::int64_t length) {
        return static_cast<const char *>(first) + length;
    };
    const auto next = all.lower_bound(const_cast<void *>(memory));
    if (next != all.end() && next->first < end_of(memory, bytes)) return next;
    if (next == all.begin()) return all.end();
    const auto last = std::prev(next);
    return end_of(last->first, last->second.bytes) > memory ? last : all.end();
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

bool is_mapped(const void *memory, std::int64_t bytes)
{
    const auto first = reinterpret_cast<std::uintptr_t>(memory);
    const auto before = first % static_cast<std::uintptr_t>(sysconf(_SC_PAGESIZE)); // of its first page
    const auto length = static_cast<std::uint64_t>(bytes) + before;
    if (length > UINTPTR_MAX - (first - before)) return false;
    auto *const begin = static_cast<char *>(const_cast<void *>(memory)) - before;
    return msync(begin, length, MS_ASYNC) == 0; // writes nothing, and fails if a page is missing
}

// Ends an entry of memory that the caller pinned, or that hpart allocated.
void end_pinned(hpart_device *device, void *memory, bool callers)
{
    if (memory == nullptr) return;
    guarded([&] {
        require(device, "device");
        require_own_process(*device);
        const std::lock_guard lock(device->pinned_mutex);
        const auto found = device->pinned.find(memory);
        if (found == device->pinned.end())
            fail_argument("memory is no pinned memory of this device; it must come from its ",
                          callers ? "hpart_pin" : "hpart_alloc_pinned");
        if (found->second.is_callers != callers)
            fail_argument(callers ? "memory comes from hpart_alloc_pinned; hpart_free_pinned frees it"
                                  : "memory is your own, which hpart_pin pinned; hpart_unpin unpins it");
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
        require_own_process(*device);
        const auto &devices = device->devices.sessions;
        // Every device of a list copies from the same arrays; only those with memory of their own gain by it.
        const auto found = std::find_if(devices.begin(), devices.end(),
                                        [](const auto &session) { return !session->info().on_host_cores; });
        const auto &owner = found == devices.end() ? devices.front() : *found;
        auto pinned = owner->device().allocate_pinned(std::max<std::int64_t>(bytes, 1));
        void *const data = pinned->data();
        const std::lock_guard lock(device->pinned_mutex);
        // Memory that was freed while it was pinned may come again.
        for (auto old = find_pinned(*device, data, bytes); old != device->pinned.end();
             old = find_pinned(*device, data, bytes))
            forget_pinned(*device, old);
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
        if (!is_mapped(memory, bytes))
            fail_argument("bytes is ", bytes, "; some of these are no memory of this process");
        require_own_process(*device);
        const std::lock_guard lock(device->pinned_mutex);
        if (find_pinned(*device, memory, bytes) != device->pinned.end())
            fail_argument("some of the memory is pinned for this device already, by hpart_pin or hpart_alloc_pinned");
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
