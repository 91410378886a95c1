// The driver's copies, streams and events.
#include "state.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

using namespace fake_cuda;
using hpart::CudaMemoryType;
using hpart::CudaRectangleCopy;

namespace
{

// For the current context.
bool is_pinned(const FakeRange &range)
{
    const auto &pinned = state().pinned;
    return std::any_of(pinned.begin(), pinned.end(), [&](const auto &entry) {
        const auto &memory = entry.second;
        return (memory.portable || memory.context == current_context()) &&
               FakeRange{entry.first, memory.bytes}.contains(range);
    });
}

struct Side {
    std::byte *first;
    std::size_t pitch;
    bool on_device;
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
        if (side.on_device) {
            if (!is_on_device(lock, range)) {
                violation(lock, std::string(call) + " beyond an array on the device");
                return invalid_value;
            }
            command->device_ranges.push_back(range);
        } else {
            if (!state().settings.reads_pageable_memory && is_on_device(lock, {range.first, 1}) && !is_pinned(range))
                violation(lock, std::string(call) + " takes memory of the device for the host's");
            command->host_ranges.push_back(range);
            pageable = pageable || !is_pinned(range);
        }
    }
    const auto bytes = static_cast<double>(width) * static_cast<double>(height);
    const auto rows = height > 1 ? static_cast<double>(height) : 0;
    command->engine = !from.on_device ? FakeEngine::in : !to.on_device ? FakeEngine::out : FakeEngine::kernel;
    if (command->engine != FakeEngine::kernel) command->link_bytes = bytes;
    command->seconds = simulated(&Speeds::copy) + rows * simulated(&Speeds::row) +
                       (!from.on_device ? simulated_work(bytes, &Speeds::in)
                        : !to.on_device ? simulated_work(bytes, &Speeds::out)
                                        : simulated_work(2 * bytes, &Speeds::memory));
    command->work = [=] {
        for (std::size_t row = 0; row < height; ++row)
            std::memcpy(to.first + row * to.pitch, from.first + row * from.pitch, width);
    };
    if (!from.on_device && !pageable) pack(lock, bytes); // the chunk was packed just before
    if (const auto code = push(lock, stream, std::move(command), call); code != 0) return code;
    stream->unpacked_bytes = !to.on_device && !pageable ? bytes : 0;
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
    if (state().settings.refuses_pitches_on_device && copy->source_type == CudaMemoryType::device &&
        copy->target_type == CudaMemoryType::device)
        return result(invalid_value);
    const auto side = [](CudaMemoryType type, const void *host, CudaAddress session, std::size_t x, std::size_t y,
                         std::size_t pitch) {
        const bool on_device = type == CudaMemoryType::device;
        return Side{(on_device ? pointer(session) : pointer(host)) + y * pitch + x, pitch, on_device};
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
    return result(push(lock, stream, std::move(command), "cuLaunchHostFunc"));
}

CudaResult cuStreamCreate(CudaStream *stream, unsigned)
{
    Lock lock(state().mutex);
    if (const auto code = begin_call(lock, "cuStreamCreate"); code != 0) return result(code);
    *stream = state().all_streams.emplace_back(std::make_unique<hpart::CUstream_st>()).get();
    (*stream)->context = current_context();
    state().streams.insert(*stream);
    return result(0);
}

CudaResult cuStreamCreateWithPriority(CudaStream *stream, unsigned flags, int priority)
{
    const auto code = cuStreamCreate(stream, flags);
    if (code == result(0)) {
        const Lock lock(state().mutex);
        (*stream)->priority = priority;
    }
    return code;
}

CudaResult cuStreamDestroy_v2(CudaStream stream)
{
    Lock lock(state().mutex);
    if (const auto code = begin_return(lock, "cuStreamDestroy"); code != 0) return result(code);
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
    lock.lock();
    return result(s.sticky);
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
    return result(push(lock, stream, std::move(command), "cuStreamWaitEvent"));
}

CudaResult cuEventCreate(CudaEventHandle *event, unsigned)
{
    Lock lock(state().mutex);
    if (const auto code = begin_call(lock, "cuEventCreate"); code != 0) return result(code);
    *event = state().all_events.emplace_back(std::make_unique<hpart::CUevent_st>()).get();
    (*event)->context = current_context();
    state().events.insert(*event);
    return result(0);
}

CudaResult cuEventDestroy_v2(CudaEventHandle event)
{
    Lock lock(state().mutex);
    if (const auto code = begin_return(lock, "cuEventDestroy"); code != 0) return result(code);
    if (state().events.erase(event) == 0) {
        violation(lock, "cuEventDestroy of what is no event");
        return result(invalid_handle);
    }
    return result(state().sticky);
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
    if (const auto code = check_context(lock, event->context, "cuEventRecord"); code != 0) return result(code);
    command->pass = event->mark = std::make_shared<FakeMark>();
    event->mark->unpacked_bytes = std::exchange(stream->unpacked_bytes, 0);
    return result(push(lock, stream, std::move(command), "cuEventRecord"));
}

CudaResult cuEventQuery(CudaEventHandle event)
{
    Lock lock(state().mutex);
    if (const auto code = begin_call(lock, "cuEventQuery"); code != 0) return result(code);
    if (!state().events.contains(event)) {
        violation(lock, "cuEventQuery of what is no event");
        return result(invalid_handle);
    }
    const auto mark = event->mark;
    if (!mark) return result(0);
    const auto &settings = state().settings;
    if (settings.speeds && !settings.executes) wait_until(lock, [&] { return mark->passed; });
    return mark->passed && (!settings.speeds || mark->seconds <= now(lock)) ? result(0) : CudaResult::not_ready;
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
    if (mark) wait_until(lock, [&] { return mark->passed; });
    if (mark && state().settings.speeds && mark->seconds > now(lock))
        now(lock) = mark->seconds + simulated(&Speeds::wake_up);
    if (mark) pack(lock, std::exchange(mark->unpacked_bytes, 0));
    return result(state().sticky);
}

CudaResult cuEventElapsedTime_v2(float *milliseconds, CudaEventHandle start, CudaEventHandle end)
{
    Lock lock(state().mutex);
    if (const auto code = begin_call(lock, "cuEventElapsedTime"); code != 0) return result(code);
    for (auto *const event : {start, end})
        if (!state().events.contains(event) || !event->mark) return result(invalid_handle);
    if (start->context != end->context) return result(invalid_handle);
    if (!start->mark->passed || !end->mark->passed) return CudaResult::not_ready;
    *milliseconds = static_cast<float>((end->mark->seconds - start->mark->seconds) * 1000);
    return result(0);
}

CudaResult cuEventElapsedTime(float *milliseconds, CudaEventHandle start, CudaEventHandle end)
{
    violation(Lock(state().mutex), "cuEventElapsedTime beside its newer version");
    return cuEventElapsedTime_v2(milliseconds, start, end);
}
}
