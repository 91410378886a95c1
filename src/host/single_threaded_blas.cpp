#include "host/single_threaded_blas.hpp"

#include <mutex>

#include <cblas.h>
#include <dlfcn.h>

namespace hpart
{

namespace
{

// The size of OpenBLAS's pool, which is the process's.
struct Pool {
    std::mutex mutex;
    int users = 0;
    int threads_before = 1;
};

Pool &pool()
{
    static Pool the_one;
    return the_one;
}

// OpenMP's number of threads for what the calling thread begins. Null where OpenBLAS has threads of its own.
struct OfOpenMp {
    int (*get)() = nullptr;
    void (*set)(int) = nullptr;
};

OfOpenMp find_openmp()
{
    OfOpenMp found;
    Dl_info openblas{};
    if (openblas_get_parallel() != OPENBLAS_OPENMP ||
        dladdr(reinterpret_cast<void *>(&openblas_get_parallel), &openblas) == 0)
        return found;
    // Its OpenMP, of which a process may have several.
    auto *const library = dlopen(openblas.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    if (library == nullptr) return found;
    found.get = reinterpret_cast<int (*)()>(dlsym(library, "omp_get_max_threads"));
    found.set = reinterpret_cast<void (*)(int)>(dlsym(library, "omp_set_num_threads"));
    return found.get != nullptr && found.set != nullptr ? found : OfOpenMp();
}

const OfOpenMp &openmp()
{
    static const OfOpenMp the_one = find_openmp();
    return the_one;
}

} // namespace

SingleThreadedBlas::SingleThreadedBlas()
{
    if (openmp().set != nullptr) {
        of_this_thread_ = openmp().get();
        openmp().set(1);
        return;
    }
    const std::lock_guard lock(pool().mutex);
    if (pool().users++ > 0) return;
    pool().threads_before = openblas_get_num_threads();
    openblas_set_num_threads(1);
}

SingleThreadedBlas::~SingleThreadedBlas()
{
    if (openmp().set != nullptr) {
        openmp().set(of_this_thread_);
        return;
    }
    const std::lock_guard lock(pool().mutex);
    if (--pool().users == 0) openblas_set_num_threads(pool().threads_before);
}

} // namespace hpart
