#include "opencl_shim.hpp"

#define CL_TARGET_OPENCL_VERSION 120
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#include <CL/cl.h>

#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>

namespace opencl_shim
{

namespace
{

Settings from_environment()
{
    Settings settings;
    const char *text = std::getenv("OPENCL_SHIM");
    std::istringstream words(text == nullptr ? "" : text);
    for (std::string word; std::getline(words, word, ',');) {
        const auto equals = std::min(word.find('='), word.size());
        const auto key = word.substr(0, equals), value = word.substr(std::min(equals + 1, word.size()));
        if (key == "gpu")
            settings.is_gpu = true;
        else if (key == "barriers")
            settings.barriers = value == "zero" ? BarrierTimes::zero : BarrierTimes::refused;
        else if (key == "dependents")
            settings.dependents = value == "silent" ? Dependents::silent : Dependents::complete;
        else if (key == "late_writes")
            settings.late_writes = true;
        else if (key == "indivisible")
            settings.division = value == "counts" ? Division::equally : Division::none;
        else if (key == "no_double")
            settings.no_double = true;
        else if (key == "idle_kernels")
            settings.idle_kernels = true;
        else if (key == "constant_times")
            settings.constant_times = true;
        else if (key == "empty_platform")
            settings.empty_platform = value;
        else if (key == "loop_turns")
            settings.loop_turns = static_cast<std::uint32_t>(std::atoll(value.c_str()));
        else if (key == "memory")
            settings.memory_bytes = std::atoll(value.c_str());
        else
            std::abort(); // the variable has a misprint: tests would pass for the wrong reason
    }
    return settings;
}

struct State {
    std::mutex mutex;
    Settings settings = from_environment();
    Seen seen;
    std::map<cl_mem, std::int64_t> device_buffers; // and their bytes
    std::int64_t device_bytes = 0;
};

State &state()
{
    static auto *const the_one = new State; // the driver's threads may end after static objects
    return *the_one;
}

Settings settings()
{
    const std::lock_guard lock(state().mutex);
    return state().settings;
}

template <typename Function> Function *next_function(const char *name)
{
    return reinterpret_cast<Function *>(dlsym(RTLD_NEXT, name));
}

void CL_CALLBACK forget_buffer(cl_mem buffer, void *)
{
    const std::lock_guard lock(state().mutex);
    const auto found = state().device_buffers.find(buffer);
    if (found == state().device_buffers.end()) return;
    state().device_bytes -= found->second;
    state().device_buffers.erase(found);
}

// Commands take all memory that was promised.
cl_int command_status()
{
    const std::lock_guard lock(state().mutex);
    const auto usable = state().settings.usable_bytes;
    return usable > 0 && state().device_bytes > usable ? state().settings.failure : CL_SUCCESS;
}

#define NEXT(function) next_function<decltype(function)>(#function)

cl_int real_status_of(cl_event event)
{
    static auto *const next = NEXT(clGetEventInfo);
    cl_int status = CL_COMPLETE;
    next(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof status, &status, nullptr);
    return status;
}

// Commands fail by themselves in no other way here; gates are user events.
bool is_failed_dependent(cl_event event)
{
    cl_command_type type = CL_COMMAND_USER;
    clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, nullptr);
    return type != CL_COMMAND_USER && real_status_of(event) < 0;
}

constexpr std::size_t most_late_bytes = 64;

// The bytes arrive after the call; its event, which is a user event here, ends then.
cl_int write_late(cl_command_queue queue, cl_mem buffer, size_t offset, size_t bytes, const void *from, cl_event *event)
{
    static auto *const next = NEXT(clEnqueueWriteBuffer);
    cl_context context = nullptr;
    clGetCommandQueueInfo(queue, CL_QUEUE_CONTEXT, sizeof context, static_cast<void *>(&context), nullptr);
    cl_int status = CL_SUCCESS;
    auto *const end = clCreateUserEvent(context, &status);
    if (status != CL_SUCCESS) return status;
    if (event != nullptr) {
        clRetainEvent(end);
        *event = end;
    }
    clRetainCommandQueue(queue);
    clRetainMemObject(buffer);
    std::thread([=, copy = std::string(static_cast<const char *>(from), bytes)] {
        std::this_thread::sleep_for(std::chrono::microseconds(200));
        auto result = command_status();
        cl_event written = nullptr; // the driver may be late itself
        if (result == CL_SUCCESS)
            result = next(queue, buffer, CL_TRUE, offset, bytes, copy.data(), 0, nullptr, &written);
        if (written != nullptr) {
            result = clWaitForEvents(1, &written);
            clReleaseEvent(written);
        }
        clReleaseMemObject(buffer);
        clReleaseCommandQueue(queue);
        clSetUserEventStatus(end, result);
        clReleaseEvent(end);
    }).detach();
    return CL_SUCCESS;
}

constexpr std::size_t most_groups = 65535; // in the second and third dimension
constexpr std::int64_t allocation_share = 4;
constexpr cl_ulong local_bytes = 48 << 10;
constexpr std::size_t group_items = 256;

// The kernel with which the library counts turns.
bool counts_turns(cl_kernel kernel)
{
    char name[64] = "";
    clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof name, name, nullptr);
    return std::strcmp(name, "loop_turns") == 0;
}

