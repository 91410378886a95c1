// cuSOLVER's part, by the host's LAPACK. As the real one (docs/background/performance.md), it gives no LAPACK's factors of a matrix that
// holds something that is no number.
#include "out_of_card/in_card/cublas.hpp"
#include "state.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <vector>

#include <cblas.h>

#define DECLARE_LAPACK(letter, Value)                                                                                  \
    extern "C" {                                                                                                       \
    void letter##getrf_(const blasint *m, const blasint *n, Value *a, const blasint *lda, blasint *pivots,             \
                        blasint *info);                                                                                \
    void letter##geqrf_(const blasint *m, const blasint *n, Value *a, const blasint *lda, Value *tau, Value *work,     \
                        const blasint *size, blasint *info);                                                           \
    void letter##potrf_(const char *triangle, const blasint *n, Value *a, const blasint *lda, blasint *info,           \
                        std::size_t);                                                                                  \
    }
DECLARE_LAPACK(s, float)
DECLARE_LAPACK(d, double)
DECLARE_LAPACK(c, std::complex<float>)
DECLARE_LAPACK(z, std::complex<double>)

using namespace fake_cuda;

using hpart::CublasTriangle;
using hpart::CudaDataType;
using hpart::CusolverStatus;
using Handle = hpart::CusolverHandle;
using Parameters = hpart::CusolverParameters;
using Size = std::int64_t;

struct hpart::cusolverDnContext {
    CudaStream stream = nullptr;
};
struct hpart::cusolverDnParams {
};

namespace
{

constexpr auto success = CusolverStatus::success;
constexpr CusolverStatus handle_is_none{1}, alloc_failed{2}, wrong_value{3}, internal_error{7};
constexpr std::size_t room_a_column = 64; // bytes

CusolverStatus library_status(int code)
{
    return code == 0 ? success : code == out_of_memory ? alloc_failed : internal_error;
}

// Success to go on.
CusolverStatus begin(Lock &lock, const char *name, Handle handle)
{
    if (const auto code = begin_call(lock, name); code != 0) return library_status(code);
    const auto found = state().blas_handles.find(handle);
    if (found == state().blas_handles.end()) {
        violation(lock, std::string(name) + " with a handle that is none");
        return handle_is_none;
    }
    return check_context(lock, found->second, name) == 0 ? success : internal_error;
}

template <typename Work> void with_type(CudaDataType type, const Work &work)
{
    switch (type) {
    case CudaDataType::s: return work.template operator()<float>();
    case CudaDataType::d: return work.template operator()<double>();
    case CudaDataType::c: return work.template operator()<std::complex<float>>();
    case CudaDataType::z: return work.template operator()<std::complex<double>>();
    }
}

std::size_t bytes_of(CudaDataType type) { return type == CudaDataType::s ? 4 : type == CudaDataType::z ? 16 : 8; }

CusolverStatus room(const char *name, Handle handle, Size columns, std::size_t *device, std::size_t *host)
{
    Lock lock(state().mutex);
    if (const auto status = begin(lock, name, handle); status != success) return status;
    *device = room_a_column * static_cast<std::size_t>(columns);
    *host = 16;
    return success;
}

FakeRange range(const void *first, std::size_t bytes) { return {reinterpret_cast<std::uintptr_t>(first), bytes}; }

struct Call {
    const char *name;
    Size rows, columns;
    CudaDataType type;
    void *a;
    Size lda;
    FakeRange found;
    void *room;
    std::size_t room_bytes;
    int *info;
};

CusolverStatus factor(Handle handle, const Call &call, std::function<void()> work)
{
    Lock lock(state().mutex);
    if (const auto status = begin(lock, call.name, handle); status != success) return status;
    if (call.rows < 1 || call.columns < 1 || call.lda < call.rows ||
        call.room_bytes < room_a_column * static_cast<std::size_t>(call.columns))
        return wrong_value;
    auto command = std::make_shared<FakeCommand>();
    const auto elements = static_cast<std::size_t>((call.columns - 1) * call.lda + call.rows);
    command->device_ranges = {range(call.a, elements * bytes_of(call.type)), range(call.room, call.room_bytes),
                              range(call.info, sizeof(int))};
    if (call.found.bytes > 0) command->device_ranges.push_back(call.found);
    for (const auto &used : command->device_ranges)
        if (!is_on_device(lock, used)) violation(lock, std::string(call.name) + " beyond an array on the device");
    const auto columns = static_cast<double>(call.columns);
    command->engine = FakeEngine::panel; // it leaves nearly all of the device to other kernels
    command->seconds = columns * simulated(&Speeds::panel_column) +
                       simulated_work(static_cast<double>(call.rows) * columns * columns, &Speeds::panel);
    command->work = std::move(work);
    ++state().panels_factored;
    return push(lock, handle->stream, std::move(command), call.name) == 0 ? success : internal_error;
}

#define FAKE_LAPACK(letter, Value)                                                                                     \
    void lapack_getrf(blasint m, blasint n, Value *a, blasint lda, blasint *pivots, blasint *info)                     \
    {                                                                                                                  \
        letter##getrf_(&m, &n, a, &lda, pivots, info);                                                                 \
    }                                                                                                                  \
    void lapack_geqrf(blasint m, blasint n, Value *a, blasint lda, Value *tau, Value *work, blasint size,              \
                      blasint *info)                                                                                   \
    {                                                                                                                  \
        letter##geqrf_(&m, &n, a, &lda, tau, work, &size, info);                                                       \
    }                                                                                                                  \
    void lapack_potrf(char triangle, blasint n, Value *a, blasint lda, blasint *info)                                  \
    {                                                                                                                  \
        letter##potrf_(&triangle, &n, a, &lda, info, 1);                                                               \
    }
FAKE_LAPACK(s, float)
FAKE_LAPACK(d, double)
FAKE_LAPACK(c, std::complex<float>)
FAKE_LAPACK(z, std::complex<double>)

blasint narrow(Size size) { return static_cast<blasint>(size); }

} // namespace

