// The processors that are proposed of those that a machine has.
#include "core/machine.hpp"
#include "processors.hpp"
#include "support/data.hpp"
#include "support/scratch.hpp"

#include <gtest/gtest.h>

#include <regex>
#include <tuple>

namespace hpart_command
{
namespace
{

const std::string h100 = "NVIDIA H100 80GB HBM3, 132 compute units, 85017493504 bytes, GPU, double precision, ";

using Specs = std::vector<std::string>;

TEST(Processors, AGpuOfTwoDriversIsOne)
{
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

// "cpu:N" of each hardware thread.
CoreThreads single_threads(int count)
{
    CoreThreads cores;
    for (int core = 0; core < count; ++core) cores.push_back({core});
    return cores;
}

TEST(Processors, HalfOfTheCoresServeGpus)
{
    const auto processors = [](std::vector<std::string> graphics, int count) {
        return with_host_cores(graphics, single_threads(count), std::vector<std::vector<int>>(graphics.size()));
    };
    EXPECT_EQ(processors({"cuda:0"}, 16), (Specs{"cpu:0-7", "cuda:0@8-15"}));
    EXPECT_EQ(processors({"cuda:0"}, 64), (Specs{"cpu:0-55", "cuda:0@56-63"}));
    EXPECT_EQ(processors({"cuda:0", "cuda:1"}, 16), (Specs{"cpu:0-7", "cuda:0@8-11", "cuda:1@12-15"}));
    EXPECT_EQ(processors({"cuda:0", "cuda:1"}, 3), (Specs{"cpu:0", "cuda:0@1", "cuda:1@2"}));
    EXPECT_EQ(processors({"cuda:0"}, 2), (Specs{"cpu:0", "cuda:0@1"}));
    EXPECT_EQ(processors({"cuda:0"}, 1), (Specs{"cpu:0", "cuda:0"}));
    EXPECT_EQ(with_host_cores({"cuda:0"}, {{0}, {2}, {4}, {6}, {8}}, {{}}), (Specs{"cpu:0,2,4", "cuda:0@6,8"}));
}

TEST(Processors, AGpuHasWholeCoresNearIt)
{
    CoreThreads cores; // threads numbered n and n + 32
    for (int core = 0; core < 32; ++core) cores.push_back({core, core + 32});
    EXPECT_EQ(with_host_cores({"cuda:0"}, cores, {{}}), (Specs{"cpu:0-23", "cuda:0@24-31,56-63"}));
    // Its bridge is in the first socket.
    EXPECT_EQ(with_host_cores({"cuda:0"}, cores, {numbers_of("0-15,32-47")}),
              (Specs{"cpu:0-7,16-31", "cuda:0@8-15,40-47"}));
    EXPECT_EQ(with_host_cores({"cuda:0", "cuda:1"}, cores, {numbers_of("16-31,48-63"), numbers_of("0-15,32-47")}),
              (Specs{"cpu:0-7,16-23", "cuda:0@24-31,56-63", "cuda:1@8-15,40-47"}));
    // Fewer cores are near than it needs.
    EXPECT_EQ(with_host_cores({"cuda:0"}, cores, {{3, 35}}), (Specs{"cpu:0-2,4-24", "cuda:0@3,25-31,35,57-63"}));
}

TEST(Processors, HaveCoresByWhateverName)
{
    using Groupings = std::vector<Grouping>;
    EXPECT_EQ(
        threads_of_cores(Groupings{{"node", {"0-3"}}, {"core", {"0,2", "1,3"}}, {"thread", {"0", "1", "2", "3"}}}),
        (CoreThreads{{0, 2}, {1, 3}}));
    EXPECT_EQ(threads_of_cores(Groupings{{"node", {"0-3"}}, {"l2", {"0-1", "2-3"}}, {"thread", {"0", "1", "2", "3"}}}),
              (CoreThreads{{0, 1}, {2, 3}}));
    EXPECT_EQ(threads_of_cores(Groupings{{"node", {"0-1"}}, {"l2", {"0", "1"}}}), (CoreThreads{{0}, {1}}));
    EXPECT_EQ(threads_of_cores(Groupings{{"node", {"0-1"}}, {"thread", {"0", "1"}}}), (CoreThreads{{0, 1}}));
    EXPECT_EQ(threads_of_cores(Groupings{{"node", {"5"}}}), CoreThreads{{5}});
}

TEST(Processors, ThreadsOfOneCoreAreNamed)
{
    const CoreThreads cores = {{0, 2}, {1, 3}};
    EXPECT_EQ(siblings_of({"cpu:0", "cpu:1"}, cores), "");
    EXPECT_EQ(siblings_of({"cpu:0,2", "cpu:1,3"}, cores), "");
    EXPECT_EQ(siblings_of({"cpu:0", "cpu:0,1"}, {{0}, {1}}), "") << "one thread is no two";
    EXPECT_EQ(siblings_of({"cpu:0", "cpu:1-2"}, cores), "cpu:0 and cpu:1-2");
    EXPECT_EQ(siblings_of({"cpu:3", "cuda:0@0-1"}, cores), "cpu:3 and cuda:0@0-1");
    EXPECT_EQ(siblings_of({"A=lib:./a.so:f@3", "B=lib:./a.so:f@1"}, cores), "A and B");
    EXPECT_EQ(siblings_of({"A=./app {size}", "opencl:0:0:1"}, cores), "");
}

TEST(Processors, UnitsOfPoclAreCoresWhereItIsBound)
{
    const CoreThreads cores = {{0, 1}, {2, 3}};
    const std::vector<Device> found = {
        {"host", "the host's cores, 4 cores"},
        {"opencl:0:0", "cpu, 4 compute units, 1 bytes, CPU, double precision, OpenCL 3.0 PoCL HSTR: x86_64"},
        {"opencl:1:0", "cpu, 4 compute units, 1 bytes, CPU, indivisible, double precision, OpenCL 3.0 PoCL HSTR"},
        {"opencl:2:0", "cpu, 4 compute units, 1 bytes, CPU, double precision, OpenCL 3.0 Intel"}};
    {
        const support::Variable affinity("POCL_AFFINITY", "0");
        EXPECT_TRUE(devices_of_bound_units(found).empty());
    }
    const support::Variable affinity("POCL_AFFINITY", "1");
    const auto bound = devices_of_bound_units(found);
    EXPECT_EQ(bound, std::vector<std::string>{"opencl:0:0"});
    EXPECT_EQ(siblings_of({"cpu:0", "opencl:0:0:1"}, cores, bound), "cpu:0 and opencl:0:0:1");
    EXPECT_EQ(siblings_of({"cpu:0", "opencl:0:0:2"}, cores, bound), "");
    EXPECT_EQ(siblings_of({"cpu:0", "cuda:0,opencl:0:0:1@3"}, cores, bound), "cpu:0 and cuda:0,opencl:0:0:1@3");
    EXPECT_EQ(siblings_of({"opencl:0:0:0", "opencl:0:0:1"}, cores, bound), "opencl:0:0:0 and opencl:0:0:1");
    EXPECT_EQ(siblings_of({"cpu:0", "opencl:2:0:1"}, cores, bound), "");
    EXPECT_EQ(siblings_of({"cpu:0", "opencl:0:0:1"}, cores), "");
}

TEST(Processors, DescriptionsOfDevicesAreReadBack)
{
    using hpart::DeviceDescription;
    for (const auto &device :
         {DeviceDescription{"host", "this machine's cores", "host", "", "", 2, 1 << 30},
          DeviceDescription{"cuda:0", "NVIDIA H200, 141 GB", "GPU", "CUDA 13.0", "0000:3B:00.0", 132, 150'000'000'000},
          DeviceDescription{"opencl:0:0", "cpu-haswell", "CPU", "OpenCL 3.0 PoCL HSTR: x86_64", "", 2, 1, true, false},
          DeviceDescription{"opencl:1:0", "gfx90a", "GPU", "OpenCL 2.0", "", 104, 68'702'699'520, false, true}}) {
        const auto line = hpart::describe(device);
        ASSERT_TRUE(line.starts_with(device.spec + " ")) << line;
        const auto read =
            hpart::parse_device(line.substr(device.spec.size() + 1) + (device.type == "CPU" ? ", 1 usable core" : ""));
        ASSERT_TRUE(read) << line;
        EXPECT_EQ(read->name, device.name);
        EXPECT_EQ(read->type, device.type);
        EXPECT_EQ(read->bus, device.bus);
        EXPECT_EQ(std::tuple(read->compute_units, read->memory_bytes, read->double_precision, read->is_divisible),
                  std::tuple(device.compute_units, device.memory_bytes, device.double_precision, device.is_divisible))
            << line;
        EXPECT_EQ(read->driver, device.driver);
    }
    EXPECT_EQ(hpart::describe({"opencl:0:0", "cpu", "CPU", "OpenCL 3.0", "", 2, 8, false, false}),
              "opencl:0:0 cpu, 2 compute units, 8 bytes, CPU, indivisible, no double precision, OpenCL 3.0");
    for (const auto *other :
         {"", "cpu", "the host's cores, 4 cores", "4 compute units, 1 bytes, CPU, double precision"})
        EXPECT_FALSE(hpart::parse_device(other)) << other;
}

TEST(Kernels, EachIsRunAndHasOperations)
{
    for (const auto &kernel : hpart::builtin_kernels) {
        KernelLine line{std::string(kernel.name), {}};
        EXPECT_TRUE(is_builtin(kernel.name)) << kernel.name;
        EXPECT_FALSE(operations(line, 8)) << kernel.name << " without dimensions";
        for (const auto name : kernel.dimensions) line.dims.emplace(name, 4);
        EXPECT_GT(operations(line, 8).value_or(0), 0) << kernel.name;
        std::string sizes = "4";
        for (std::size_t k = 1; k < kernel.dimensions.size(); ++k) sizes += "x4";
        EXPECT_EQ(parse_dims("--dims", sizes, kernel.name), line.dims) << kernel.name;
    }
    EXPECT_EQ(operations({"dgemm", {{"n", 3}, {"k", equal_to_size}}}, 8), 2.0 * 8 * 3 * 8);
    EXPECT_EQ(operations({"sgemv", {{"n", 3}}}, 8), 2.0 * 8 * 3);
    EXPECT_EQ(operations({"zfft", {{"n", 4}}}, 8), 5.0 * 32 * 5);
    EXPECT_FALSE(operations({"mine", {{"n", 4}}}, 8));
    EXPECT_FALSE(is_builtin("mine n=4"));
}

TEST(Kernels, InterfacesAndDocumentsNameEach)
{
    for (const auto &kernel : hpart::builtin_kernels) {
        const auto quoted = text('"', kernel.name, '"');
        for (const auto *file : {"include/hpart/team.h", "bindings/python/hpart/_team.py"})
            EXPECT_NE(support::content_of(file).find(quoted), std::string::npos) << kernel.name << " " << file;
        EXPECT_TRUE(std::regex_search(support::content_of("docs/reference/command.md"),
                                      std::regex(text("`(--kernel )?", kernel.name, "`"))))
            << kernel.name;
        EXPECT_TRUE(std::regex_search(support::content_of("tools/team_arguments.cpp"),
                                      std::regex(text("[ \"]", kernel.name, "[ ,\"]"))))
            << "the help of --kernel: " << kernel.name;
    }
}

} // namespace
} // namespace hpart_command