template <typename Value> void put(void *to, Value value) { std::memcpy(to, &value, sizeof value); }

// CLBlast takes a GPU with this extension for Intel's; PoCL has only a part of its functions.
void hide_subgroups(char *extensions, std::size_t size)
{
    constexpr std::string_view name = "cl_intel_subgroups";
    const std::string_view all(extensions, strnlen(extensions, size));
    for (auto at = all.find(name); at != std::string_view::npos; at = all.find(name, at + 1)) extensions[at] = '_';
}

void forget_counts(cl_device_partition_property *kinds, std::size_t bytes)
{
    const cl_device_partition_property counts = CL_DEVICE_PARTITION_BY_COUNTS;
    std::replace(kinds, kinds + bytes / sizeof *kinds, counts,
                 cl_device_partition_property{CL_DEVICE_PARTITION_EQUALLY});
}

// `value` holds the driver's answer.
void answer_as_gpu(const Settings &settings, cl_device_info what, std::size_t size, void *value)
{
    cl_ulong bytes = 0;
    switch (what) {
    case CL_DEVICE_TYPE: return put<cl_device_type>(value, CL_DEVICE_TYPE_GPU);
    case CL_DEVICE_EXTENSIONS: return hide_subgroups(static_cast<char *>(value), size);
    case CL_DEVICE_HOST_UNIFIED_MEMORY: return put<cl_bool>(value, CL_FALSE);
    case CL_DEVICE_EXECUTION_CAPABILITIES: return put<cl_device_exec_capabilities>(value, CL_EXEC_KERNEL);
    case CL_DEVICE_PARTITION_MAX_SUB_DEVICES: return put<cl_uint>(value, 0);
    case CL_DEVICE_LOCAL_MEM_SIZE: return put<cl_ulong>(value, local_bytes);
    case CL_DEVICE_MAX_WORK_GROUP_SIZE: return put<std::size_t>(value, group_items);
    case CL_DEVICE_GLOBAL_MEM_SIZE:
    case CL_DEVICE_MAX_MEM_ALLOC_SIZE:
        std::memcpy(&bytes, value, sizeof bytes);
        if (settings.memory_bytes > 0)
            bytes = static_cast<cl_ulong>(settings.memory_bytes) /
                    (what == CL_DEVICE_MAX_MEM_ALLOC_SIZE ? allocation_share : 1);
        return put(value, bytes);
    default: return;
    }
}

} // namespace

void set(const Settings &settings)
{
    const std::lock_guard lock(state().mutex);
    state().settings = settings;
    state().seen = {.most_device_bytes = state().device_bytes};
}

Seen seen()
{
    const std::lock_guard lock(state().mutex);
    return state().seen;
}

} // namespace opencl_shim

using namespace opencl_shim;

// Passes a command on, unless there is too little memory.
#define COMMAND(function, ...)                                                                                         \
    do {                                                                                                               \
        if (const auto status = command_status(); status != CL_SUCCESS) return status;                                 \
        static auto *const next = NEXT(function);                                                                      \
        return next(__VA_ARGS__);                                                                                      \
    } while (false)

