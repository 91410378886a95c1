#include "out_of_card/devices/opencl_native_copy.hpp"

#include "host/rectangle_copy.hpp"
#include "out_of_card/devices/opencl_native.hpp"

#include <array>

namespace hpart
{

namespace
{

// The driver copies it, and puts the buffer's address into it.
struct NativeCopy {
    void *card = nullptr;
    std::int64_t offset_bytes = 0, card_pitch_bytes = 0;
    void *host = nullptr;
    std::int64_t host_pitch_bytes = 0;
    Rectangle rectangle;

    char *on_card() const { return static_cast<char *>(card) + offset_bytes; }
};

void CL_CALLBACK run_write(void *memory)
{
    const auto &copy = *static_cast<const NativeCopy *>(memory);
    copy_with_prefetch({copy.on_card(), copy.card_pitch_bytes, copy.host, copy.host_pitch_bytes, copy.rectangle.rows,
                        copy.rectangle.row_bytes});
}

struct NativeCopies {
    NativeCopy one, other;
};

void CL_CALLBACK run_writes(void *memory)
{
    auto &copies = *static_cast<NativeCopies *>(memory);
    run_write(&copies.one);
    run_write(&copies.other);
}

void CL_CALLBACK run_read(void *memory)
{
    const auto &copy = *static_cast<const NativeCopy *>(memory);
    copy_past_caches({copy.host, copy.host_pitch_bytes, copy.on_card(), copy.card_pitch_bytes, copy.rectangle.rows,
                      copy.rectangle.row_bytes});
}

cl_int enqueue(cl_command_queue queue, void(CL_CALLBACK *run)(void *), NativeCopy copy, const BufferSide &side,
               cl_uint count, const cl_event *wait, cl_event *event)
{
    auto *const buffer = opencl_native(*side.buffer);
    const void *place = &copy.card;
    copy.offset_bytes = side.offset_bytes;
    copy.card_pitch_bytes = side.pitch_bytes;
    return clEnqueueNativeKernel(queue, run, &copy, sizeof copy, 1, &buffer, &place, count, wait, event);
}

} // namespace

cl_int enqueue_native_write(cl_command_queue queue, const BufferSide &to, const void *from,
                            std::int64_t from_pitch_bytes, const Rectangle &rectangle, cl_uint count,
                            const cl_event *wait, cl_event *event)
{
    return enqueue(queue, run_write, {nullptr, 0, 0, const_cast<void *>(from), from_pitch_bytes, rectangle}, to, count,
                   wait, event);
}

cl_int enqueue_native_writes(cl_command_queue queue, const HostWrite &one, const HostWrite &other, cl_uint count,
                             const cl_event *wait, cl_event *event)
{
    const auto copy_of = [](const HostWrite &write) {
        return NativeCopy{nullptr,
                          write.to.offset_bytes,
                          write.to.pitch_bytes,
                          const_cast<void *>(write.from),
                          write.from_pitch_bytes,
                          write.rectangle};
    };
    NativeCopies copies{copy_of(one), copy_of(other)};
    const std::array buffers = {opencl_native(*one.to.buffer), opencl_native(*other.to.buffer)};
    const std::array<const void *, 2> places = {&copies.one.card, &copies.other.card};
    return clEnqueueNativeKernel(queue, run_writes, &copies, sizeof copies, 2, buffers.data(),
                                 const_cast<const void **>(places.data()), count, wait, event);
}

cl_int enqueue_native_read(cl_command_queue queue, const BufferSide &from, void *to, std::int64_t to_pitch_bytes,
                           const Rectangle &rectangle, cl_uint count, const cl_event *wait, cl_event *event)
{
    return enqueue(queue, run_read, {nullptr, 0, 0, to, to_pitch_bytes, rectangle}, from, count, wait, event);
}

} // namespace hpart
