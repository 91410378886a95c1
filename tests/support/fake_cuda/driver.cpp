// The driver's part.
#include "state.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace fake_cuda;
using hpart::CudaAttribute;
using hpart::CudaMemoryType;
using hpart::CudaRectangleCopy;

namespace
{

constexpr int invalid_value = 1, out_of_memory = 2, not_initialized = 3, no_device = 100, invalid_device = 101,
              invalid_handle = 400;

CudaResult result(int code) { return static_cast<CudaResult>(code); }

std::uintptr_t number(const void *pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

// What has been allocated reads as NaN until it is written, and what has gone back does again.
void *take(std::size_t bytes)
{
    auto *const memory = std::aligned_alloc(512, (bytes + 511) / 512 * 512); // as the real one
    if (memory != nullptr) std::memset(memory, 0xff, bytes);
    return memory;
}

bool is_pinned(const FakeRange &range)
{
    const auto &pinned = state().pinned;
    return std::any_of(pinned.begin(), pinned.end(), [&](const auto &entry) {
        return FakeRange{entry.first, entry.second}.contains(range);
    });
}

struct Side {
    std::byte *first;
    std::size_t pitch;
    bool on_card;
    FakeRange range(std::size_t width, std::size_t height) const
    {
        return {number(first), (height - 1) * pitch + width};
    }
};

int add_copy(Lock &lock, const char *call, const Side &from, const Side &to, std::size_t width, std::size_t height,
             CudaStream stream)
{
    if (width == 0 || height == 0) return 0;
    auto command = std::make_shared<FakeCommand>();
    bool pageable = false;
    for (const auto &side : {from, to}) {
        const auto range = side.range(width, height);
        if (side.on_card) {
            if (!is_on_card(lock, range)) {
                violation(lock, std::string(call) + " beyond an array on the card");
                return invalid_value;
            }
            command->card_ranges.push_back(range);
        } else {
            if (!state().settings.reads_pageable_memory && is_on_card(lock, {range.first, 1}) && !is_pinned(range))
                violation(lock, std::string(call) + " takes memory of the card for the host's");
            command->host_ranges.push_back(range);
            pageable = pageable || !is_pinned(range);
        }
    }
    command->work = [=] {
        for (std::size_t row = 0; row < height; ++row)
            std::memcpy(to.first + row * to.pitch, from.first + row * from.pitch, width);
    };
    if (!push(lock, stream, std::move(command))) {
        violation(lock, std::string(call) + " in a stream that is none");
        return invalid_handle;
    }
    if (pageable && !state().settings.copies_pageable_later) wait_until_empty(lock, stream);
    return state().sticky;
}

std::byte *pointer(CudaAddress address) { return reinterpret_cast<std::byte *>(address); }
std::byte *pointer(const void *address) { return const_cast<std::byte *>(static_cast<const std::byte *>(address)); }

CudaResult copy_line(const char *call, const Side &from, const Side &to, std::size_t bytes, CudaStream stream)
{
    Lock lock(state().mutex);
    if (const auto code = begin_call(lock, call); code != 0) return result(code);
    return result(add_copy(lock, call, from, to, bytes, 1, stream));
}

} // namespace

extern "C" {

CudaResult cuInit(unsigned flags)
{
    Lock lock(state().mutex);
    if (const auto code = begin_call(lock, "cuInit", false); code != 0) return result(code);
    if (flags != 0) return result(invalid_value);
    if (state().settings.devices == 0) return result(no_device);
    state().initialised = true;
    state().contexts.resize(static_cast<std::size_t>(state().settings.devices));
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
    case 101: *name = "CUDA_ERROR_INVALID_DEVICE"; return result(0);
    case 700: *name = "CUDA_ERROR_ILLEGAL_ADDRESS"; return result(0);
    case 719: *name = "CUDA_ERROR_LAUNCH_FAILED"; return result(0);
    default: *name = nullptr; return result(invalid_value);
    }
}

CudaResult cuDeviceGetCount(int *count)
{
    Lock lock(state().mutex);
    if (const auto code = begin_call(lock, "cuDeviceGetCount", false); code != 0) return result(code);
    if (!state().initialised) return result(not_initialized);
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
    auto &place = state().contexts.at(static_cast<std::size_t>(device));
    if (!place) place = std::make_unique<hpart::CUctx_st>();
    ++place->retained;
    *context = place.get();
    return result(0);
}

CudaResult cuDevicePrimaryCtxRelease_v2(int device)
{
    const Lock lock(state().mutex);
    auto &place = state().contexts.at(static_cast<std::size_t>(device));
    if (!place || place->retained == 0) {
        violation(lock, "a context released more often than retained");
        return result(invalid_value);
    }
    --place->retained;
    return result(state().sticky);
}

CudaResult cuCtxPushCurrent_v2(CudaContextHandle context)
{
    const Lock lock(state().mutex); // it fails only after the driver's own end
    if (context == nullptr || context->retained == 0) violation(lock, "a context that is gone made current");
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
    *free = static_cast<std::size_t>(state().settings.memory_bytes - state().used_bytes);
    return result(0);
}

CudaResult cuMemAlloc_v2(CudaAddress *address, std::size_t bytes)
{
    Lock lock(state().mutex);
    if (const auto code = begin_call(lock, "cuMemAlloc"); code != 0) return result(code);
    if (bytes == 0) return result(invalid_value);
    auto &s = state();
    if (static_cast<std::int64_t>(bytes) > s.settings.memory_bytes - s.used_bytes) return result(out_of_memory);
    auto *const memory = take(bytes);
    if (memory == nullptr) return result(out_of_memory);
    s.buffers[number(memory)] = bytes;
    s.used_bytes += static_cast<std::int64_t>(bytes);
    *address = number(memory);
    return result(0);
}

CudaResult cuMemFree_v2(CudaAddress address)
{
    Lock lock(state().mutex);
    const auto code = begin_return(lock, "cuMemFree");
    auto &s = state();
    const auto found = s.buffers.find(address);
    if (found == s.buffers.end()) {
        violation(lock, "cuMemFree of what is no array");
        return result(invalid_value);
    }
    check_unused(lock, {found->first, found->second}, "cuMemFree");
    std::memset(pointer(address), 0xff, found->second);
    std::free(pointer(address));
    s.used_bytes -= static_cast<std::int64_t>(found->second);
    s.buffers.erase(found);
    return result(code);
}

CudaResult cuMemHostAlloc(void **memory, std::size_t bytes, unsigned)
{
    Lock lock(state().mutex);
    if (const auto code = begin_call(lock, "cuMemHostAlloc"); code != 0) return result(code);
    if (bytes == 0) return result(invalid_value);
    *memory = take(bytes);
    if (*memory == nullptr) return result(out_of_memory);
    state().pinned[number(*memory)] = bytes;
    return result(0);
}

CudaResult cuMemFreeHost(void *memory)
{
    Lock lock(state().mutex);
    const auto code = begin_return(lock, "cuMemFreeHost");
    const auto found = state().pinned.find(number(memory));
    if (found == state().pinned.end()) {
        violation(lock, "cuMemFreeHost of what is not pinned");
        return result(invalid_value);
    }
    check_unused(lock, {found->first, found->second}, "cuMemFreeHost");
    std::free(memory);
    state().pinned.erase(found);
    return result(code);
}

CudaResult cuMemcpyHtoDAsync_v2(CudaAddress to, const void *from, std::size_t bytes, CudaStream stream)
{
    return copy_line("cuMemcpyHtoDAsync", {pointer(from), bytes, false}, {pointer(to), bytes, true}, bytes, stream);
}

CudaResult cuMemcpyDtoHAsync_v2(void *to, CudaAddress from, std::size_t bytes, CudaStream stream)
{
    return copy_line("cuMemcpyDtoHAsync", {pointer(from), bytes, true}, {pointer(to), bytes, false}, bytes, stream);
}

CudaResult cuMemcpyDtoDAsync_v2(CudaAddress to, CudaAddress from, std::size_t bytes, CudaStream stream)
{
    return copy_line("cuMemcpyDtoDAsync", {pointer(from), bytes, true}, {pointer(to), bytes, true}, bytes, stream);
}

CudaResult cuMemcpy2DAsync_v2(const CudaRectangleCopy *copy, CudaStream stream)
{
    Lock lock(state().mutex);
    if (const auto code = begin_call(lock, "cuMemcpy2DAsync"); code != 0) return result(code);
    const auto largest = static_cast<std::size_t>(state().settings.largest_pitch);
    for (const auto pitch : {copy->source_pitch, copy->target_pitch})
        if (pitch < copy->width_bytes || pitch > largest) return result(invalid_value);
    const auto side = [](CudaMemoryType type, const void *host, CudaAddress card, std::size_t x, std::size_t y,
                         std::size_t pitch) {
        const bool on_card = type == CudaMemoryType::device;
        return Side{(on_card ? pointer(card) : pointer(host)) + y * pitch + x, pitch, on_card};
    };
    return result(add_copy(lock, "cuMemcpy2DAsync",
                           side(copy->source_type, copy->source_host, copy->source_device, copy->source_x_bytes,
                                copy->source_y, copy->source_pitch),
                           side(copy->target_type, copy->target_host, copy->target_device, copy->target_x_bytes,
                                copy->target_y, copy->target_pitch),
                           copy->width_bytes, copy->height, stream));
}

CudaResult cuLaunchHostFunc(CudaStream stream, void (*function)(void *), void *argument)
{
    Lock lock(state().mutex);
    if (const auto code = begin_call(lock, "cuLaunchHostFunc"); code != 0) return result(code);
    auto command = std::make_shared<FakeCommand>();
    command->work = [=] { function(argument); };
    return result(push(lock, stream, std::move(command)) ? 0 : invalid_handle);
}

CudaResult cuStreamCreate(CudaStream *stream, unsigned)
{
    Lock lock(state().mutex);
    if (const auto code = begin_call(lock, "cuStreamCreate"); code != 0) return result(code);
    *stream = state().all_streams.emplace_back(std::make_unique<hpart::CUstream_st>()).get();
    state().streams.insert(*stream);
    return result(0);
}

CudaResult cuStreamDestroy_v2(CudaStream stream)
{
    Lock lock(state().mutex);
    const auto code = begin_return(lock, "cuStreamDestroy");
    auto &s = state();
    if (!s.streams.contains(stream)) {
        violation(lock, "cuStreamDestroy of what is no stream");
        return result(invalid_handle);
    }
    wait_until_empty(lock, stream);
    stream->closing = true;
    s.changed.notify_all();
    s.streams.erase(stream);
    lock.unlock();
    if (stream->thread.joinable()) stream->thread.join();
    return result(code);
}

CudaResult cuStreamSynchronize(CudaStream stream)
{
    Lock lock(state().mutex);
    if (const auto code = begin_call(lock, "cuStreamSynchronize"); code != 0 && code != state().sticky)
        return result(code);
    if (!state().streams.contains(stream)) {
        violation(lock, "cuStreamSynchronize of what is no stream");
        return result(invalid_handle);
    }
    wait_until_empty(lock, stream);
    return result(state().sticky);
}

CudaResult cuStreamWaitEvent(CudaStream stream, CudaEventHandle event, unsigned)
{
    Lock lock(state().mutex);
    if (const auto code = begin_call(lock, "cuStreamWaitEvent"); code != 0) return result(code);
    if (!state().events.contains(event)) {
        violation(lock, "cuStreamWaitEvent on what is no event");
        return result(invalid_handle);
    }
    if (!event->mark) return result(0);
    auto command = std::make_shared<FakeCommand>();
    command->wait_for = event->mark;
    return result(push(lock, stream, std::move(command)) ? 0 : invalid_handle);
}

CudaResult cuEventCreate(CudaEventHandle *event, unsigned)
{
    Lock lock(state().mutex);
    if (const auto code = begin_call(lock, "cuEventCreate"); code != 0) return result(code);
    *event = state().all_events.emplace_back(std::make_unique<hpart::CUevent_st>()).get();
    state().events.insert(*event);
    return result(0);
}

CudaResult cuEventDestroy_v2(CudaEventHandle event)
{
    Lock lock(state().mutex);
    const auto code = begin_return(lock, "cuEventDestroy");
    if (state().events.erase(event) == 0) {
        violation(lock, "cuEventDestroy of what is no event");
        return result(invalid_handle);
    }
    return result(code);
}

CudaResult cuEventRecord(CudaEventHandle event, CudaStream stream)
{
    Lock lock(state().mutex);
    if (const auto code = begin_call(lock, "cuEventRecord"); code != 0) return result(code);
    if (!state().events.contains(event)) {
        violation(lock, "cuEventRecord of what is no event");
        return result(invalid_handle);
    }
    auto command = std::make_shared<FakeCommand>();
    command->pass = event->mark = std::make_shared<FakeMark>();
    return result(push(lock, stream, std::move(command)) ? 0 : invalid_handle);
}

CudaResult cuEventQuery(CudaEventHandle event)
{
    Lock lock(state().mutex);
    if (const auto code = begin_call(lock, "cuEventQuery"); code != 0) return result(code);
    if (!state().events.contains(event)) {
        violation(lock, "cuEventQuery of what is no event");
        return result(invalid_handle);
    }
    return !event->mark || event->mark->passed ? result(0) : CudaResult::not_ready;
}

CudaResult cuEventSynchronize(CudaEventHandle event)
{
    Lock lock(state().mutex);
    if (const auto code = begin_call(lock, "cuEventSynchronize"); code != 0) return result(code);
    if (!state().events.contains(event)) {
        violation(lock, "cuEventSynchronize on what is no event");
        return result(invalid_handle);
    }
    const auto mark = event->mark;
    if (mark) state().changed.wait(lock, [&] { return mark->passed; });
    return result(state().sticky);
}

CudaResult cuEventElapsedTime(float *milliseconds, CudaEventHandle start, CudaEventHandle end)
{
    Lock lock(state().mutex);
    if (const auto code = begin_call(lock, "cuEventElapsedTime"); code != 0) return result(code);
    for (auto *const event : {start, end})
        if (!state().events.contains(event) || !event->mark) return result(invalid_handle);
    if (!start->mark->passed || !end->mark->passed) return CudaResult::not_ready;
    *milliseconds = static_cast<float>((end->mark->seconds - start->mark->seconds) * 1000);
    return result(0);
}
}
