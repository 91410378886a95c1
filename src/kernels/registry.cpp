#include "kernels/registry.hpp"

#include "core/error.hpp"
#include "host/thread_use.hpp"
#include "kernels/dgemm.hpp"
#include "kernels/dgemv.hpp"
#include "kernels/dimensions.hpp"
#include "kernels/fft2d.hpp"
#include "kernels/zfft.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace hpart
{

namespace
{

using Dims = std::span<const Dimension>;
using OnCores = std::unique_ptr<BuiltinKernel> (*)(Dims dims, CoreList cores);
using OnDevices = std::unique_ptr<BuiltinKernel> (*)(Dims dims, DeviceGroup devices);

// One line a kernel. A null function is a library that this build lacks.
struct KernelKind {
    std::string_view name;
    std::vector<std::string_view> dimensions;
    std::string_view library_on_cores;
    OnCores on_cores;
    OnDevices on_devices;
};

OnCores dgemm_on_cores()
{
#ifdef HPART_HAVE_OPENBLAS
    return [](Dims dims, CoreList cores) {
        return make_dgemm_on_cores({dims[0].value, dims[1].value}, std::move(cores));
    };
#else
    return nullptr;
#endif
}

OnCores dgemv_on_cores()
{
#ifdef HPART_HAVE_OPENBLAS
    return [](Dims dims, CoreList cores) { return make_dgemv_on_cores({dims[0].value}, std::move(cores)); };
#else
    return nullptr;
#endif
}

OnCores zfft_on_cores()
{
#ifdef HPART_HAVE_FFTW
    return [](Dims dims, CoreList cores) { return make_zfft_on_cores({dims[0].value}, std::move(cores)); };
#else
    return nullptr;
#endif
}

OnCores fft2d_on_cores()
{
#ifdef HPART_HAVE_FFTW
    return [](Dims dims, CoreList cores) { return make_fft2d_on_cores({dims[0].value}, std::move(cores)); };
#else
    return nullptr;
#endif
}

const std::vector<KernelKind> &kinds()
{
    static const std::vector<KernelKind> all = {
        {"dgemm",
         {"n", "k"},
         "OpenBLAS",
         dgemm_on_cores(),
         [](Dims dims, DeviceGroup devices) {
             return make_dgemm_on_devices({dims[0].value, dims[1].value}, std::move(devices));
         }},
        {"dgemv",
         {"n"},
         "OpenBLAS",
         dgemv_on_cores(),
         [](Dims dims, DeviceGroup devices) { return make_dgemv_on_devices({dims[0].value}, std::move(devices)); }},
        {"fft2d",
         {"n"},
         "FFTW",
         fft2d_on_cores(),
         [](Dims dims, DeviceGroup devices) { return make_fft2d_on_devices({dims[0].value}, std::move(devices)); }},
        {"zfft",
         {"n"},
         "FFTW",
         zfft_on_cores(),
         [](Dims dims, DeviceGroup devices) { return make_zfft_on_devices({dims[0].value}, std::move(devices)); }},
    };
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

// PoCL, an OpenCL implementation on cores, has unit S on core S under POCL_AFFINITY=1.
CoreList cores_of(const DeviceGroup &devices)
{
    CoreList cores;
    for (const auto &session : devices.sessions) {
        const auto &info = session->info();
        if (!info.on_host_cores) return {};
        const std::string_view spec = info.spec;
        const auto unit = std::count(spec.begin(), spec.end(), ':') == 3
                              ? parse_int(spec.substr(spec.rfind(':') + 1)).value_or(0)
                              : 0;
        for (auto core = unit; core < unit + info.compute_units; ++core) cores.push_back(static_cast<int>(core));
    }
    return cores;
}

bool begins_with(std::string_view text, std::string_view prefix) { return text.substr(0, prefix.size()) == prefix; }

// Cores behind '@' are the host's part: the processor's thread, the transfers' and those of the driver.
BuiltinProcessor device_kernel(const KernelKind &kind, std::string_view processor, Dims dimensions,
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
    fail_argument("processor is ", in_quotes(processor),
                  "; it must be cpu:CORES, as cpu:0-3, or a device, as opencl:P:D, opencl:P:D:S or cuda:N, with @CORES "
                  "for its host cores, as cuda:0@3");
}

} // namespace hpart
