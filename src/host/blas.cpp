#include "host/blas.hpp"

#include <mutex>

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
    if (Openblas::get_parallel() != OPENBLAS_OPENMP) return found;
    // The functions of its own OpenMP: a process may have several.
    const auto file = file_of(reinterpret_cast<void *>(Openblas::get_parallel));
    found.get = reinterpret_cast<int (*)()>(find_in_loaded(file.c_str(), "omp_get_max_threads"));
    found.set = reinterpret_cast<void (*)(int)>(find_in_loaded(file.c_str(), "omp_set_num_threads"));
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
    pool().threads_before = Openblas::get_num_threads();
    Openblas::set_num_threads(1);
}

SingleThreadedBlas::~SingleThreadedBlas()
{
    if (openmp().set != nullptr) {
        openmp().set(of_this_thread_);
        return;
    }
    const std::lock_guard lock(pool().mutex);
    if (--pool().users == 0) Openblas::set_num_threads(pool().threads_before);
}

} // namespace hpart
