// A plan of VkFFT: its header defines all of the library, so that one file alone includes it.
#pragma once

#include "out_of_card/devices/opencl_handles.hpp"
#include "out_of_card/in_card/fft.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace hpart
{

class VkFftPlan
{
  public:
    // Compiles code for the device: seconds. Dense shapes only: inner = pitch.
    VkFftPlan(cl_context context, cl_device_id device, const DeviceFftShape &shape);
    VkFftPlan(const VkFftPlan &) = delete;
    VkFftPlan &operator=(const VkFftPlan &) = delete;
    ~VkFftPlan();

    // Memory of a run beside the data.
    std::int64_t scratch_bytes() const { return scratch_bytes_; }
    // On the device as long as the plan lives.
    std::int64_t table_bytes() const { return table_bytes_; }
    // Adds its commands to an in-order queue.
    void run(cl_command_queue queue, cl_mem data, std::int64_t offset_bytes, cl_mem scratch);

  private:
    struct Application;
    std::unique_ptr<Application> application_;
    std::int64_t scratch_bytes_ = 0, table_bytes_ = 0;
};

// Local memory that its plans may use.
std::int64_t local_bytes_for_vkfft(cl_device_id device);
std::string vkfft_version();

} // namespace hpart
