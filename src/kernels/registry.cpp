#include "kernels/registry.hpp"

#include "core/error.hpp"
#include "host/thread_group.hpp"
#include "kernels/kinds.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace hpart
{

namespace
{

const std::vector<KernelKind> &kinds()
{
    static const std::vector<KernelKind> all = {gemm_kind<double>("dgemm"),
                                                gemm_kind<float>("sgemm"),
                                                gemv_kind<double>("dgemv"),
                                                gemv_kind<float>("sgemv"),
                                                fft2d_kind(),
                                                fft_kind<double>("zfft"),
                                                fft_kind<float>("cfft")};
    return all;
}

const KernelKind &kind_named(std::string_view name)
{
    std::string all;
    for (const auto &kind : kinds()) {
        if (kind.name == name) return kind;
        all += text(all.empty() ? "" : ", ", kind.name);
    }
    fail_argument("kernel is ", in_quotes(name), "; the built-in kernels are ", all);
}

CoreList cores_of(const DeviceGroup &devices)
{
    const auto &usable = usable_cores();
    CoreList cores;
    for (const auto &session : devices.sessions) {
        const auto &info = session->info();
        if (!info.on_host_cores) return {};
        for (const int core : cores_of(info)) {
            if (!std::binary_search(usable.begin(), usable.end(), core))
                fail_argument("processor ", in_quotes(info.spec), " runs on core ", core,
                              " under POCL_AFFINITY=1; this process may use ", format_cores(usable),
                              ": unset POCL_AFFINITY");
            cores.push_back(core);
        }
    }
    return cores;
}

bool begins_with(std::string_view text, std::string_view prefix) { return text.substr(0, prefix.size()) == prefix; }

// Cores behind '@' are the host's part: they run the processor's thread, the transfers' threads and the driver's threads.
BuiltinProcessor device_kernel(const KernelKind &kind, std::string_view processor, KernelKind::Dims dimensions,
                               const Options &options)
{
    const auto at = processor.find('@');
    CoreList cores;
    if (at != std::string_view::npos) cores = parse_cores(processor.substr(at + 1), usable_cores());
    // OpenCL starts the threads of all its devices, which may be cores, at the first look: they are not the host's part.
    if (!cores.empty() && begins_with(processor, "opencl:")) list_devices();
    const BoundMeanwhile bound(cores);
    auto devices = open_devices(processor.substr(0, at), options);
    auto occupied = cores_of(devices);
    for (const int core : cores)
        if (std::find(occupied.begin(), occupied.end(), core) == occupied.end()) occupied.push_back(core);
    std::sort(occupied.begin(), occupied.end());
    occupied.erase(std::unique(occupied.begin(), occupied.end()), occupied.end());
    return {kind.on_devices(dimensions, std::move(devices)), cores, options.find_int("memory_limit"),
            std::move(occupied)};
}

} // namespace

BuiltinProcessor make_builtin(std::string_view kernel, std::string_view processor, std::string_view dims,
                              const Options &options)
{
    const auto &kind = kind_named(kernel);
    const auto dimensions = parse_dimensions(dims, kind.dimensions, kind.name);
    constexpr std::string_view cpu = "cpu:";
    if (begins_with(processor, cpu)) {
        if (kind.on_cores == nullptr)
            fail(Status::unsupported, "this build has no ", kind.library_on_cores, ", which ", kind.name,
                 " on cores needs");
        auto cores = parse_cores(processor.substr(cpu.size()), usable_cores(), processor);
        return {kind.on_cores(dimensions, cores), cores, {}, cores};
    }
    if (begins_with(processor, "opencl:") || begins_with(processor, "cuda:"))
        return device_kernel(kind, processor, dimensions, options);
    fail_parameter(
        "processor", " is ", in_quotes(processor),
        "; it must be cpu:CORES, as cpu:0-3, or a device, as opencl:P:D, opencl:P:D:S or cuda:N, with @CORES "
        "for its host cores, as cuda:0@3; hpart info lists them");
}

} // namespace hpart
