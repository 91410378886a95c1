#include "backends.hpp"

#include "out_of_card/devices/host_device.hpp"
#include "out_of_card/devices/opencl_list.hpp"
#include "random.hpp"

#ifdef HPART_HAVE_OPENCL
#include "opencl_shim/opencl_shim.hpp"
#include "out_of_card/devices/opencl_backend.hpp"
#endif
#ifdef FAKE_CUDA_LIBRARY
#include "out_of_card/devices/cuda_device.hpp"
#endif

#include <atomic>
#include <cstdlib>
#include <map>
#include <mutex>

namespace support
{

using namespace hpart;

namespace
{

#ifdef HPART_HAVE_OPENCL

// One that no test uses, so that a process compiles a device's programs once. They stay until the process ends: the driver may have
// gone before static objects.
std::shared_ptr<Device> idle_device(const std::string &name, const char *spec)
{
    static std::mutex mutex;
    static auto &devices = *new std::multimap<std::string, std::shared_ptr<Device>>;
    const std::lock_guard lock(mutex);
    for (auto [place, end] = devices.equal_range(name); place != end; ++place)
        if (place->second.use_count() == 1) return place->second;
    return devices.emplace(name, make_opencl_device(spec))->second;
}

// The shim is on while such devices are in use.
std::shared_ptr<Device> open_gpu()
{
    static std::atomic<int> open = 0;
    constexpr std::int64_t memory = std::int64_t{1} << 30;
    if (open++ == 0) {
        opencl_shim::Settings gpu;
        gpu.is_gpu = true;
        gpu.barriers = opencl_shim::BarrierTimes::zero;
        gpu.dependents = opencl_shim::Dependents::complete;
        gpu.late_writes = true;
        gpu.memory_bytes = memory;
        opencl_shim::set(gpu);
    }
    const auto close = [] {
        if (--open == 0) opencl_shim::set({});
    };
    try {
        auto device = idle_device("gpu", "opencl:0:0");
        auto *const place = device.get();
        return {place, [device = std::move(device), close](Device *) mutable {
                    device.reset();
                    close();
                }};
    } catch (...) {
        close();
        throw;
    }
}

#endif

} // namespace

const std::vector<BackendCase> &backend_cases()
{
    static const auto cases = [] {
        std::vector<BackendCase> all = {{"host", [] { return make_host_device(); }}};
#ifdef HPART_HAVE_OPENCL
        const bool has_opencl = !list_opencl_devices().empty();
        all.push_back({"opencl_unit", [] { return idle_device("unit", "opencl:0:0:0"); }, has_opencl_units()});
        all.push_back({"opencl_gpu", open_gpu, has_opencl, true});
        if (is_long_run())
            all.push_back({"opencl_whole", [] { return idle_device("whole", "opencl:0:0"); }, has_opencl});
#endif
        return all;
    }();
    return cases;
}

bool has_opencl_units()
{
    const auto devices = list_opencl_devices();
    return !devices.empty() && devices[0].is_divisible;
}

bool has_real_cuda() { return std::getenv("HPART_TEST_CUDA") != nullptr; }

const std::vector<BackendCase> &backend_cases_without_gates()
{
    static const auto cases = [] {
        std::vector<BackendCase> all;
#ifdef FAKE_CUDA_LIBRARY
        CudaLibraries libraries{FAKE_CUDA_LIBRARY, FAKE_CUDA_LIBRARY, FAKE_CUDA_LIBRARY, FAKE_CUDA_LIBRARY};
        if (has_real_cuda()) libraries = {};
        all.push_back({"cuda", [libraries] { return make_cuda_device(0, libraries); }});
#endif
        return all;
    }();
    return cases;
}

std::vector<BackendCase> cuda_without_cusolver()
{
#ifdef FAKE_CUDA_LIBRARY
    if (!has_real_cuda())
        return {{"cuda_without_cusolver", [] {
                     return make_cuda_device(0, {FAKE_CUDA_LIBRARY, FAKE_CUDA_LIBRARY, FAKE_CUDA_LIBRARY, "/nowhere"});
                 }}};
#endif
    return {};
}

std::vector<BackendCase> all_backend_cases()
{
    auto all = backend_cases();
    const auto &others = backend_cases_without_gates();
    all.insert(all.end(), others.begin(), others.end());
    return all;
}

void OnBackend::SetUp()
{
    if (!GetParam().is_here) GTEST_SKIP() << "this machine has no such device";
    device_ = GetParam().open();
}

Alive alive_on(const Device &device, bool with_pinned)
{
    const auto &census = device.census();
    return {census.buffers, census.queues, census.events, with_pinned ? census.pinned.load() : 0};
}

} // namespace support
