// An OpenCL device, or one compute unit of it as a sub-device, opened for work.
#pragma once

#include "out_of_card/devices/opencl_handles.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hpart
{

class OpenClDevice
{
  public:
    // "opencl:P:D" or "opencl:P:D:S": device D of platform P, or its S-th compute unit. Status::device when it is not
    // there or cannot be divided, Status::unsupported when it lacks double precision.
    explicit OpenClDevice(std::string_view spec);

    cl_context context() const { return context_.get(); }
    cl_device_id device() const { return device_; }
    // In order.
    cl_command_queue queue() const { return queue_.get(); }

    // Some drivers end the process when they run out of memory: a request for all buffers of a problem that cannot be
    // met fails here with Status::out_of_memory first.
    void check_memory(std::initializer_list<std::size_t> buffer_bytes) const;
    ClBuffer make_buffer(std::size_t bytes) const;

  private:
    std::string spec_;
    cl_device_id device_;
    ClContext context_;
    ClQueue queue_;
    std::uint64_t memory_bytes_ = 0, largest_buffer_bytes_ = 0;
};

// Commands in a queue. Some drivers tell of a failed command in its event alone: each one is looked at.
class OpenClCommands
{
  public:
    explicit OpenClCommands(cl_command_queue queue) : queue_(queue) {}
    OpenClCommands(const OpenClCommands &) = delete;
    OpenClCommands &operator=(const OpenClCommands &) = delete;
    // The host memory of pending commands may go after this: they are waited for.
    ~OpenClCommands();

    void write(cl_mem buffer, const void *from, std::size_t bytes);
    void read(cl_mem buffer, void *to, std::size_t bytes);
    void add(cl_event event) { events_.emplace_back(event); }
    // Waits for all, and fails when one has failed.
    void finish();

  private:
    cl_command_queue queue_;
    std::vector<ClEvent> events_;
};

} // namespace hpart
