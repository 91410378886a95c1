// The parts of cuBLAS and cuSOLVER that the library uses, found when a CUDA device first needs them, and a handle of each for one device.
#pragma once

#include "out_of_card/devices/cuda_device.hpp"
#include "out_of_card/devices/device.hpp"
#include "out_of_card/scalar.hpp"

#include <complex>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace hpart
{

using CublasHandle = struct cublasContext *;

enum class CublasStatus : int { success = 0, not_initialized = 1, alloc_failed = 3 };
enum class CublasOperation : int { none = 0, transpose = 1, conjugate = 2 };
enum class CublasSide : int { left = 0, right = 1 };
enum class CublasTriangle : int { lower = 0, upper = 1 };

template <typename Value, typename Size>
using CublasGemm = CublasStatus(CublasHandle handle, CublasOperation a_operation, CublasOperation b_operation, Size m,
                                Size n, Size k, const Value *alpha, const Value *a, Size lda, const Value *b, Size ldb,
                                const Value *beta, Value *c, Size ldc);

template <typename Value>
using CublasTrsm = CublasStatus(CublasHandle handle, CublasSide side, CublasTriangle triangle,
                                CublasOperation operation, int has_unit_diagonal, int m, int n, const Value *alpha,
                                const Value *a, int lda, Value *b, int ldb);

// C = alpha op(A) + beta op(B).
template <typename Value>
using CublasGeam = CublasStatus(CublasHandle handle, CublasOperation a_operation, CublasOperation b_operation, int m,
                                int n, const Value *alpha, const Value *a, int lda, const Value *beta, const Value *b,
                                int ldb, Value *c, int ldc);

// The calls for a type. The calls with 64-bit sizes are null before CUDA 12.
template <typename Value> struct CublasCalls {
    CublasGemm<Value, int> *gemm = nullptr;
    CublasGemm<Value, std::int64_t> *gemm_64 = nullptr;
    CublasTrsm<Value> *trsm = nullptr;
    CublasGeam<Value> *geam = nullptr;
};

// Kernels of several releases have read beyond operands of more elements, in calls of 64 bits, too.
constexpr std::int64_t longest_cublas_span = std::numeric_limits<std::int32_t>::max();

class CublasLibrary
{
  public:
    // Status::unsupported where it is not installed.
    explicit CublasLibrary(const CudaDriver &driver);

    CublasStatus (*create)(CublasHandle *handle) = nullptr;
    CublasStatus (*destroy)(CublasHandle handle) = nullptr;
    CublasStatus (*set_stream)(CublasHandle handle, CudaStream stream) = nullptr;
    CublasStatus (*set_workspace)(CublasHandle handle, void *workspace, std::size_t bytes) = nullptr;
    CublasStatus (*get_math_mode)(CublasHandle handle, int *mode) = nullptr; // null in old ones
    template <typename Value> const CublasCalls<Value> &calls() const { return std::get<CublasCalls<Value>>(calls_); }
    // The library's place.
    const std::string &name() const { return name_; }

    static void check(CublasStatus status, const char *call);

  private:
    std::string name_;
    std::tuple<CublasCalls<float>, CublasCalls<double>, CublasCalls<std::complex<float>>,
               CublasCalls<std::complex<double>>>
        calls_;
};

// One operation at a time uses it, as it uses the device.
class Cublas
{
  public:
    // Its workspace and what cuBLAS takes besides are on the device's account.
    explicit Cublas(DeviceSession &session);
    Cublas(const Cublas &) = delete;
    Cublas &operator=(const Cublas &) = delete;
    ~Cublas();

    const CublasLibrary &library() const { return library_; }
    // The math mode for numbers of this precision, if not the usual one: "tf32", "fp64-emulated". By the library, or by the variables of the
    // environment that it obeys.
    std::string math_mode(bool is_double) const;
    // Returns the handle; its next calls go into this stream. The context is current.
    CublasHandle in_stream(CudaStream stream) const;
    // Fails with the driver's error if there is one: after a command that failed, all of cuBLAS's calls fail.
    void check(CublasStatus status, const char *call) const;
    void *workspace() const { return workspace_.get()->native(); }

  private:
    DeviceSession &session_;
    std::int64_t workspace_bytes_, handle_bytes_ = 0;
    SessionBuffer workspace_;
    std::shared_ptr<CudaContext> context_;
    CublasLibrary library_;
    CublasHandle handle_ = nullptr;
    int math_mode_ = 0;
};

// The device's own.
std::shared_ptr<Cublas> cublas_of(DeviceSession &session);

using CusolverHandle = struct cusolverDnContext *;
using CusolverParameters = struct cusolverDnParams *;
enum class CusolverStatus : int { success = 0 };
enum class CudaDataType : int { s = 0, d = 1, c = 4, z = 5 };

class CusolverLibrary
{
  public:
    // Status::unsupported where it is not installed.
    explicit CusolverLibrary(const CudaDriver &driver);

    using Handle = CusolverHandle;
    using Parameters = CusolverParameters;
    using Size = std::int64_t;
    using Type = CudaDataType;
    CusolverStatus (*create)(Handle *handle) = nullptr;
    CusolverStatus (*destroy)(Handle handle) = nullptr;
    CusolverStatus (*set_stream)(Handle handle, CudaStream stream) = nullptr;
    CusolverStatus (*create_parameters)(Parameters *parameters) = nullptr;
    CusolverStatus (*destroy_parameters)(Parameters parameters) = nullptr;
    CusolverStatus (*getrf_room)(Handle, Parameters, Size m, Size n, Type, const void *a, Size lda, Type computed,
                                 std::size_t *device_bytes, std::size_t *host_bytes) = nullptr;
    CusolverStatus (*getrf)(Handle, Parameters, Size m, Size n, Type, void *a, Size lda, std::int64_t *pivots,
                            Type computed, void *device_room, std::size_t device_bytes, void *host_room,
                            std::size_t host_bytes, int *info) = nullptr;
    CusolverStatus (*geqrf_room)(Handle, Parameters, Size m, Size n, Type, const void *a, Size lda, Type of_tau,
                                 const void *tau, Type computed, std::size_t *device_bytes,
                                 std::size_t *host_bytes) = nullptr;
    CusolverStatus (*geqrf)(Handle, Parameters, Size m, Size n, Type, void *a, Size lda, Type of_tau, void *tau,
                            Type computed, void *device_room, std::size_t device_bytes, void *host_room,
                            std::size_t host_bytes, int *info) = nullptr;
    CusolverStatus (*potrf_room)(Handle, Parameters, CublasTriangle, Size n, Type, const void *a, Size lda,
                                 Type computed, std::size_t *device_bytes, std::size_t *host_bytes) = nullptr;
    CusolverStatus (*potrf)(Handle, Parameters, CublasTriangle, Size n, Type, void *a, Size lda, Type computed,
                            void *device_room, std::size_t device_bytes, void *host_room, std::size_t host_bytes,
                            int *info) = nullptr;
    const std::string &name() const { return name_; }

    static void check(CusolverStatus status, const char *call);

  private:
    std::string name_;
};

// One operation at a time uses it, as it uses the device. Matrices are stored by columns.
class Cusolver
{
  public:
    explicit Cusolver(DeviceSession &session);
    Cusolver(const Cusolver &) = delete;
    Cusolver &operator=(const Cusolver &) = delete;
    ~Cusolver();

    enum class Kind : std::uint8_t { lu, qr, cholesky_lower, cholesky_upper };
    // A matrix in the device's memory; Cholesky's are squares.
    struct Panel {
        Kind kind = Kind::lu;
        Scalar type = Scalar::d;
        std::int64_t rows = 0, columns = 0;
        void *data = nullptr;
        std::int64_t ld = 0;
        void *found = nullptr; // LU's pivots, from 1, of 64 bits; QR's tau
        int *info = nullptr;
    };
    // Bytes of the device's memory that its factorisation takes.
    std::int64_t room(const Panel &panel);
    // False where there is less room than it takes; then nothing is done.
    bool factor(const Panel &panel, void *room, std::int64_t room_bytes, CudaStream stream);

  private:
    struct Rooms {
        std::size_t device = 0, host = 0;
    };
    Rooms rooms(const Panel &panel) const;

    DeviceSession &session_;
    std::int64_t handle_bytes_ = 0;
    std::shared_ptr<CudaContext> context_;
    CusolverLibrary library_;
    CusolverHandle handle_ = nullptr;
    CusolverParameters parameters_ = nullptr;
    std::vector<std::unique_ptr<unsigned char[]>> on_host_; // commands under way may use all
    std::size_t on_host_bytes_ = 0;
};

// The device's own; null where there is no cuSOLVER.
std::shared_ptr<Cusolver> cusolver_of(DeviceSession &session);

} // namespace hpart
