// cuBLAS's part, by the host's BLAS.
#include "out_of_card/in_card/cublas.hpp"
#include "state.hpp"

#include <algorithm>
#include <complex>
#include <limits>

#include <cblas.h>

using namespace fake_cuda;

using hpart::CublasOperation;
using hpart::CublasStatus;
using Handle = hpart::CublasHandle;

struct hpart::cublasContext {
    CudaStream stream = nullptr;
    FakeRange workspace; // empty: cuBLAS's own
};

namespace
{

constexpr auto success = CublasStatus::success;
constexpr CublasStatus handle_is_none{1}, alloc_failed{3}, wrong_value{7}, internal_error{14};
constexpr std::size_t alignment = 256;

CublasStatus library_status(int code)
{
    return code == 0 ? success : code == out_of_memory ? alloc_failed : internal_error;
}

// Success to go on.
CublasStatus begin(Lock &lock, const char *name, Handle handle)
{
    if (const auto code = begin_call(lock, name); code != 0) return library_status(code);
    const auto found = state().blas_handles.find(handle);
    if (found == state().blas_handles.end()) {
        violation(lock, std::string(name) + " with a handle that is none");
        return handle_is_none;
    }
    if (check_context(lock, found->second, name) != 0) return internal_error;
    return success;
}

FakeRange range(const void *first, std::int64_t rows, std::int64_t columns, std::int64_t ld, std::size_t bytes)
{
    const auto elements = static_cast<std::size_t>((columns - 1) * ld + rows);
    return {reinterpret_cast<std::uintptr_t>(first), elements * bytes};
}

CBLAS_TRANSPOSE transpose(CublasOperation operation)
{
    constexpr CBLAS_TRANSPOSE transposes[] = {CblasNoTrans, CblasTrans, CblasConjTrans};
    return transposes[static_cast<int>(operation)];
}

// By columns.
struct Call {
    CublasOperation transpose_a, transpose_b;
    std::int64_t m, n, k;
    std::int64_t lda, ldb, ldc;
};

int narrow(std::int64_t size) { return static_cast<int>(size); }

void multiply(const Call &c, float alpha, const float *a, const float *b, float beta, float *out)
{
    cblas_sgemm(CblasColMajor, transpose(c.transpose_a), transpose(c.transpose_b), narrow(c.m), narrow(c.n),
                narrow(c.k), alpha, a, narrow(c.lda), b, narrow(c.ldb), beta, out, narrow(c.ldc));
}
void multiply(const Call &c, double alpha, const double *a, const double *b, double beta, double *out)
{
    cblas_dgemm(CblasColMajor, transpose(c.transpose_a), transpose(c.transpose_b), narrow(c.m), narrow(c.n),
                narrow(c.k), alpha, a, narrow(c.lda), b, narrow(c.ldb), beta, out, narrow(c.ldc));
}
void multiply(const Call &c, std::complex<float> alpha, const std::complex<float> *a, const std::complex<float> *b,
              std::complex<float> beta, std::complex<float> *out)
{
    cblas_cgemm(CblasColMajor, transpose(c.transpose_a), transpose(c.transpose_b), narrow(c.m), narrow(c.n),
                narrow(c.k), &alpha, a, narrow(c.lda), b, narrow(c.ldb), &beta, out, narrow(c.ldc));
}
void multiply(const Call &c, std::complex<double> alpha, const std::complex<double> *a, const std::complex<double> *b,
              std::complex<double> beta, std::complex<double> *out)
{
    cblas_zgemm(CblasColMajor, transpose(c.transpose_a), transpose(c.transpose_b), narrow(c.m), narrow(c.n),
                narrow(c.k), &alpha, a, narrow(c.lda), b, narrow(c.ldb), &beta, out, narrow(c.ldc));
}

template <typename Value>
CublasStatus gemm(Handle handle, const Call &c, const Value *alpha, const Value *a, const Value *b, const Value *beta,
                  Value *out)
{
    Lock lock(state().mutex);
    if (const auto status = begin(lock, "cublasGemm", handle); status != success) return status;
    const auto rows_a = c.transpose_a == CublasOperation::none ? c.m : c.k,
               columns_a = c.transpose_a == CublasOperation::none ? c.k : c.m;
    const auto rows_b = c.transpose_b == CublasOperation::none ? c.k : c.n,
               columns_b = c.transpose_b == CublasOperation::none ? c.n : c.k;
    constexpr std::int64_t one = 1;
    if (c.m < 0 || c.n < 0 || c.k < 0 || c.lda < std::max(one, rows_a) || c.ldb < std::max(one, rows_b) ||
        c.ldc < std::max(one, c.m))
        return wrong_value;
    if (c.m == 0 || c.n == 0) return success;
    for (const auto *factor : {alpha, beta})
        if (reinterpret_cast<std::uintptr_t>(factor) % sizeof(Value) != 0)
            violation(lock, "cublasGemm with a factor that is not aligned to its size");
    if (handle->workspace.bytes == 0) violation(lock, "cublasGemm in a workspace that nobody counted");
    auto command = std::make_shared<FakeCommand>();
    command->device_ranges = {range(a, rows_a, columns_a, c.lda, sizeof(Value)),
                              range(b, rows_b, columns_b, c.ldb, sizeof(Value)),
                              range(out, c.m, c.n, c.ldc, sizeof(Value)), handle->workspace};
    for (const auto &used : command->device_ranges)
        if (!is_on_device(lock, used)) violation(lock, "cublasGemm beyond an array on the device");
    const auto work = static_cast<double>(sizeof(Value) > sizeof(double) ? 8 : 2) * static_cast<double>(c.m) *
                      static_cast<double>(c.n) * static_cast<double>(c.k);
    const auto least = static_cast<double>(std::min({c.m, c.n, c.k}));
    command->seconds =
        simulated(&Speeds::launch) +
        simulated_work(work * (1 + simulated(&Speeds::gemm_depth) / std::max(least, 1.0)), &Speeds::gemm);
    command->work = [=, alpha = *alpha, beta = *beta] { multiply(c, alpha, a, b, beta, out); };
    return push(lock, handle->stream, std::move(command), "cublasGemm") == 0 ? success : internal_error;
}

// Kernels of several releases read wrong elements beyond.
constexpr std::size_t longest_span = std::numeric_limits<std::int32_t>::max();

template <typename Value>
CublasStatus trsm(Handle handle, hpart::CublasSide side, hpart::CublasTriangle triangle, CublasOperation operation,
                  int has_unit_diagonal, int m, int n, const Value *alpha, const Value *a, int lda, Value *b, int ldb)
{
    Lock lock(state().mutex);
    if (const auto status = begin(lock, "cublasTrsm", handle); status != success) return status;
    const bool left = side == hpart::CublasSide::left;
    const auto order = left ? m : n;
    if (m < 0 || n < 0 || lda < std::max(1, order) || ldb < std::max(1, m)) return wrong_value;
    if (m == 0 || n == 0) return success;
    auto command = std::make_shared<FakeCommand>();
    command->device_ranges = {range(a, order, order, lda, sizeof(Value)), range(b, m, n, ldb, sizeof(Value)),
                              handle->workspace};
    for (const auto &used : command->device_ranges) {
        if (!is_on_device(lock, used)) violation(lock, "cublasTrsm beyond an array on the device");
        if (used.bytes / sizeof(Value) > longest_span) violation(lock, "cublasTrsm of an operand that spans too much");
    }
    const auto work = static_cast<double>(sizeof(Value) > sizeof(double) ? 4 : 1) * static_cast<double>(order) *
                      static_cast<double>(m) * static_cast<double>(n);
    command->seconds =
        simulated(&Speeds::launch) + simulated_work(work * (1 + simulated(&Speeds::gemm_depth) / order), &Speeds::gemm);
    command->work = [=, alpha = *alpha] {
        const auto solve = [&](auto routine, const auto &factor) {
            routine(CblasColMajor, left ? CblasLeft : CblasRight,
                    triangle == hpart::CublasTriangle::lower ? CblasLower : CblasUpper, transpose(operation),
                    has_unit_diagonal != 0 ? CblasUnit : CblasNonUnit, m, n, factor, a, lda, b, ldb);
        };
        if constexpr (std::is_same_v<Value, float>)
            solve(cblas_strsm, alpha);
        else if constexpr (std::is_same_v<Value, double>)
            solve(cblas_dtrsm, alpha);
        else if constexpr (std::is_same_v<Value, std::complex<float>>)
            solve(cblas_ctrsm, &alpha);
        else
            solve(cblas_ztrsm, &alpha);
    };
    return push(lock, handle->stream, std::move(command), "cublasTrsm") == 0 ? success : internal_error;
}

// Transposed copies, which are all that the library asks for.
template <typename Value>
CublasStatus geam(Handle handle, CublasOperation a_operation, int m, int n, const Value *alpha, const Value *a, int lda,
                  const Value *beta, Value *c, int ldc)
{
    Lock lock(state().mutex);
    if (const auto status = begin(lock, "cublasGeam", handle); status != success) return status;
    if (m < 0 || n < 0 || lda < std::max(1, n) || ldc < std::max(1, m)) return wrong_value;
    if (*alpha != Value(1) || *beta != Value(0) || a_operation != CublasOperation::transpose)
        violation(lock, "cublasGeam with other factors than the fake one knows");
    if (m == 0 || n == 0) return success;
    auto command = std::make_shared<FakeCommand>();
    command->device_ranges = {range(a, n, m, lda, sizeof(Value)), range(c, m, n, ldc, sizeof(Value))};
    for (const auto &used : command->device_ranges) {
        if (!is_on_device(lock, used)) violation(lock, "cublasGeam beyond an array on the device");
        if (used.bytes / sizeof(Value) > longest_span) violation(lock, "cublasGeam of an operand that spans too much");
    }
    command->seconds =
        simulated(&Speeds::launch) + simulated_work(2.0 * sizeof(Value) * m * static_cast<double>(n), &Speeds::memory);
    command->work = [=] {
        for (std::int64_t j = 0; j < n; ++j)
            for (std::int64_t i = 0; i < m; ++i) c[i + j * ldc] = a[j + i * lda];
    };
    return push(lock, handle->stream, std::move(command), "cublasGeam") == 0 ? success : internal_error;
}

} // namespace

