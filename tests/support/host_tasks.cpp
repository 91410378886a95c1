#include "host_tasks.hpp"

#include "core/error.hpp"

#ifdef HPART_HAVE_OPENCL
#include "out_of_card/devices/opencl_native.hpp"
#endif
#ifdef FAKE_CUDA_LIBRARY
#include "out_of_card/devices/cuda_driver.hpp"
#endif

#include <cstring>
#include <memory>

namespace support
{

using namespace hpart;

namespace
{

Launch on_host(Task task, const std::vector<DeviceBuffer *> &buffers)
{
    return [task = std::move(task), buffers](LaunchContext &) {
        std::vector<std::byte *> memories;
        for (auto *buffer : buffers) memories.push_back(static_cast<std::byte *>(buffer->native()));
        task(memories);
    };
}

#ifdef HPART_HAVE_OPENCL

constexpr std::size_t most_buffers = 4;

// What the driver hands to the native kernel: a copy of these bytes, with the addresses of the buffers filled in.
struct NativeTask {
    Task *task;
    std::size_t count;
    std::byte *memories[most_buffers];
};

void run_native_task(void *arguments)
{
    NativeTask native{};
    std::memcpy(&native, arguments, sizeof native);
    const std::unique_ptr<Task> task(native.task);
    (*task)({native.memories, native.count});
}

Launch on_opencl(Task task, const std::vector<DeviceBuffer *> &buffers)
{
    return [task = std::move(task), buffers](LaunchContext &context) {
        auto owned = std::make_unique<Task>(task);
        NativeTask native{owned.get(), buffers.size(), {}};
        std::vector<cl_mem> memories;
        std::vector<const void *> places;
        for (std::size_t k = 0; k < buffers.size(); ++k) {
            memories.push_back(opencl_native(*buffers[k]));
            places.push_back(&native.memories[k]);
        }
        cl_event event = nullptr;
        const auto count = static_cast<cl_uint>(memories.size());
        check_cl(clEnqueueNativeKernel(opencl_queue(context), run_native_task, &native, sizeof native, count,
                                       count > 0 ? memories.data() : nullptr, count > 0 ? places.data() : nullptr, 0,
                                       nullptr, &event),
                 "clEnqueueNativeKernel");
        owned.release(); // NOLINT(bugprone-unused-return-value): the kernel frees it
        context.last_event = event;
    };
}

#endif

#ifdef FAKE_CUDA_LIBRARY

struct HostTask {
    Task task;
    std::vector<std::byte *> memories;
};

void run_host_task(void *argument)
{
    const std::unique_ptr<HostTask> host_task(static_cast<HostTask *>(argument));
    host_task->task(host_task->memories);
}

// Where the driver works on the host, card memory is the host's.
Launch on_cuda(Task task, const std::vector<DeviceBuffer *> &buffers)
{
    return [task = std::move(task), buffers](LaunchContext &context) {
        CudaResult (*launch_host_function)(CudaStream, void (*)(void *), void *) = nullptr;
        DynamicLibrary("the CUDA driver", {FAKE_CUDA_LIBRARY}).bind(launch_host_function, "cuLaunchHostFunc");
        auto owned = std::make_unique<HostTask>(HostTask{task, {}});
        for (auto *buffer : buffers) owned->memories.push_back(static_cast<std::byte *>(buffer->native()));
        if (launch_host_function(static_cast<CudaStream>(context.queue), run_host_task, owned.get()) !=
            CudaResult::success)
            fail(Status::device, "cuLaunchHostFunc failed");
        owned.release(); // NOLINT(bugprone-unused-return-value): the function frees it
    };
}

#endif

} // namespace

Launch host_task(Device &device, Task task, std::vector<DeviceBuffer *> buffers)
{
    switch (device.info().backend) {
    case Backend::host: return on_host(std::move(task), buffers);
#ifdef HPART_HAVE_OPENCL
    case Backend::opencl: return on_opencl(std::move(task), buffers);
#endif
#ifdef FAKE_CUDA_LIBRARY
    case Backend::cuda: return on_cuda(std::move(task), buffers);
#endif
    default: fail(Status::unsupported, device.info().spec, " runs no functions of the host");
    }
}

} // namespace support