extern "C" {

cl_int clGetDeviceIDs(cl_platform_id platform, cl_device_type type, cl_uint count, cl_device_id *devices,
                      cl_uint *found)
{
    if (!settings().empty_platform.empty()) return CL_DEVICE_NOT_FOUND;
    static auto *const next = NEXT(clGetDeviceIDs);
    return next(platform, type, count, devices, found);
}

cl_int clGetPlatformInfo(cl_platform_id platform, cl_platform_info what, size_t size, void *value, size_t *needed)
{
    static auto *const next = NEXT(clGetPlatformInfo);
    const auto name = settings().empty_platform;
    if (name.empty() || what != CL_PLATFORM_NAME) return next(platform, what, size, value, needed);
    if (needed != nullptr) *needed = name.size() + 1;
    if (value != nullptr) std::memcpy(value, name.c_str(), std::min(size, name.size() + 1));
    return CL_SUCCESS;
}

cl_int clGetDeviceInfo(cl_device_id device, cl_device_info what, size_t size, void *value, size_t *needed)
{
    static auto *const next = NEXT(clGetDeviceInfo);
    const auto status = next(device, what, size, value, needed);
    if (status != CL_SUCCESS || value == nullptr) return status;
    if (settings().is_gpu) answer_as_gpu(settings(), what, size, value);
    if (settings().division == Division::none && what == CL_DEVICE_PARTITION_MAX_SUB_DEVICES) put<cl_uint>(value, 0);
    if (settings().division == Division::equally && what == CL_DEVICE_PARTITION_PROPERTIES)
        forget_counts(static_cast<cl_device_partition_property *>(value), size);
    // Facts that are kept of a driver are not those of the true one.
    if (settings().loop_turns > 0 && what == CL_DRIVER_VERSION) put(value, '?');
    if (settings().no_double && what == CL_DEVICE_DOUBLE_FP_CONFIG) put<cl_device_fp_config>(value, 0);
    return status;
}

cl_int clGetEventInfo(cl_event event, cl_event_info what, size_t size, void *value, size_t *needed)
{
    static auto *const next = NEXT(clGetEventInfo);
    const auto status = next(event, what, size, value, needed);
    if (status == CL_SUCCESS && value != nullptr && what == CL_EVENT_COMMAND_EXECUTION_STATUS &&
        settings().dependents != Dependents::failed && is_failed_dependent(event))
        put<cl_int>(value, CL_COMPLETE);
    return status;
}

cl_int clWaitForEvents(cl_uint count, const cl_event *events)
{
    static auto *const next = NEXT(clWaitForEvents);
    const auto status = next(count, events);
    const bool is_silent = settings().dependents == Dependents::silent;
    return is_silent && std::all_of(events, events + count, is_failed_dependent) ? CL_SUCCESS : status;
}

cl_int clCreateSubDevices(cl_device_id device, const cl_device_partition_property *properties, cl_uint count,
                          cl_device_id *made, cl_uint *needed)
{
    if (settings().is_gpu) return CL_DEVICE_PARTITION_FAILED;
    if (settings().division != Division::by_counts) std::abort(); // as a driver may
    static auto *const next = NEXT(clCreateSubDevices);
    return next(device, properties, count, made, needed);
}

cl_int clEnqueueNativeKernel(cl_command_queue queue, void(CL_CALLBACK *function)(void *), void *arguments, size_t size,
                             cl_uint count, const cl_mem *buffers, const void **places, cl_uint waits,
                             const cl_event *wait, cl_event *event)
{
    if (settings().is_gpu) return CL_INVALID_OPERATION;
    COMMAND(clEnqueueNativeKernel, queue, function, arguments, size, count, buffers, places, waits, wait, event);
}

cl_int clGetEventProfilingInfo(cl_event event, cl_profiling_info what, size_t size, void *value, size_t *needed)
{
    static auto *const next = NEXT(clGetEventProfilingInfo);
    const auto barriers = settings().barriers;
    cl_command_type type = 0;
    clGetEventInfo(event, CL_EVENT_COMMAND_TYPE, sizeof type, &type, nullptr);
    const bool does_nothing = type == CL_COMMAND_BARRIER || type == CL_COMMAND_MARKER;
    if (does_nothing && barriers == BarrierTimes::refused) return CL_PROFILING_INFO_NOT_AVAILABLE;
    const auto status = next(event, what, size, value, needed);
    if (settings().constant_times && value != nullptr) put<cl_ulong>(value, what - CL_PROFILING_COMMAND_QUEUED);
    if (does_nothing && barriers == BarrierTimes::zero && value != nullptr) put<cl_ulong>(value, 0);
    return status;
}

cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t bytes, void *host, cl_int *result)
{
    const auto now = settings();
    const auto limit = now.memory_bytes / allocation_share;
    if (now.is_gpu && limit > 0 && static_cast<std::int64_t>(bytes) > limit) {
        if (result != nullptr) *result = CL_INVALID_BUFFER_SIZE;
        return nullptr;
    }
    static auto *const next = NEXT(clCreateBuffer);
    cl_mem buffer = next(context, flags, bytes, host, result);
    if (buffer == nullptr) return nullptr;
    const bool is_on_device = (flags & (CL_MEM_USE_HOST_PTR | CL_MEM_ALLOC_HOST_PTR)) == 0;
    {
        const std::lock_guard lock(state().mutex);
        ++state().seen.buffers;
        if (!is_on_device) return buffer;
        state().device_buffers[buffer] = static_cast<std::int64_t>(bytes);
        state().device_bytes += static_cast<std::int64_t>(bytes);
        state().seen.most_device_bytes = std::max(state().seen.most_device_bytes, state().device_bytes);
    }
    clSetMemObjectDestructorCallback(buffer, forget_buffer, nullptr);
    return buffer;
}