extern "C" {

CublasStatus cublasCreate_v2(Handle *handle)
{
    Lock lock(state().mutex);
    if (const auto code = begin_call(lock, "cublasCreate"); code != 0) return library_status(code);
    if (!take_memory(lock, current_context(), state().settings.hidden.blas_handle))
        return CublasStatus{either(lock, 1, 3)}; // not initialised, or out of memory
    *handle = new hpart::cublasContext;
    state().blas_handles[*handle] = current_context();
    return success;
}

int cublasGetProperty(int property, int *value)
{
    const Lock lock(state().mutex);
    if (property != 0) return static_cast<int>(wrong_value);
    *value = state().settings.library_cuda;
    return 0;
}

CublasStatus cublasDestroy_v2(Handle handle)
{
    Lock lock(state().mutex);
    if (const auto code = begin_return(lock, "cublasDestroy"); code != 0) return library_status(code);
    const auto found = state().blas_handles.find(handle);
    if (found == state().blas_handles.end()) {
        violation(lock, "cublasDestroy of what is no handle");
        return handle_is_none;
    }
    if (check_context(lock, found->second, "cublasDestroy") != 0) return internal_error;
    give_memory(lock, found->second, state().settings.hidden.blas_handle);
    state().blas_handles.erase(found);
    delete handle;
    return library_status(state().sticky);
}

CublasStatus cublasGetMathMode(Handle handle, int *mode)
{
    Lock lock(state().mutex);
    if (const auto status = begin(lock, "cublasGetMathMode", handle); status != success) return status;
    *mode = state().settings.math_mode;
    return success;
}

CublasStatus cublasSetStream_v2(Handle handle, CudaStream stream)
{
    Lock lock(state().mutex);
    if (const auto status = begin(lock, "cublasSetStream", handle); status != success) return status;
    handle->stream = stream;
    handle->workspace = {};
    return success;
}

CublasStatus cublasSetWorkspace_v2(Handle handle, void *workspace, std::size_t bytes)
{
    Lock lock(state().mutex);
    if (const auto status = begin(lock, "cublasSetWorkspace", handle); status != success) return status;
    handle->workspace = {reinterpret_cast<std::uintptr_t>(workspace), bytes};
    if (handle->workspace.first % alignment != 0) return wrong_value;
    if (!is_on_device(lock, handle->workspace)) violation(lock, "cublasSetWorkspace beyond an array on the device");
    return success;
}

// cuBLASXt: matrices on the host. Its caller takes statuses and transposes for numbers.
constexpr int xt_success = 0, xt_invalid_value = 7;

int cublasXtCreate(void **handle)
{
    *handle = new int;
    return xt_success;
}

int cublasXtDestroy(void *handle)
{
    delete static_cast<int *>(handle);
    return xt_success;
}

int cublasXtDeviceSelect(void *, int count, int *) { return count == 1 ? xt_success : xt_invalid_value; }

int cublasXtSetBlockDim(void *, int block) { return block > 0 ? xt_success : xt_invalid_value; }

int cublasXtSetPinningMemMode(void *, int mode) { return mode == 0 || mode == 1 ? xt_success : xt_invalid_value; }

#define FAKE_XT_GEMM(name, Value)                                                                                      \
    int name(void *, int transpose_a, int transpose_b, std::size_t m, std::size_t n, std::size_t k,                    \
             const Value *alpha, const Value *a, std::size_t lda, const Value *b, std::size_t ldb, const Value *beta,  \
             Value *c, std::size_t ldc)                                                                                \
    {                                                                                                                  \
        const auto size = [](std::size_t value) { return static_cast<std::int64_t>(value); };                          \
        multiply({CublasOperation{transpose_a}, CublasOperation{transpose_b}, size(m), size(n), size(k), size(lda),    \
                  size(ldb), size(ldc)},                                                                               \
                 *alpha, a, b, *beta, c);                                                                              \
        return xt_success;                                                                                             \
    }
FAKE_XT_GEMM(cublasXtSgemm, float)
FAKE_XT_GEMM(cublasXtDgemm, double)
FAKE_XT_GEMM(cublasXtCgemm, std::complex<float>)
FAKE_XT_GEMM(cublasXtZgemm, std::complex<double>)

#define FAKE_GEMM(name, Value, Size)                                                                                   \
    CublasStatus name(Handle handle, CublasOperation transpose_a, CublasOperation transpose_b, Size m, Size n, Size k, \
                      const Value *alpha, const Value *a, Size lda, const Value *b, Size ldb, const Value *beta,       \
                      Value *c, Size ldc)                                                                              \
    {                                                                                                                  \
        return gemm<Value>(handle, {transpose_a, transpose_b, m, n, k, lda, ldb, ldc}, alpha, a, b, beta, c);          \
    }
FAKE_GEMM(cublasSgemm_v2, float, int)
FAKE_GEMM(cublasDgemm_v2, double, int)
FAKE_GEMM(cublasCgemm_v2, std::complex<float>, int)
FAKE_GEMM(cublasZgemm_v2, std::complex<double>, int)

#define FAKE_TRSM_AND_GEAM(letter, Value)                                                                              \
    CublasStatus cublas##letter##trsm_v2(Handle handle, hpart::CublasSide side, hpart::CublasTriangle triangle,        \
                                         CublasOperation operation, int has_unit_diagonal, int m, int n,               \
                                         const Value *alpha, const Value *a, int lda, Value *b, int ldb)               \
    {                                                                                                                  \
        return trsm<Value>(handle, side, triangle, operation, has_unit_diagonal, m, n, alpha, a, lda, b, ldb);         \
    }                                                                                                                  \
    CublasStatus cublas##letter##geam(Handle handle, CublasOperation a_operation, CublasOperation, int m, int n,       \
                                      const Value *alpha, const Value *a, int lda, const Value *beta, const Value *,   \
                                      int, Value *c, int ldc)                                                          \
    {                                                                                                                  \
        return geam<Value>(handle, a_operation, m, n, alpha, a, lda, beta, c, ldc);                                    \
    }
FAKE_TRSM_AND_GEAM(S, float)
FAKE_TRSM_AND_GEAM(D, double)
FAKE_TRSM_AND_GEAM(C, std::complex<float>)
FAKE_TRSM_AND_GEAM(Z, std::complex<double>)
#ifndef FAKE_CUBLAS_11 // which has no more
FAKE_GEMM(cublasSgemm_v2_64, float, std::int64_t)
FAKE_GEMM(cublasDgemm_v2_64, double, std::int64_t)
FAKE_GEMM(cublasCgemm_v2_64, std::complex<float>, std::int64_t)
FAKE_GEMM(cublasZgemm_v2_64, std::complex<double>, std::int64_t)
#endif
}