extern "C" {

int cusolverGetProperty(int property, int *value)
{
    const Lock lock(state().mutex);
    if (property != 0) return static_cast<int>(wrong_value);
    *value = state().settings.library_cuda - 1;
    return 0;
}

CusolverStatus cusolverDnCreate(Handle *handle)
{
    Lock lock(state().mutex);
    if (const auto code = begin_call(lock, "cusolverDnCreate"); code != 0) return library_status(code);
    if (!take_memory(lock, current_context(), state().settings.hidden.blas_handle)) return alloc_failed;
    *handle = new hpart::cusolverDnContext;
    state().blas_handles[*handle] = current_context();
    return success;
}

CusolverStatus cusolverDnDestroy(Handle handle)
{
    Lock lock(state().mutex);
    if (const auto code = begin_return(lock, "cusolverDnDestroy"); code != 0) return library_status(code);
    const auto found = state().blas_handles.find(handle);
    if (found == state().blas_handles.end()) {
        violation(lock, "cusolverDnDestroy of what is no handle");
        return handle_is_none;
    }
    if (check_context(lock, found->second, "cusolverDnDestroy") != 0) return internal_error;
    give_memory(lock, found->second, state().settings.hidden.blas_handle);
    state().blas_handles.erase(found);
    delete handle;
    return library_status(state().sticky);
}

CusolverStatus cusolverDnSetStream(Handle handle, CudaStream stream)
{
    Lock lock(state().mutex);
    if (const auto status = begin(lock, "cusolverDnSetStream", handle); status != success) return status;
    handle->stream = stream;
    return success;
}

CusolverStatus cusolverDnCreateParams(Parameters *parameters)
{
    Lock lock(state().mutex);
    if (const auto code = begin_call(lock, "cusolverDnCreateParams"); code != 0) return library_status(code);
    *parameters = new hpart::cusolverDnParams;
    return success;
}

CusolverStatus cusolverDnDestroyParams(Parameters parameters)
{
    delete parameters;
    return success;
}

CusolverStatus cusolverDnXgetrf_bufferSize(Handle handle, Parameters, Size, Size n, CudaDataType, const void *, Size,
                                           CudaDataType, std::size_t *device, std::size_t *host)
{
    return room("cusolverDnXgetrf_bufferSize", handle, n, device, host);
}

CusolverStatus cusolverDnXgeqrf_bufferSize(Handle handle, Parameters, Size, Size n, CudaDataType, const void *, Size,
                                           CudaDataType, const void *, CudaDataType, std::size_t *device,
                                           std::size_t *host)
{
    return room("cusolverDnXgeqrf_bufferSize", handle, n, device, host);
}

CusolverStatus cusolverDnXpotrf_bufferSize(Handle handle, Parameters, CublasTriangle, Size n, CudaDataType,
                                           const void *, Size, CudaDataType, std::size_t *device, std::size_t *host)
{
    return room("cusolverDnXpotrf_bufferSize", handle, n, device, host);
}

CusolverStatus cusolverDnXgetrf(Handle handle, Parameters, Size m, Size n, CudaDataType type, void *a, Size lda,
                                std::int64_t *pivots, CudaDataType, void *room, std::size_t room_bytes, void *,
                                std::size_t, int *info)
{
    const auto least = std::min(m, n);
    const auto work = [=] {
        with_type(type, [&]<typename Value>() {
            auto *const values = static_cast<Value *>(a);
            for (Size j = 0; j < n; ++j) // the row of what is no number takes no part
                for (Size i = 0; i < m; ++i)
                    if (values[i + j * lda] != values[i + j * lda])
                        for (Size k = 0; k < n; ++k) values[i + k * lda] = 0;
            std::vector<blasint> found(static_cast<std::size_t>(least));
            blasint result = 0;
            lapack_getrf(narrow(m), narrow(n), values, narrow(lda), found.data(), &result);
            std::ranges::copy(found, pivots);
            *info = static_cast<int>(result);
        });
    };
    return factor(handle,
                  {"cusolverDnXgetrf", m, n, type, a, lda, range(pivots, static_cast<std::size_t>(least) * 8), room,
                   room_bytes, info},
                  work);
}

CusolverStatus cusolverDnXgeqrf(Handle handle, Parameters, Size m, Size n, CudaDataType type, void *a, Size lda,
                                CudaDataType, void *tau, CudaDataType, void *room, std::size_t room_bytes, void *,
                                std::size_t, int *info)
{
    const auto work = [=] {
        with_type(type, [&]<typename Value>() {
            std::vector<Value> area(static_cast<std::size_t>(n) * 32);
            blasint result = 0;
            lapack_geqrf(narrow(m), narrow(n), static_cast<Value *>(a), narrow(lda), static_cast<Value *>(tau),
                         area.data(), narrow(static_cast<Size>(area.size())), &result);
            *info = static_cast<int>(result);
        });
    };
    return factor(handle,
                  {"cusolverDnXgeqrf", m, n, type, a, lda,
                   range(tau, static_cast<std::size_t>(std::min(m, n)) * bytes_of(type)), room, room_bytes, info},
                  work);
}

CusolverStatus cusolverDnXpotrf(Handle handle, Parameters, CublasTriangle triangle, Size n, CudaDataType type, void *a,
                                Size lda, CudaDataType, void *room, std::size_t room_bytes, void *, std::size_t,
                                int *info)
{
    const auto work = [=] {
        with_type(type, [&]<typename Value>() {
            blasint result = 0;
            lapack_potrf(triangle == CublasTriangle::lower ? 'L' : 'U', narrow(n), static_cast<Value *>(a), narrow(lda),
                         &result);
            *info = static_cast<int>(result);
        });
    };
    return factor(handle, {"cusolverDnXpotrf", n, n, type, a, lda, {}, room, room_bytes, info}, work);
}
}