cl_int clBuildProgram(cl_program program, cl_uint count, const cl_device_id *devices, const char *options,
                      void(CL_CALLBACK *notify)(cl_program, void *), void *data)
{
    {
        const std::lock_guard lock(state().mutex);
        ++state().seen.builds;
    }
    static auto *const next = NEXT(clBuildProgram);
    return next(program, count, devices, options, notify, data);
}

cl_int clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint dimensions, const size_t *offset,
                              const size_t *items, const size_t *group, cl_uint waits, const cl_event *wait,
                              cl_event *event)
{
    for (cl_uint d = 1; settings().is_gpu && group != nullptr && d < dimensions; ++d)
        if (items[d] / group[d] > most_groups) return CL_INVALID_GLOBAL_WORK_SIZE;
    if (counts_turns(kernel)) {
        if (const cl_uint turns = settings().loop_turns; turns > 0) clSetKernelArg(kernel, 1, sizeof turns, &turns);
    } else if (settings().idle_kernels) {
        return clEnqueueMarkerWithWaitList(queue, waits, wait, event);
    }
    COMMAND(clEnqueueNDRangeKernel, queue, kernel, dimensions, offset, items, group, waits, wait, event);
}

cl_int clEnqueueMigrateMemObjects(cl_command_queue queue, cl_uint count, const cl_mem *buffers,
                                  cl_mem_migration_flags flags, cl_uint waits, const cl_event *wait, cl_event *event)
{
    COMMAND(clEnqueueMigrateMemObjects, queue, count, buffers, flags, waits, wait, event);
}

cl_int clEnqueueFillBuffer(cl_command_queue queue, cl_mem buffer, const void *pattern, size_t pattern_bytes,
                           size_t offset, size_t bytes, cl_uint waits, const cl_event *wait, cl_event *event)
{
    COMMAND(clEnqueueFillBuffer, queue, buffer, pattern, pattern_bytes, offset, bytes, waits, wait, event);
}

cl_int clEnqueueWriteBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t bytes,
                            const void *from, cl_uint waits, const cl_event *wait, cl_event *event)
{
    if (blocking != CL_FALSE && bytes <= most_late_bytes && waits == 0 && settings().late_writes)
        return write_late(queue, buffer, offset, bytes, from, event);
    COMMAND(clEnqueueWriteBuffer, queue, buffer, blocking, offset, bytes, from, waits, wait, event);
}

cl_int clEnqueueReadBuffer(cl_command_queue queue, cl_mem buffer, cl_bool blocking, size_t offset, size_t bytes,
                           void *to, cl_uint waits, const cl_event *wait, cl_event *event)
{
    COMMAND(clEnqueueReadBuffer, queue, buffer, blocking, offset, bytes, to, waits, wait, event);
}

} // extern "C"
