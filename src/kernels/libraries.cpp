#include "kernels/libraries.hpp"

#include "core/error.hpp"
#include "core/machine.hpp"
#include "core/text.hpp"
#include "host/cores.hpp"
#include "out_of_card/devices/cuda_device.hpp"
#include "out_of_card/devices/opencl_list.hpp"
#include "out_of_card/in_card/cublas.hpp"
#include "out_of_card/in_card/cufft.hpp"

#include <algorithm>
#include <iterator>

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

namespace hpart
{

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
        return " (it does not know this processor: OPENBLAS_CORETYPE=SkylakeX in the environment is faster)";
    if (kernels == "Prescott" && __builtin_cpu_supports("avx2"))
        return " (it does not know this processor: OPENBLAS_CORETYPE=Haswell in the environment is faster)";
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
                {"cufft", cuda_library<CufftLibrary>(driver)}};
    } catch (const Error &error) {
        const auto *const without = "not looked for without CUDA's driver";
        return {{"cuda", error.what()}, {"cublas", without}, {"cufft", without}};
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
