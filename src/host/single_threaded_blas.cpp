#include "host/single_threaded_blas.hpp"

#include <mutex>

#include <cblas.h>

namespace hpart
{

namespace
{

// Mirrors OpenBLAS's own process-wide setting.
struct Shared {
    std::mutex mutex;
    int users = 0;
    int threads_before = 1;
};

Shared &shared()
{
    static Shared the_one;
    return the_one;
}

} // namespace

SingleThreadedBlas::SingleThreadedBlas()
{
    auto &state = shared();
    const std::lock_guard lock(state.mutex);
    if (state.users++ > 0) return;
    state.threads_before = openblas_get_num_threads();
    openblas_set_num_threads(1);
}

SingleThreadedBlas::~SingleThreadedBlas()
{
    auto &state = shared();
    const std::lock_guard lock(state.mutex);
    if (--state.users == 0) openblas_set_num_threads(state.threads_before);
}

} // namespace hpart
