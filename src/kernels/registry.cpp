#include "kernels/registry.hpp"

#include "core/error.hpp"
#include "kernels/dgemm.hpp"
#include "kernels/dimensions.hpp"

#include <array>
#include <vector>

namespace hpart
{

namespace
{

// One line a kernel; a null function is a library that this build lacks.
struct KernelKind {
    std::string_view name;
    std::vector<std::string_view> dimensions;
    std::string_view library_on_cores;
    std::unique_ptr<BuiltinKernel> (*on_cores)(std::span<const Dimension> dims, CoreList cores);
};

DgemmDims dgemm_dims(std::span<const Dimension> dims) { return {dims[0].value, dims[1].value}; }

#ifdef HPART_HAVE_OPENBLAS
constexpr auto dgemm_on_cores = [](std::span<const Dimension> dims, CoreList cores) {
    return make_dgemm_on_cores(dgemm_dims(dims), std::move(cores));
};
#else
constexpr std::nullptr_t dgemm_on_cores = nullptr;
#endif

const std::vector<KernelKind> &kinds()
{
    static const std::vector<KernelKind> all = {
        {"dgemm", {"n", "k"}, "OpenBLAS", dgemm_on_cores},
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

[[noreturn]] void fail_build(const KernelKind &kind, std::string_view purpose, std::string_view library)
{
    fail(Status::unsupported, "this build has no ", library, ", which ", kind.name, " needs ", purpose);
}

} // namespace

BuiltinProcessor make_builtin(std::string_view kernel, std::string_view processor, std::string_view dims)
{
    const auto &kind = kind_named(kernel);
    const auto dimensions = parse_dimensions(dims, kind.dimensions, kind.name);
    constexpr std::string_view cpu = "cpu:";
    if (processor.substr(0, cpu.size()) == cpu) {
        if (kind.on_cores == nullptr) fail_build(kind, "on cores", kind.library_on_cores);
        auto cores = parse_cores(processor.substr(cpu.size()), usable_cores());
        return {kind.on_cores(dimensions, cores), cores};
    }
    fail_argument("processor is ", in_quotes(processor),
                  "; it must be cpu:CORES, as cpu:0-3, or opencl:P:D or opencl:P:D:S");
}

} // namespace hpart
