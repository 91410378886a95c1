#include "core/error.hpp"
#include "core/machine.hpp"
#include "out_of_card/devices/host_device.hpp"
#include "out_of_card/devices/opencl_list.hpp"
#include "out_of_card/devices/registry.hpp"
#include "support/backends.hpp"
#include "support/errors.hpp"
#include "support/scratch.hpp"
#include "support/wrapping_device.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <string>

namespace hpart
{

namespace
{

void expect_refused(std::string_view spec, std::string_view reason, Status status = Status::invalid_argument)
{
    support::expect_error(status, {reason}, [&] { open_devices(spec, {}); });
}

TEST(Registry, OpensTheHost)
{
    Options options;
    options.set_int("memory_limit", 70000);
    const auto limited = open_devices("host", options), whole = open_devices("host", {});
    ASSERT_EQ(limited.sessions.size(), 1);
    EXPECT_TRUE(limited.sessions[0]->is_limited());
    EXPECT_EQ(limited.sessions[0]->memory_limit(), 70000);
    EXPECT_FALSE(whole.sessions[0]->is_limited());
    EXPECT_EQ(whole.sessions[0]->info().spec, "host");
}

TEST(Registry, RefusesWhatIsNoDevice)
{
    expect_refused("", "they must be one or several");
    expect_refused("host,", "they must be one or several");
    expect_refused(",host", "they must be one or several");
    expect_refused("host, ", "they must be one or several");
    expect_refused("host,host", "stands twice");
    expect_refused("host, host", "stands twice");
    expect_refused("gpu:0", "is unknown; devices are host, opencl:P:D");
    expect_refused("host:0", "is unknown");
    expect_refused("hosts", "is unknown");
    for (const auto *spec : {"cuda", "cuda:", "cuda:x", "cuda:-1", "cuda:-0", "cuda:00", "cuda:0:0"})
        expect_refused(spec, "names no CUDA device");
}

TEST(Registry, RefusesOpenClDevicesThatAreNotHere)
{
#ifndef HPART_HAVE_OPENCL
    expect_refused("opencl:0:0", "has no OpenCL", Status::unsupported);
#else
    expect_refused("opencl", "names no OpenCL device");
    for (const auto *spec :
         {"opencl:", "opencl:0", "opencl:0:", "opencl:0:x", "opencl:0:0:0:0", "opencl:-1:0",
          "opencl:0:0:", "opencl:99999999999999999999:0", "opencl: 0:0", "opencl:00:0", "opencl:0:-0"})
        expect_refused(spec, "names no OpenCL device");
    expect_refused("opencl:77:0", "is not here", Status::device);
    if (list_opencl_devices().empty()) GTEST_SKIP() << "this machine has no OpenCL device";
    expect_refused("opencl:0:77", "is not here", Status::device);
    if (!support::has_opencl_units()) GTEST_SKIP() << "opencl:0:0 has no compute units";
    expect_refused("opencl:0:0:7777", "compute unit 7777", Status::device);
    if (open_devices("opencl:0:0", {}).sessions[0]->info().on_host_cores)
        expect_refused("opencl:0:0,host,opencl:0:0:0", "'opencl:0:0' and 'opencl:0:0:0' share core 0, where");
#endif
}

TEST(Registry, OpensLists)
{
    if (!support::has_opencl_units()) GTEST_SKIP() << "opencl:0:0 has no compute units";
    const auto devices = open_devices(" opencl:0:0:0, host ", {});
    ASSERT_EQ(devices.sessions.size(), 2);
    EXPECT_EQ(devices.sessions[0]->info().spec, "opencl:0:0:0");
    EXPECT_EQ(devices.sessions[0]->info().compute_units, 1);
    EXPECT_EQ(devices.sessions[1]->info().spec, "host");
    const auto buffer = devices.sessions[0]->allocate(1000);
    EXPECT_GE(devices.sessions[0]->used(), 1000);
}

TEST(Registry, DevicesOnCoresHaveTheMemoryThatControlGroupsLeave)
{
    constexpr std::int64_t limit = std::int64_t{64} << 20;
    const support::Folder tree;
    const support::Variable root("HPART_MACHINE_ROOT", tree.path());
    std::filesystem::create_directories(tree.file("sys/fs/cgroup"));
    std::filesystem::create_directories(tree.file("proc/self"));
    std::ofstream(tree.file("proc/self/cgroup")) << "0::/\n";
    const auto write = [&](const std::string &file, std::int64_t value) {
        std::ofstream(tree.file("sys/fs/cgroup/" + file)) << value << '\n';
    };
    write("memory.max", limit);
    write("memory.current", 0);
    for (const auto *spec : {"host", "opencl:0:0", "opencl:0:0:0"}) {
        if (spec == std::string("opencl:0:0") && list_opencl_devices().empty()) continue;
        if (spec == std::string("opencl:0:0:0") && !support::has_opencl_units()) continue;
        const auto devices = open_devices(spec, {});
        const auto &info = devices.sessions[0]->info();
        if (!info.on_host_cores && !info.shares_host_memory) continue;
        EXPECT_LT(info.memory_bytes, limit) << spec;
        EXPECT_LE(info.largest_buffer_bytes, info.memory_bytes) << spec;
    }
}

class OnBus final : public support::WrappingDevice
{
  public:
    OnBus(std::string spec, std::string bus) : WrappingDevice(make_host_device())
    {
        info_.spec = std::move(spec);
        info_.bus = std::move(bus);
    }
};

TEST(Registry, RefusesOneGpuUnderTwoPlatforms)
{
    const auto refuse = [](const std::string &one, const std::string &bus, const std::string &other) {
        DeviceGroup group;
        group.sessions.push_back(std::make_shared<DeviceSession>(std::make_shared<OnBus>(one, bus), std::nullopt));
        group.sessions.push_back(
            std::make_shared<DeviceSession>(std::make_shared<OnBus>(other, "0000:a5:00.0"), std::nullopt));
        refuse_shared_hardware(group);
    };
    for (const auto *other : {"opencl:0:0", "opencl:1:0"})
        support::expect_error(Status::invalid_argument, {"'cuda:0' and 'opencl:", "are one GPU, on bus 0000:A5:00.0"},
                              [&] { refuse("cuda:0", "0000:A5:00.0", other); });
    support::expect_error(Status::invalid_argument, {"one GPU"},
                          [&] { refuse("opencl:0:0", "0000:a5:00.0", "opencl:1:0"); });
    refuse("cuda:0", "0000:65:00.0", "opencl:0:0");
    refuse("cuda:0", "", "opencl:0:0");
    refuse("opencl:0:0:0", "0000:a5:00.0", "opencl:0:0:1");
}

TEST(Registry, KnowsTheCoresOfPoclAlone)
{
    DeviceInfo info;
    info.spec = "opencl:0:0:1";
    info.compute_units = 1;
    info.driver = "OpenCL 3.0 PoCL HSTR: pthread-x86_64, 3.1";
    const char *set = std::getenv("POCL_AFFINITY");
    const auto before = set == nullptr ? std::string("0") : std::string(set);
    ::setenv("POCL_AFFINITY", "1", 1);
    EXPECT_EQ(cores_of(info), CoreList{1});
    ::setenv("POCL_AFFINITY", "0", 1);
    EXPECT_EQ(cores_of(info), usable_cores());
    ::setenv("POCL_AFFINITY", "1", 1);
    info.driver = "OpenCL 3.0 (Build 0), 2025.20";
    EXPECT_EQ(cores_of(info), usable_cores());
    ::setenv("POCL_AFFINITY", before.c_str(), 1);
}

TEST(Registry, ListsTheHostFirst)
{
    const auto devices = list_devices();
    ASSERT_FALSE(devices.empty());
    EXPECT_EQ(devices[0].spec, "host");
    EXPECT_GE(devices.size(), 1 + list_opencl_devices().size());
    for (const auto &device : devices) {
        EXPECT_EQ(device.description.find(device.spec + ' '), 0) << device.description;
        EXPECT_TRUE(parse_device(device.description.substr(device.spec.size() + 1))) << device.description;
    }
}

} // namespace

} // namespace hpart
