#include "out_of_card/devices/opencl_native.hpp"

#include "host/page_memory.hpp"

namespace hpart
{

namespace
{

// The driver copies it, and puts the buffer's address into it.
struct NativeCopy {
    void *memory = nullptr;
    std::int64_t offset_bytes = 0, device_pitch_bytes = 0;
    void *host = nullptr;
    std::int64_t host_pitch_bytes = 0;
    Rectangle rectangle;

    char *on_device() const { return static_cast<char *>(memory) + offset_bytes; }
};

void CL_CALLBACK run_write(void *memory)
{
    const auto &copy = *static_cast<const NativeCopy *>(memory);
    copy_with_prefetch({copy.on_device(), copy.device_pitch_bytes, copy.host, copy.host_pitch_bytes,
                        copy.rectangle.rows, copy.rectangle.row_bytes});
}

void CL_CALLBACK run_read(void *memory)
{
    const auto &copy = *static_cast<const NativeCopy *>(memory);
    copy_past_caches({copy.host, copy.host_pitch_bytes, copy.on_device(), copy.device_pitch_bytes, copy.rectangle.rows,
                      copy.rectangle.row_bytes});
}

cl_int enqueue(cl_command_queue queue, void(CL_CALLBACK *run)(void *), NativeCopy copy, const BufferSide &side,
               cl_uint count, const cl_event *wait, cl_event *event)
{
    auto *const buffer = opencl_native(*side.buffer);
    const void *place = &copy.memory;
    copy.offset_bytes = side.offset_bytes;
    copy.device_pitch_bytes = side.pitch_bytes;
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

cl_int enqueue_native_read(cl_command_queue queue, const BufferSide &from, void *to, std::int64_t to_pitch_bytes,
                           const Rectangle &rectangle, cl_uint count, const cl_event *wait, cl_event *event)
{
    return enqueue(queue, run_read, {nullptr, 0, 0, to, to_pitch_bytes, rectangle}, from, count, wait, event);
}

} // namespace hpart
