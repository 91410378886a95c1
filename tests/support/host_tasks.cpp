#include "host_tasks.hpp"

#include "backends.hpp"
#include "core/error.hpp"

#ifdef HPART_HAVE_OPENCL
#include "out_of_card/devices/opencl_backend.hpp"
#include "out_of_card/devices/opencl_handles.hpp"
#endif
#ifdef FAKE_CUDA_LIBRARY
#include "out_of_card/devices/cuda_driver.hpp"
#endif

#include <bit>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <thread>

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

// A task in a queue of OpenCL and what it is to be given. PoCL gives a native kernel the addresses of several buffers in
// the order of their age: each is asked for by a command of its own.
struct NativeTask {
    Task task;
    std::vector<std::byte *> memories;
    std::vector<ClEvent> events; // PoCL uses events that fail after they are released: they are kept
};

// Those in a queue: one that is dropped there, because what it waits for failed, is never run.
std::map<NativeTask *, std::unique_ptr<NativeTask>> &native_tasks()
{
    static std::map<NativeTask *, std::unique_ptr<NativeTask>> the_one;
    return the_one;
}

std::mutex &native_tasks_mutex()
{
    static std::mutex the_one;
    return the_one;
}

struct AddressArguments {
    NativeTask *native;
    std::byte *memory;
};

void take_address(void *arguments)
{
    AddressArguments taken{};
    std::memcpy(&taken, arguments, sizeof taken);
    taken.native->memories.push_back(taken.memory);
}

void forget_native_task(NativeTask *native)
{
    const std::lock_guard lock(native_tasks_mutex());
    native_tasks().erase(native);
}

void run_native_task(void *arguments)
{
    NativeTask *native = nullptr;
    std::memcpy(&native, arguments, sizeof native);
    native->task(native->memories);
    forget_native_task(native);
}

NativeTask *add_native_task(const Task &task)
{
    auto native = std::make_unique<NativeTask>(NativeTask{task, {}, {}});
    const std::lock_guard lock(native_tasks_mutex());
    return native_tasks().emplace(native.get(), std::move(native)).first->first;
}

Launch by_native_kernels(Task task, const std::vector<DeviceBuffer *> &buffers)
{
    return [task = std::move(task), buffers](LaunchContext &context) {
        auto *const queue = opencl_queue(context);
        auto *native = add_native_task(task);
        cl_event event = nullptr;
        for (auto *buffer : buffers) {
            AddressArguments arguments{native, nullptr};
            auto *memory = opencl_native(*buffer);
            const void *place = &arguments.memory;
            check_cl(clEnqueueNativeKernel(queue, take_address, &arguments, sizeof arguments, 1, &memory, &place, 0,
                                           nullptr, &event),
                     "clEnqueueNativeKernel");
            native->events.emplace_back(event);
        }
        check_cl(clEnqueueNativeKernel(queue, run_native_task, static_cast<void *>(&native), sizeof native, 0, nullptr,
                                       nullptr, 0, nullptr, &event),
                 "clEnqueueNativeKernel");
        context.last_event = event;
    };
}

// Runs the task in the memory of the buffers, mapped by a queue of its own.
void run_in_mapped(const Task &task, cl_context context, cl_device_id device, const std::vector<cl_mem> &buffers)
{
    cl_int status = CL_SUCCESS;
    const ClQueue queue(clCreateCommandQueue(context, device, 0, &status));
    check_cl(status, "clCreateCommandQueue");
    std::vector<std::byte *> memories;
    for (auto *buffer : buffers) {
        std::size_t bytes = 0;
        check_cl(clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof bytes, &bytes, nullptr), "clGetMemObjectInfo");
        memories.push_back(static_cast<std::byte *>(clEnqueueMapBuffer(
            queue.get(), buffer, CL_TRUE, CL_MAP_READ | CL_MAP_WRITE, 0, bytes, 0, nullptr, nullptr, &status)));
        check_cl(status, "clEnqueueMapBuffer");
    }
    task(memories);
    for (std::size_t k = 0; k < buffers.size(); ++k)
        check_cl(clEnqueueUnmapMemObject(queue.get(), buffers[k], memories[k], 0, nullptr, nullptr),
                 "clEnqueueUnmapMemObject");
    check_cl(clFinish(queue.get()), "clFinish");
}

