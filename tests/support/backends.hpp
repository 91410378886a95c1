// The devices that every test of the out-of-card engine runs on.
#pragma once

#include "out_of_card/devices/device.hpp"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

namespace support
{

struct BackendCase {
    std::string name; // fit for a test's name
    std::function<std::shared_ptr<hpart::Device>()> open;
    bool is_here = true;
    // opencl_shim changes all OpenCL devices of the process while such a device is open.
    bool is_alone = false;
};

// The host, a compute unit of opencl:0:0, and opencl:0:0 made to look like a GPU; in long runs also opencl:0:0 as it is. Those
// that this machine lacks are not here.
const std::vector<BackendCase> &backend_cases();
// True if opencl:0:0 can be divided into its compute units.
bool has_opencl_units();
// cuda:0 of a driver that works on the host, or of this machine's where the variable HPART_TEST_CUDA is set. Tests that delay
// commands or make them fail need gates, which CUDA does not have.
bool has_real_cuda();
const std::vector<BackendCase> &backend_cases_without_gates();
// A CUDA device on which the host factors panels, if there is the fake driver.
std::vector<BackendCase> cuda_without_cusolver();
// Both.
std::vector<BackendCase> all_backend_cases();

// A test on such a device; skipped where that is not here.
class OnBackend : public testing::TestWithParam<BackendCase>
{
  protected:
    void SetUp() override;
    std::shared_ptr<hpart::Device> device_;
};
// Buffers, queues, events and, if asked for, pinned memory.
using Alive = std::array<std::int64_t, 4>;
Alive alive_on(const hpart::Device &device, bool with_pinned = false);
inline void expect_nothing_alive(const hpart::Device &device) { EXPECT_EQ(alive_on(device, true), Alive{}); }

// For GoogleTest's messages.
inline void PrintTo(const BackendCase &backend, std::ostream *out) { *out << backend.name; }
inline std::string backend_name(const testing::TestParamInfo<BackendCase> &backend) { return backend.param.name; }

} // namespace support
