#include "kernels/registry.hpp"

#include "core/builtin_kernels.hpp"
#include "core/error.hpp"
#include "core/machine.hpp"
#include "core/text.hpp"
#include "host/cores.hpp"
#include "host/thread_group.hpp"
#include "kernels/kinds.hpp"
#include "out_of_card/devices/cuda_device.hpp"
#include "out_of_card/devices/opencl_list.hpp"
#include "out_of_card/in_card/cublas.hpp"
#include "out_of_card/in_card/cufft.hpp"

#ifdef HPART_HAVE_OPENBLAS
#include "host/blas.hpp"
#endif
#ifdef HPART_HAVE_FFTW
#include "host/fftw_plan.hpp"
#endif
#ifdef HPART_HAVE_GSL
#include <gsl/gsl_version.h>
#endif
#ifdef HPART_HAVE_BOOST_MATH
#include <boost/version.hpp>
#endif
#ifdef HPART_HAVE_HWLOC
#include <hwloc.h>
#endif
#ifdef HPART_HAVE_LAPACK
#include "out_of_card/factorisations/lapack.hpp"
#endif
#if defined(HPART_HAVE_CLBLAST) && defined(HPART_HAVE_OPENCL)
#define CL_TARGET_OPENCL_VERSION 120
#include <clblast.h>
#endif
#if defined(HPART_HAVE_VKFFT) && defined(HPART_HAVE_OPENCL)
#include "out_of_card/in_card/vkfft_plan.hpp"
#endif

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

