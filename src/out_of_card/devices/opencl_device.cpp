#include "out_of_card/devices/opencl_device.hpp"

#include "core/error.hpp"
#include "out_of_card/devices/opencl_find.hpp"
#include "out_of_card/devices/opencl_query.hpp"

namespace hpart
{

namespace
{

cl_device_id with_double_precision(cl_device_id device, std::string_view spec)
{
    if (!has_double_precision(device))
        fail(Status::unsupported, "the device of ", in_quotes(spec), ", ", cl_text(device, CL_DEVICE_NAME),
             ", has no double precision");
    return device;
}

} // namespace

OpenClDevice::OpenClDevice(std::string_view spec)
    : spec_(spec), device_(with_double_precision(find_opencl_device(spec), spec))
{
    cl_int status = CL_SUCCESS;
    context_ = ClContext(clCreateContext(nullptr, 1, &device_, nullptr, nullptr, &status));
    check_cl(status, "clCreateContext");
    queue_ = ClQueue(clCreateCommandQueue(context_.get(), device_, 0, &status));
    check_cl(status, "clCreateCommandQueue");
    memory_bytes_ = cl_value<cl_ulong>(device_, CL_DEVICE_GLOBAL_MEM_SIZE);
    largest_buffer_bytes_ = cl_value<cl_ulong>(device_, CL_DEVICE_MAX_MEM_ALLOC_SIZE);
}

void OpenClDevice::check_memory(std::initializer_list<std::size_t> buffer_bytes) const
{
    std::size_t sum = 0;
    for (const auto bytes : buffer_bytes) {
        if (bytes > largest_buffer_bytes_)
            fail(Status::out_of_memory, spec_, " takes no array above ", largest_buffer_bytes_, " bytes; ", bytes,
                 " are needed");
        sum += bytes; // of less than the host's memory each
    }
    if (sum > memory_bytes_)
        fail(Status::out_of_memory, spec_, " has ", memory_bytes_, " bytes of memory; ", sum, " are needed");
}

ClBuffer OpenClDevice::make_buffer(std::size_t bytes) const
{
    cl_int status = CL_SUCCESS;
    ClBuffer buffer(clCreateBuffer(context(), CL_MEM_READ_WRITE, bytes, nullptr, &status));
    check_cl(status, "clCreateBuffer");
    return buffer;
}

OpenClCommands::~OpenClCommands()
{
    if (!events_.empty()) clFinish(queue_);
}

void OpenClCommands::write(cl_mem buffer, const void *from, std::size_t bytes)
{
    cl_event event = nullptr;
    check_cl(clEnqueueWriteBuffer(queue_, buffer, CL_FALSE, 0, bytes, from, 0, nullptr, &event),
             "clEnqueueWriteBuffer");
    add(event);
}

void OpenClCommands::read(cl_mem buffer, void *to, std::size_t bytes)
{
    cl_event event = nullptr;
    check_cl(clEnqueueReadBuffer(queue_, buffer, CL_FALSE, 0, bytes, to, 0, nullptr, &event), "clEnqueueReadBuffer");
    add(event);
}

void OpenClCommands::finish()
{
    check_cl(clFinish(queue_), "clFinish");
    for (const auto &event : events_) {
        cl_int state = CL_COMPLETE;
        check_cl(clGetEventInfo(event.get(), CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, nullptr),
                 "clGetEventInfo");
        if (state != CL_COMPLETE)
            fail(Status::device, "a command on the OpenCL device ended as ", cl_error_name(state));
    }
    events_.clear();
}

} // namespace hpart
