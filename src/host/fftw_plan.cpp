#include "host/fftw_plan.hpp"

#include <array>
#include <span>

namespace hpart
{

namespace
{

// A function of FFTW's threads: of the library itself, or of one of two beside it, which a program has loaded. Null if both are loaded: the
// program may use either one.
template <typename Function> Function *threads_function(const char *symbol, std::span<const char *const> files)
{
    void *found = nullptr;
    for (const auto *file : files) {
        auto *const here = file != nullptr ? find_in_loaded(file, symbol) : nullptr;
        if (here == nullptr || here == found) continue;
        if (found != nullptr) return nullptr;
        found = here;
    }
    return reinterpret_cast<Function *>(found);
}

} // namespace

std::mutex &fftw_planner_mutex()
{
    static std::mutex the_one;
    return the_one;
}

FftwPlanning::FftwPlanning(bool is_double) : lock_(fftw_planner_mutex())
{
    const auto files = is_double ? std::array{fftw_file<double>(), "libfftw3_threads.so.3", "libfftw3_omp.so.3"}
                                 : std::array{fftw_file<float>(), "libfftw3f_threads.so.3", "libfftw3f_omp.so.3"};
    auto *const get = threads_function<int()>(is_double ? "fftw_planner_nthreads" : "fftwf_planner_nthreads", files);
    auto *const set =
        threads_function<void(int)>(is_double ? "fftw_plan_with_nthreads" : "fftwf_plan_with_nthreads", files);
    if (get == nullptr || set == nullptr) return;
    threads_before_ = get();
    if (threads_before_ <= 1) return; // its first call of `set` would forget all plans
    set_threads_ = set;
    set_threads_(1);
}

FftwPlanning::~FftwPlanning()
{
    if (set_threads_ != nullptr) set_threads_(threads_before_);
}

} // namespace hpart
