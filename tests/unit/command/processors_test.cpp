// The processors that are proposed of those that a machine has.
#include "processors.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace hpart_command
{
namespace
{

const std::string h100 = "NVIDIA H100 80GB HBM3, 132 compute units, 85017493504 bytes, GPU, double precision, ";

TEST(Processors, AGpuOfTwoDriversIsOne)
{
    using Specs = std::vector<std::string>;
    const Device by_opencl{"opencl:0:0", h100 + "OpenCL 3.0 CUDA"}, by_cuda{"cuda:0", h100 + "CUDA 13.0"},
        another{"opencl:1:0", "gfx90a, 104 compute units, 68702699520 bytes, GPU, double precision, OpenCL 2.0"},
        cores{"opencl:2:0", "cpu-haswell, 16 compute units, 3897151488 bytes, CPU, double precision, OpenCL 3.0"};
    EXPECT_EQ(graphics_of({by_opencl, by_cuda}), Specs{"cuda:0"});
    EXPECT_EQ(graphics_of({by_opencl, another, cores, by_cuda}), (Specs{"cuda:0", "opencl:1:0"}));
    EXPECT_EQ(graphics_of({by_opencl, cores}), Specs{"opencl:0:0"});
    EXPECT_EQ(graphics_of({cores}), Specs());
    const Device second{"opencl:0:1", by_opencl.description}, elsewhere{"opencl:3:0", by_opencl.description};
    EXPECT_EQ(graphics_of({by_opencl, second, elsewhere}), (Specs{"opencl:0:0", "opencl:0:1"}));
}

TEST(Processors, HalfOfTheCoresServeGpus)
{
    const auto processors = [](std::vector<std::string> graphics, int count) {
        std::vector<int> cores(static_cast<std::size_t>(count));
        std::iota(cores.begin(), cores.end(), 0);
        return with_host_cores(graphics, cores);
    };
    using Specs = std::vector<std::string>;
    EXPECT_EQ(processors({"cuda:0"}, 16), (Specs{"cpu:0-7", "cuda:0@8-15"}));
    EXPECT_EQ(processors({"cuda:0"}, 64), (Specs{"cpu:0-55", "cuda:0@56-63"}));
    EXPECT_EQ(processors({"cuda:0", "cuda:1"}, 16), (Specs{"cpu:0-7", "cuda:0@8-11", "cuda:1@12-15"}));
    EXPECT_EQ(processors({"cuda:0", "cuda:1"}, 3), (Specs{"cpu:0", "cuda:0@1", "cuda:1@2"}));
    EXPECT_EQ(processors({"cuda:0"}, 2), (Specs{"cpu:0", "cuda:0@1"}));
    EXPECT_EQ(processors({"cuda:0"}, 1), (Specs{"cpu:0", "cuda:0"}));
    EXPECT_EQ(with_host_cores({"cuda:0"}, std::vector{0, 2, 4, 6, 8}), (Specs{"cpu:0,2,4", "cuda:0@6,8"}));
}

} // namespace
} // namespace hpart_command
