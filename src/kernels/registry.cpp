#include "kernels/registry.hpp"

#include "core/error.hpp"
#include "kernels/dgemm.hpp"
#include "kernels/dimensions.hpp"
#include "kernels/zfft.hpp"

#include <vector>

namespace hpart
{

namespace
{

using Dims = std::span<const Dimension>;
using OnCores = std::unique_ptr<BuiltinKernel> (*)(Dims dims, CoreList cores);
using OnOpenCl = std::unique_ptr<BuiltinKernel> (*)(Dims dims, std::string_view spec);

// One line a kernel. A null function is a library that this build lacks.
struct KernelKind {
    std::string_view name;
    std::vector<std::string_view> dimensions;
    std::string_view library_on_cores;
    OnCores on_cores;
    std::string_view library_on_opencl;
    OnOpenCl on_opencl;
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

OnOpenCl dgemm_on_opencl()
{
#if defined(HPART_HAVE_OPENCL) && defined(HPART_HAVE_CLBLAST)
    return [](Dims dims, std::string_view spec) { return make_dgemm_on_opencl({dims[0].value, dims[1].value}, spec); };
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

OnOpenCl zfft_on_opencl()
{
#if defined(HPART_HAVE_OPENCL) && defined(HPART_HAVE_VKFFT)
    return [](Dims dims, std::string_view spec) { return make_zfft_on_opencl({dims[0].value}, spec); };
#else
    return nullptr;
#endif
}

const std::vector<KernelKind> &kinds()
{
    static const std::vector<KernelKind> all = {
        {"dgemm", {"n", "k"}, "OpenBLAS", dgemm_on_cores(), "OpenCL with CLBlast", dgemm_on_opencl()},
        {"zfft", {"n"}, "FFTW", zfft_on_cores(), "OpenCL with VkFFT", zfft_on_opencl()},
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

void require_built(bool built, const KernelKind &kind, std::string_view where, std::string_view library)
{
    if (!built) fail(Status::unsupported, "this build has no ", library, ", which ", kind.name, " ", where, " needs");
}

bool begins_with(std::string_view text, std::string_view prefix) { return text.substr(0, prefix.size()) == prefix; }

} // namespace

BuiltinProcessor make_builtin(std::string_view kernel, std::string_view processor, std::string_view dims)
{
    const auto &kind = kind_named(kernel);
    const auto dimensions = parse_dimensions(dims, kind.dimensions, kind.name);
    constexpr std::string_view cpu = "cpu:", opencl = "opencl:";
    if (begins_with(processor, cpu)) {
        require_built(kind.on_cores != nullptr, kind, "on cores", kind.library_on_cores);
        auto cores = parse_cores(processor.substr(cpu.size()), usable_cores());
        return {kind.on_cores(dimensions, cores), cores};
    }
    if (begins_with(processor, opencl)) {
        require_built(kind.on_opencl != nullptr, kind, "on OpenCL devices", kind.library_on_opencl);
        return {kind.on_opencl(dimensions, processor), {}};
    }
    fail_argument("processor is ", in_quotes(processor),
                  "; it must be cpu:CORES, as cpu:0-3, or opencl:P:D or opencl:P:D:S");
}

} // namespace hpart
