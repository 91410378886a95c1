// A plan of VkFFT: its header defines all of the library, so that one file alone includes it.
#pragma once

#include "out_of_card/devices/opencl_device.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace hpart
{

// The forward transform of rows x n complex numbers in a buffer of the device, in place. The device must outlive it.
class VkFftPlan
{
  public:
    // Compiles code for the device: seconds.
    VkFftPlan(const OpenClDevice &device, std::int64_t rows, std::int64_t n);
    VkFftPlan(const VkFftPlan &) = delete;
    VkFftPlan &operator=(const VkFftPlan &) = delete;
    ~VkFftPlan();

    std::int64_t rows() const { return rows_; }
    // Adds its commands to the device's queue.
    void run(cl_mem buffer);

  private:
    struct Application;
    std::unique_ptr<Application> application_;
    const OpenClDevice &device_;
    std::int64_t rows_;
};

std::string vkfft_version();

} // namespace hpart