namespace hpart
{

namespace
{

struct KernelMaker {
    std::string_view name;
    KernelKind (*kind)();
};

constexpr std::array makers = {
    KernelMaker{"dgemm", gemm_kind<double>}, KernelMaker{"sgemm", gemm_kind<float>},
    KernelMaker{"dgemv", gemv_kind<double>}, KernelMaker{"sgemv", gemv_kind<float>},
    KernelMaker{"fft2d", fft2d_kind},        KernelMaker{"zfft", fft_kind<double>},
    KernelMaker{"cfft", fft_kind<float>},
};
static_assert(std::ranges::equal(makers, builtin_kernels, {}, &KernelMaker::name, &KernelName::name),
              "a line for each line of core/builtin_kernels.hpp, in order");

const KernelName &kernel_named(std::string_view name)
{
    if (const auto *const found = find_kernel(name)) return *found;
    std::string all;
    for (const auto &kernel : builtin_kernels) all += text(all.empty() ? "" : ", ", kernel.name);
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
    const auto &named = kernel_named(kernel);
    const auto kind = makers[static_cast<std::size_t>(&named - builtin_kernels.data())].kind();
    const auto dimensions = parse_dimensions(dims, named.dimensions, named.name);
    constexpr std::string_view cpu = "cpu:";
    if (begins_with(processor, cpu)) {
        if (kind.on_cores == nullptr)
            fail(Status::unsupported, "this build has no ", named.work.library, ", which ", named.name,
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

namespace
{

constexpr std::int64_t unset = 0;

std::string example(std::span<const std::string_view> names)
{
    std::string out;
    for (const auto name : names) out += text(out.empty() ? "" : ",", name, "=512");
    return out;
}

} // namespace

std::vector<Dimension> parse_dimensions(std::string_view dims, std::span<const std::string_view> names,
                                        std::string_view kernel)
{
    if (dims.empty() && !names.empty())
        fail_parameter("dims", " of ", kernel, " are missing; give '", example(names),
                       "', or 'size' in place of a number");
    const auto fail_form = [&](const auto &...reason) {
        fail_parameter("dims", " of ", kernel, " are ", in_quotes(dims), reason...,
                       "; they must be positive, or 'size', as '", example(names), "'");
    };
    std::vector<Dimension> out;
    for (const auto name : names) out.push_back({std::string(name), unset});
    for (auto rest = dims; !rest.empty();) {
        const auto comma = std::min(rest.find(','), rest.size());
        const auto item = rest.substr(0, comma);
        if (comma + 1 == rest.size()) fail_form(", which end with a comma");
        rest.remove_prefix(std::min(comma + 1, rest.size()));
        const auto equals = item.find('=');
        if (equals == std::string_view::npos) fail_form(", where ", in_quotes(item), " has no '='");
        const auto found =
            std::find_if(out.begin(), out.end(), [&](const auto &dim) { return dim.name == item.substr(0, equals); });
        if (found == out.end()) fail_form(", where ", in_quotes(item.substr(0, equals)), " is none of its dimensions");
        if (found->value != unset) fail_form(", which name ", found->name, " twice");
        const auto text = item.substr(equals + 1);
        const auto value = text == "size" ? equal_to_size : parse_int(text).value_or(unset);
        if (value < 1 && text != "size") fail_form(", where ", in_quotes(item), " has no positive integer");
        found->value = value;
    }
    for (const auto &dim : out)
        if (dim.value == unset) fail_form(", where ", dim.name, " is missing");
    return out;
}

std::string describe_kernel(std::string_view kernel, std::span<const Dimension> dimensions)
{
    std::string out(kernel);
    for (const auto &dim : dimensions) {
        out += text(" ", dim.name, "=");
        out += dim.value == equal_to_size ? "size" : text(dim.value);
    }
    return out;
}

namespace
{

// Unused if no library is missing.
[[maybe_unused]] constexpr const char *not_built_in = "not built in";

// A process may have several libraries with the same functions.
template <typename Function> [[maybe_unused]] std::string of_file(Function *function)
{
    const auto file = file_of(reinterpret_cast<const void *>(function));
    return file.empty() ? "" : text(", ", file);
}

#ifdef HPART_HAVE_OPENBLAS

// An x86 processor newer than the library gets the kernels of a 2004 one, ten times too slow.
std::string advice_on_kernels(std::string_view kernels)
{
#if defined(__x86_64__)
    if (kernels == "Prescott" && __builtin_cpu_supports("avx512f"))
        return text(" (", older_kernels, ": OPENBLAS_CORETYPE=SkylakeX in the environment is faster)");
    if (kernels == "Prescott" && __builtin_cpu_supports("avx2"))
        return text(" (", older_kernels, ": OPENBLAS_CORETYPE=Haswell in the environment is faster)");
#endif
    return kernels.empty() ? " an unknown processor" : "";
}

#endif

#ifdef HPART_HAVE_OPENBLAS

std::string_view openblas_version()
{
    // "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH ..."
    const std::string_view configuration = Openblas::get_config();
    const auto blank = std::min(configuration.find(' '), configuration.size());
    const auto version = trim(configuration.substr(blank));
    return version.substr(0, version.find(' '));
}

#endif

std::string openblas()
{
#ifdef HPART_HAVE_OPENBLAS
    constexpr int with_openmp = 2;
    const int threading = Openblas::get_parallel();
    return text(openblas_version(), ", kernels for ", Openblas::get_corename(),
                advice_on_kernels(Openblas::get_corename()), ", ",
                threading == 0             ? "one thread"
                : threading == with_openmp ? "OpenMP threads"
                                           : "POSIX threads",
                of_file(Cblas<double>::gemm));
#else
    return not_built_in;
#endif
}

std::string lapack()
{
#ifdef HPART_HAVE_LAPACK
    blasint major = 0, minor = 0, patch = 0;
    HPART_BLAS(ilaver_)(&major, &minor, &patch);
    return text(major, ".", minor, ".", patch, of_file(HPART_BLAS(dgetrf_)));
#else
    return not_built_in;
#endif
}

std::string fftw()
{
#ifdef HPART_HAVE_FFTW
    const char *const version = *own_function(fftw_file<double>(), &fftw_version, "fftw_version");
    return text(version, of_file(Fftw<double>::plan_complex));
#else
    return not_built_in;
#endif
}

std::string gsl()
{
#ifdef HPART_HAVE_GSL
    return gsl_version;
#else
    return not_built_in;
#endif
}

// GSL comes first.
std::string boost_math()
{
#if defined(HPART_HAVE_GSL)
    return "not used: GSL is";
#elif defined(HPART_HAVE_BOOST_MATH)
    return text(BOOST_VERSION / 100000, ".", BOOST_VERSION / 100 % 1000);
#else
    return not_built_in;
#endif
}

std::string hwloc()
{
#ifdef HPART_HAVE_HWLOC
    return HWLOC_VERSION;
#else
    return not_built_in;
#endif
}

std::string clblast()
{
#if defined(HPART_HAVE_CLBLAST) && defined(HPART_HAVE_OPENCL)
    return text(CLBLAST_VERSION_MAJOR, ".", CLBLAST_VERSION_MINOR, ".", CLBLAST_VERSION_PATCH);
#else
    return not_built_in;
#endif
}

std::string vkfft()
{
#if defined(HPART_HAVE_VKFFT) && defined(HPART_HAVE_OPENCL)
    return vkfft_version();
#else
    return not_built_in;
#endif
}

// Its place, or the reason why it was not found.
template <typename CudaLibrary> std::string cuda_library(const CudaDriver &driver)
{
    try {
        return CudaLibrary(driver).name();
    } catch (const Error &error) {
        return error.what();
    }
}

std::vector<Library> cuda_libraries()
{
    try {
        const CudaDriver driver;
        std::string reason; // why not all of its devices are listed
        list_cuda_devices({}, &reason);
        return {{"cuda", text("CUDA ", driver.version() / 1000, ".", driver.version() % 1000 / 10, ", ", driver.name(),
                              reason.empty() ? "" : "; ", reason)},
                {"cublas", cuda_library<CublasLibrary>(driver)},
                {"cufft", cuda_library<CufftLibrary>(driver)},
                {"cusolver", cuda_library<CusolverLibrary>(driver)}};
    } catch (const Error &error) {
        const auto *const without = "not looked for without CUDA's driver";
        return {{"cuda", error.what()}, {"cublas", without}, {"cufft", without}, {"cusolver", without}};
    }
}

} // namespace

std::vector<Library> list_libraries()
{
    std::vector<Library> all = {{"openblas", openblas()},
                                {"lapack", lapack()},
                                {"fftw", fftw()},
                                {"gsl", gsl()},
                                {"boost_math", boost_math()},
                                {"hwloc", hwloc()},
                                {"opencl", describe_open_opencl()},
                                {"clblast", clblast()},
                                {"vkfft", vkfft()}};
    auto cuda = cuda_libraries();
    std::move(cuda.begin(), cuda.end(), std::back_inserter(all));
    return all;
}

std::string this_machine()
{
    const auto model = processor_model();
    auto all = text(model.empty() ? "an unknown processor" : model, ", ", pluralise(online_cores(), "core"));
#ifdef HPART_HAVE_OPENBLAS
    all += text(", OpenBLAS ", openblas_version(), " for ", Openblas::get_corename());
#endif
    return all;
}

} // namespace hpart
