// Kernels of our own on OpenCL devices.
#pragma once

#include "core/error.hpp"
#include "out_of_card/devices/device.hpp"
#include "out_of_card/devices/opencl_backend.hpp"

#include <array>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>

namespace hpart
{

// Definitions that a program is compiled with.
class OpenClDefinitions
{
  public:
    OpenClDefinitions &set(std::string_view name, std::int64_t value);
    const std::string &text() const { return text_; }

  private:
    std::string text_;
};

// Status::device with the compiler's words where it cannot be built; `what` names the program.
void build_program(const OpenClNative &native, cl_program program, const std::string &options, std::string_view what);

// The device's program, built unless it was before, or refused before. The same failures.
cl_program program_of_source(const OpenClNative &native, const std::string &source, const std::string &options,
                             std::string_view what);

// The device's program, compiled unless it was before. Status::device with the compiler's words where it cannot be.
cl_program opencl_program(const OpenClNative &native, const char *source, const OpenClDefinitions &definitions);

struct OpenClRange {
    std::array<std::size_t, 3> groups;
    std::array<std::size_t, 2> group_items;
};

// A grid of so many groups per row and so many rows. Devices may have no more than 65535 in the second dimension: rows beyond are in
// the third, so that a kernel's row is get_group_id(1) + get_num_groups(1) * get_group_id(2), and may be beyond the last.
OpenClRange tall_range(std::int64_t columns, std::int64_t rows, const std::array<std::size_t, 2> &group_items);

class OpenClKernel
{
  public:
    // As opencl_program.
    OpenClKernel(const OpenClNative &native, const char *source, const OpenClDefinitions &definitions,
                 const char *kernel);
    explicit OpenClKernel(ClKernel kernel) : kernel_(std::move(kernel)) {}

    // Adds a command to a launch. Arguments as the kernel has them: cl_mem, cl_long, cl_long4, cl_int, cl_float, cl_double.
    template <typename... Arguments>
    void launch(LaunchContext &context, const OpenClRange &range, const Arguments &...arguments)
    {
        const std::lock_guard lock(mutex_); // a kernel's arguments are its own until the command is given
        cl_uint index = 0;
        // NOLINTNEXTLINE(bugprone-sizeof-expression): handles are passed themselves
        (set_argument(index++, sizeof(Arguments), &arguments), ...);
        enqueue(context, range);
    }

  private:
    void set_argument(cl_uint index, std::size_t size, const void *value);
    void enqueue(LaunchContext &context, const OpenClRange &range);

    ClKernel kernel_;
    std::mutex mutex_;
};

} // namespace hpart
