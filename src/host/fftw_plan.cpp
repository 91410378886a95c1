#include "host/fftw_plan.hpp"

#include <initializer_list>

#include <dlfcn.h>

namespace hpart
{

namespace
{

// A function of FFTW's library of threads, which is another one and may not be loaded. A module of Python keeps it out of the global scope.
template <typename Function>
Function *threads_function(const char *symbol, std::initializer_list<const char *> libraries)
{
    if (auto *const found = dlsym(RTLD_DEFAULT, symbol)) return reinterpret_cast<Function *>(found);
    void *found = nullptr;
    for (const auto *library : libraries) {
        auto *const handle = dlopen(library, RTLD_LAZY | RTLD_NOLOAD);
        if (handle == nullptr) continue;
        if (found != nullptr) return nullptr; // the program may use either one
        found = dlsym(handle, symbol);
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
    const auto libraries = is_double
                               ? std::initializer_list<const char *>{"libfftw3_threads.so.3", "libfftw3_omp.so.3"}
                               : std::initializer_list<const char *>{"libfftw3f_threads.so.3", "libfftw3f_omp.so.3"};
    auto *const get =
        threads_function<int()>(is_double ? "fftw_planner_nthreads" : "fftwf_planner_nthreads", libraries);
    auto *const set =
        threads_function<void(int)>(is_double ? "fftw_plan_with_nthreads" : "fftwf_plan_with_nthreads", libraries);
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
