// The driver's devices, contexts and memory.
#include "state.hpp"

#include <algorithm>
#include <cstdio>
#include <cstring>

#include <unistd.h>

using namespace fake_cuda;
using hpart::CudaAttribute;

namespace
{

// The live parts of a context.
std::size_t things_of(CudaContextHandle context)
{
    const auto &s = state();
    std::size_t sum = 0;
    for (const auto *arrays : {&s.buffers, &s.pinned})
        for (const auto &[first, memory] : *arrays) sum += memory.context == context ? 1 : 0;
    for (const auto *handles : {&s.blas_handles, &s.modules})
        for (const auto &[handle, owner] : *handles) sum += owner == context ? 1 : 0;
    for (const auto &[plan, owner] : s.fft_plans) sum += owner == context ? 1 : 0;
    for (const auto *stream : s.streams) sum += stream->context == context ? 1 : 0;
    for (const auto *event : s.events) sum += event->context == context ? 1 : 0;
    return sum;
}

} // namespace

extern "C" {

CudaResult cuInit(unsigned flags)
{
    Lock lock(state().mutex);
    if (const auto code = begin_call(lock, "cuInit", false); code != 0) return result(code);
    if (flags != 0) return result(invalid_value);
    if (const auto code = state().settings.init_failure; code != 0) return result(code);
    if (state().settings.devices == 0) return result(no_device);
    state().owner = getpid();
    return result(0);
}

CudaResult cuDriverGetVersion(int *version)
{
    Lock lock(state().mutex);
    if (const auto code = begin_call(lock, "cuDriverGetVersion", false); code != 0) return result(code);
    *version = state().settings.driver_version;
    return result(0);
}

CudaResult cuGetErrorName(CudaResult error, const char **name)
{
    switch (static_cast<int>(error)) {
    case 1: *name = "CUDA_ERROR_INVALID_VALUE"; return result(0);
    case 2: *name = "CUDA_ERROR_OUT_OF_MEMORY"; return result(0);
    case 3: *name = "CUDA_ERROR_NOT_INITIALIZED"; return result(0);
    case 4: *name = "CUDA_ERROR_DEINITIALIZED"; return result(0);
    case 101: *name = "CUDA_ERROR_INVALID_DEVICE"; return result(0);
    case 700: *name = "CUDA_ERROR_ILLEGAL_ADDRESS"; return result(0);
    case 709: *name = "CUDA_ERROR_CONTEXT_IS_DESTROYED"; return result(0);
    case 802: *name = "CUDA_ERROR_SYSTEM_NOT_READY"; return result(0);
    case 719: *name = "CUDA_ERROR_LAUNCH_FAILED"; return result(0);
    default: *name = nullptr; return result(invalid_value);
    }
}

CudaResult cuDeviceGetCount(int *count)
{
    Lock lock(state().mutex);
    if (const auto code = begin_call(lock, "cuDeviceGetCount", false); code != 0) return result(code);
    if (state().owner == 0) return result(not_initialized);
    *count = state().settings.devices;
    return result(0);
}

CudaResult cuDeviceGet(int *device, int ordinal)
{
    Lock lock(state().mutex);
    if (const auto code = begin_call(lock, "cuDeviceGet", false); code != 0) return result(code);
    if (ordinal < 0 || ordinal >= state().settings.devices) return result(invalid_device);
    *device = ordinal;
    return result(0);
}

CudaResult cuDeviceGetName(char *name, int length, int)
{
    Lock lock(state().mutex);
    if (const auto code = begin_call(lock, "cuDeviceGetName", false); code != 0) return result(code);
    std::strncpy(name, "Fake CUDA device", static_cast<std::size_t>(length));
    return result(0);
}

CudaResult cuDeviceGetPCIBusId(char *bus, int length, int device)
{
    Lock lock(state().mutex);
    if (const auto code = begin_call(lock, "cuDeviceGetPCIBusId", false); code != 0) return result(code);
    std::snprintf(bus, static_cast<std::size_t>(length), "0000:%02x:00.0", device + 1);
    return result(0);
}

CudaResult cuDeviceGetAttribute(int *value, CudaAttribute attribute, int)
{
    Lock lock(state().mutex);
    if (const auto code = begin_call(lock, "cuDeviceGetAttribute", false); code != 0) return result(code);
    const auto &settings = state().settings;
    switch (attribute) {
    case CudaAttribute::multiprocessor_count: *value = 2; break;
    case CudaAttribute::integrated: *value = settings.integrated ? 1 : 0; break;
    case CudaAttribute::pageable_memory_access: *value = settings.reads_pageable_memory ? 1 : 0; break;
    default: return result(invalid_value);
    }
    return result(0);
}

CudaResult cuDeviceTotalMem_v2(std::size_t *bytes, int)
{
    Lock lock(state().mutex);
    if (const auto code = begin_call(lock, "cuDeviceTotalMem", false); code != 0) return result(code);
    *bytes = static_cast<std::size_t>(state().settings.memory_bytes);
    return result(0);
}

CudaResult cuDevicePrimaryCtxRetain(CudaContextHandle *context, int device)
{
    Lock lock(state().mutex);
    if (const auto code = begin_call(lock, "cuDevicePrimaryCtxRetain", false); code != 0) return result(code);
    auto &s = state();
    if (device < 0 || device >= s.settings.devices) return result(invalid_device);
    auto &primary = s.primary[device];
    if (primary == nullptr) {
        primary = s.all_contexts.emplace_back(std::make_unique<hpart::CUctx_st>()).get();
        primary->device = device;
    }
    ++primary->retained;
    *context = primary;
    return result(0);
}

CudaResult cuDevicePrimaryCtxRelease_v2(int device)
{
    Lock lock(state().mutex);
    auto &s = state();
    if (s.exiting) return result(deinitialized);
    if (s.owner != getpid()) return result(not_initialized);
    // One that was lost may be released as well.
    const auto found = std::find_if(s.all_contexts.begin(), s.all_contexts.end(), [&](const auto &context) {
        return context->device == device && context->retained > 0;
    });
    if (found == s.all_contexts.end()) {
        violation(lock, "a context released more often than retained");
        return result(invalid_context);
    }
    auto &context = **found;
    if (--context.retained > 0 || context.lost) return result(s.sticky);
    if (things_of(&context) > 0) violation(lock, "a context goes before what belongs to it");
    lose(lock, &context);
    return result(s.sticky);
}

CudaResult cuCtxPushCurrent_v2(CudaContextHandle context)
{
    const Lock lock(state().mutex);
    if (state().exiting) return result(deinitialized);
    if (state().owner != getpid()) return result(not_initialized);
    if (context == nullptr || context->retained == 0) violation(lock, "a context that is gone made current");
    if (context->lost) return result(context_is_destroyed);
    current_stack().push_back(context);
    return result(0);
}

CudaResult cuCtxPopCurrent_v2(CudaContextHandle *context)
{
    const Lock lock(state().mutex);
    if (current_stack().empty()) {
        violation(lock, "cuCtxPopCurrent without a current context");
        return result(invalid_value);
    }
    *context = current_stack().back();
    current_stack().pop_back();
    return result(0);
}

CudaResult cuMemGetInfo_v2(std::size_t *free, std::size_t *total)
{
    Lock lock(state().mutex);
    if (const auto code = begin_call(lock, "cuMemGetInfo"); code != 0) return result(code);
    *total = static_cast<std::size_t>(state().settings.memory_bytes);
    *free = *total - static_cast<std::size_t>(state().used_bytes[current_context()->device]);
    return result(0);
}

CudaResult cuMemAlloc_v2(CudaAddress *address, std::size_t bytes)
{
    Lock lock(state().mutex);
    if (const auto code = begin_call(lock, "cuMemAlloc"); code != 0) return result(code);
    if (bytes == 0) return result(invalid_value);
    const auto taken = static_cast<std::int64_t>(bytes);
    if (!take_memory(lock, current_context(), taken)) return result(out_of_memory);
    auto *const memory = make_array(bytes, bytes);
    if (memory == nullptr) {
        give_memory(lock, current_context(), taken);
        return result(out_of_memory);
    }
    state().buffers[number(memory)] = {bytes, current_context()};
    *address = number(memory);
    return result(0);
}

CudaResult cuMemFree_v2(CudaAddress address)
{
    Lock lock(state().mutex);
    if (const auto code = begin_return(lock, "cuMemFree"); code != 0) return result(code);
    auto &s = state();
    const auto found = s.buffers.find(address);
    if (found == s.buffers.end()) {
        violation(lock, "cuMemFree of what is no array");
        return result(invalid_value);
    }
    const auto memory = found->second;
    if (const auto code = check_context(lock, memory.context, "cuMemFree"); code != 0) return result(code);
    check_unused(lock, {address, memory.bytes}, "cuMemFree");
    s.buffers.erase(found);
    // As the real one, after all that is under way on the device.
    const auto streams = s.streams;
    for (auto *const stream : streams)
        if (stream->context == memory.context && s.streams.contains(stream)) wait_until_empty(lock, stream);
    free_array(address, memory.bytes);
    give_memory(lock, memory.context, static_cast<std::int64_t>(memory.bytes));
    return result(s.sticky);
}

CudaResult cuMemHostAlloc(void **memory, std::size_t bytes, unsigned flags)
{
    Lock lock(state().mutex);
    if (const auto code = begin_call(lock, "cuMemHostAlloc"); code != 0) return result(code);
    if (bytes == 0) return result(invalid_value);
    *memory = make_array(bytes, most_filled);
    if (*memory == nullptr) return result(out_of_memory);
    state().pinned[number(*memory)] = {bytes, current_context(), (flags & hpart::cuda_host_alloc_portable) != 0};
    return result(0);
}

CudaResult cuMemFreeHost(void *memory)
{
    Lock lock(state().mutex);
    if (const auto code = begin_return(lock, "cuMemFreeHost"); code != 0) return result(code);
    const auto found = state().pinned.find(number(memory));
    if (found == state().pinned.end() || found->second.registered) {
        violation(lock, "cuMemFreeHost of what is not pinned");
        return result(invalid_value);
    }
    check_unused(lock, {found->first, found->second.bytes}, "cuMemFreeHost");
    free_array(found->first, found->second.bytes);
    state().pinned.erase(found);
    return result(state().sticky);
}

CudaResult cuMemHostRegister_v2(void *memory, std::size_t bytes, unsigned flags)
{
    Lock lock(state().mutex);
    if (const auto code = begin_call(lock, "cuMemHostRegister"); code != 0) return result(code);
    if (bytes == 0 || memory == nullptr) return result(invalid_value);
    if (state().settings.read_only_memory == memory && (flags & hpart::cuda_host_register_read_only) == 0)
        return result(invalid_value);
    const FakeRange range{number(memory), bytes};
    for (const auto &[first, known] : state().pinned)
        if (range.meets({first, known.bytes})) return CudaResult::host_memory_already_registered;
    state().pinned[range.first] = {bytes, current_context(), (flags & hpart::cuda_host_register_portable) != 0, true};
    return result(0);
}

CudaResult cuMemHostUnregister(void *memory)
{
    Lock lock(state().mutex);
    if (const auto code = begin_return(lock, "cuMemHostUnregister"); code != 0) return result(code);
    const auto found = state().pinned.find(number(memory));
    if (found == state().pinned.end() || !found->second.registered) {
        violation(lock, "cuMemHostUnregister of what is not registered");
        return result(invalid_value);
    }
    check_unused(lock, {found->first, found->second.bytes}, "cuMemHostUnregister");
    state().pinned.erase(found);
    return result(state().sticky);
}
}