// A thread of the host runs the task when the queue's commands before it are over; those behind it wait for an event that the thread
// ends. That one is never ended as failed: commands that follow a failed one fail without it, and some drivers cannot bear it.
Launch by_a_thread(const OpenClNative &device, Task task, const std::vector<DeviceBuffer *> &buffers)
{
    return [device, task = std::move(task), buffers](LaunchContext &context) {
        auto *const queue = opencl_queue(context);
        auto *native = add_native_task(task);
        cl_int status = CL_SUCCESS;
        const auto add_event = [&](cl_event event) {
            check_cl(status, "an event of a task");
            native->events.emplace_back(event);
            return event;
        };
        cl_event event = nullptr;
        status = clEnqueueMarkerWithWaitList(queue, 0, nullptr, &event);
        auto *const begin = add_event(event);
        auto *const end = add_event(clCreateUserEvent(device.context, &status));
        status = clEnqueueBarrierWithWaitList(queue, 1, &end, &event);
        add_event(event);
        std::vector<cl_mem> memories;
        for (auto *buffer : buffers) memories.push_back(opencl_native(*buffer));
        std::thread([=] {
            const bool runs = clWaitForEvents(1, &begin) == CL_SUCCESS;
            if (runs) run_in_mapped(native->task, device.context, device.device, memories);
            clSetUserEventStatus(end, CL_COMPLETE);
            if (runs) forget_native_task(native); // else the driver may still use its events
        }).detach();
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

// A GPU's memory is copied to the host and back, while the caller waits.
Launch on_real_cuda(Task task, const std::vector<DeviceBuffer *> &buffers)
{
    return [task = std::move(task), buffers](LaunchContext &context) {
        const DynamicLibrary driver("the CUDA driver", {"libcuda.so.1"});
        CudaResult (*synchronize)(CudaStream) = nullptr;
        CudaResult (*range_of)(CudaAddress *, std::size_t *, CudaAddress) = nullptr;
        CudaResult (*copy_out)(void *, CudaAddress, std::size_t) = nullptr;
        CudaResult (*copy_in)(CudaAddress, const void *, std::size_t) = nullptr;
        driver.bind(synchronize, "cuStreamSynchronize");
        driver.bind(range_of, "cuMemGetAddressRange_v2");
        driver.bind(copy_out, "cuMemcpyDtoH_v2");
        driver.bind(copy_in, "cuMemcpyHtoD_v2");
        const auto check = [](CudaResult result) {
            if (result != CudaResult::success)
                fail(Status::device, "a task on the host: CUDA error ", static_cast<int>(result));
        };
        check(synchronize(static_cast<CudaStream>(context.queue)));
        std::vector<std::vector<std::byte>> before;
        for (auto *buffer : buffers) {
            const auto address = std::bit_cast<CudaAddress>(buffer->native());
            CudaAddress first = 0;
            std::size_t bytes = 0;
            check(range_of(&first, &bytes, address));
            auto &copy = before.emplace_back(first + bytes - address);
            check(copy_out(copy.data(), address, copy.size()));
        }
        auto after = before;
        std::vector<std::byte *> memories;
        for (auto &copy : after) memories.push_back(copy.data());
        task(memories);
        // Other buffers of the same allocation are behind, where other commands may write.
        for (std::size_t k = 0; k < buffers.size(); ++k)
            for (std::size_t at = 0; at < after[k].size(); ++at)
                if (after[k][at] != before[k][at])
                    check(copy_in(std::bit_cast<CudaAddress>(buffers[k]->native()) + at, &after[k][at], 1));
        check(synchronize(nullptr)); // a copy of plain memory may still be on its way
    };
}

// The fake driver works on the host, where device memory is the host's.
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
    case Backend::opencl:
        if (const auto native = opencl_native(device); !has_native_kernels(native.device))
            return by_a_thread(native, std::move(task), buffers);
        return by_native_kernels(std::move(task), buffers);
#endif
#ifdef FAKE_CUDA_LIBRARY
    case Backend::cuda:
        return has_real_cuda() ? on_real_cuda(std::move(task), buffers) : on_cuda(std::move(task), buffers);
#endif
    default: fail(Status::unsupported, device.info().spec, " runs no functions of the host");
    }
}

} // namespace support
