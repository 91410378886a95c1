#include "out_of_card/in_card/cublas.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "out_of_card/in_card/gemm.hpp"
#include "out_of_card/in_card/spans.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace hpart
{

namespace
{

// The workspace that NVIDIA recommends for its newest devices. Under a small limit it is a part of the limit, but never so little
// that cuBLAS fails for want of memory.
constexpr std::int64_t largest_workspace = std::int64_t{32} << 20, least_workspace = std::int64_t{16} << 10;
// More than a handle takes: the rest of the memory that went meanwhile is another process's.
constexpr std::int64_t most_handle_bytes = std::int64_t{256} << 20;
constexpr std::int64_t workspace_parts = 64, workspace_alignment = 256;

std::int64_t workspace_bytes(std::int64_t memory_limit)
{
    const auto part = memory_limit / workspace_parts / workspace_alignment * workspace_alignment;
    return std::clamp(part, least_workspace, largest_workspace);
}

const char *status_name(CublasStatus status)
{
    switch (static_cast<int>(status)) {
    case 1: return "CUBLAS_STATUS_NOT_INITIALIZED";
    case 3: return "CUBLAS_STATUS_ALLOC_FAILED";
    case 7: return "CUBLAS_STATUS_INVALID_VALUE";
    case 8: return "CUBLAS_STATUS_ARCH_MISMATCH";
    case 11: return "CUBLAS_STATUS_MAPPING_ERROR";
    case 13: return "CUBLAS_STATUS_EXECUTION_FAILED";
    case 14: return "CUBLAS_STATUS_INTERNAL_ERROR";
    case 15: return "CUBLAS_STATUS_NOT_SUPPORTED";
    case 16: return "CUBLAS_STATUS_LICENSE_ERROR";
    default: return "unknown cuBLAS error";
    }
}

} // namespace

CublasLibrary::CublasLibrary(const CudaDriver &driver)
{
    const auto library = driver.load({"cuBLAS", "libcublas", "cublasGetProperty", 11}, driver.libraries().cublas);
    library.bind(create, "cublasCreate_v2");
    library.bind(destroy, "cublasDestroy_v2");
    library.bind(set_stream, "cublasSetStream_v2");
    library.bind(set_workspace, "cublasSetWorkspace_v2");
    library.bind_if_there(get_math_mode, "cublasGetMathMode");
    name_ = library.name();
    const auto bind = [&](char letter, auto &calls) {
        const auto gemm = text("cublas", letter, "gemm_v2"), swap = text("cublas", letter, "swap_v2");
        library.bind(calls.gemm, gemm.c_str());
        library.bind(calls.swap, swap.c_str());
        library.bind_if_there(calls.gemm_64, (gemm + "_64").c_str());
        library.bind_if_there(calls.swap_64, (swap + "_64").c_str());
    };
    bind('S', std::get<0>(calls_));
    bind('D', std::get<1>(calls_));
    bind('C', std::get<2>(calls_));
    bind('Z', std::get<3>(calls_));
}

void CublasLibrary::check(CublasStatus status, const char *call)
{
    if (status == CublasStatus::success) return;
    fail(status == CublasStatus::alloc_failed ? Status::out_of_memory : Status::device, call, ": ", status_name(status),
         " (", static_cast<int>(status), ")");
}

Cublas::Cublas(DeviceSession &session)
    : session_(session), workspace_bytes_(workspace_bytes(session.memory_limit())),
      workspace_(session.allocate(workspace_bytes_)), context_(cuda_context(session.device())),
      library_(context_->driver())
{
    const CudaCurrent current(*context_);
    const auto free_before = context_->free_bytes();
    const auto status = library_.create(&handle_);
    // It says so for want of memory, too.
    if (status == CublasStatus::not_initialized && free_before < most_handle_bytes)
        fail(Status::out_of_memory, "cublasCreate: ", status_name(status), " (", static_cast<int>(status),
             "), perhaps for want of memory: ", free_before, " bytes of the device's memory are free");
    CublasLibrary::check(status, "cublasCreate");
    try {
        handle_bytes_ = std::clamp<std::int64_t>(free_before - context_->free_bytes(), 0, most_handle_bytes);
    } catch (...) {
        library_.destroy(handle_);
        throw;
    }
    session_.note_library(handle_bytes_);
    session_.note_part_of_limit(session_.taken_by(workspace_bytes_), workspace_bytes);
    if (library_.get_math_mode != nullptr && library_.get_math_mode(handle_, &math_mode_) != CublasStatus::success)
        math_mode_ = 0;
}

Cublas::~Cublas()
{
    if (const CudaCurrent current(*context_, std::nothrow); current) library_.destroy(handle_);
    session_.note_library(-handle_bytes_);
}

std::string Cublas::math_mode(bool is_double) const
{
    constexpr int mode_bits = 15, pedantic = 2, tf32 = 3, fp32_emulated = 4, fp64_emulated = 8;
    const auto is_on = [](const char *variable) {
        const char *const value = std::getenv(variable);
        return value != nullptr && std::string_view(value) == "1";
    };
    const int mode = math_mode_ & mode_bits;
    if (mode == pedantic) return "pedantic";
    if (is_double)
        return (mode & fp64_emulated) != 0 || is_on("CUBLAS_EMULATE_DOUBLE_PRECISION") ? "fp64-emulated" : "";
    if ((mode & fp32_emulated) != 0 || is_on("CUBLAS_EMULATE_SINGLE_PRECISION")) return "fp32-emulated";
    return mode == tf32 || is_on("NVIDIA_TF32_OVERRIDE") ? "tf32" : "";
}

CublasHandle Cublas::in_stream(CudaStream stream) const
{
    CublasLibrary::check(library_.set_stream(handle_, stream), "cublasSetStream");
    // A change of the stream takes the workspace away.
    CublasLibrary::check(
        library_.set_workspace(handle_, workspace_.get()->native(), static_cast<std::size_t>(workspace_bytes_)),
        "cublasSetWorkspace");
    return handle_;
}

std::shared_ptr<Cublas> cublas_of(DeviceSession &session)
{
    return session.kept<Cublas>("cublas",
                                [&] { return session.with_room([&] { return std::make_shared<Cublas>(session); }); });
}

// Products by cuBLAS.

namespace
{

CublasOperation operation(Transpose transpose)
{
    constexpr CublasOperation operations[] = {CublasOperation::none, CublasOperation::transpose,
                                              CublasOperation::conjugate};
    return operations[static_cast<int>(transpose)];
}

template <typename Value> Value *first_of(const DeviceMatrix &matrix)
{
    return static_cast<Value *>(matrix.buffer->native()) + matrix.offset;
}

template <typename Value> class CublasProduct final : public InCardGemm
{
  public:
    explicit CublasProduct(std::shared_ptr<Cublas> cublas)
        : cublas_(std::move(cublas)), calls_(cublas_->library().calls<Value>()),
          math_mode_(cublas_->math_mode(is_double(ScalarOf<Value>::type)))
    {
        if (!math_mode_.empty()) name_ += " " + math_mode_;
    }

    std::string_view name() const override { return name_; }
    std::string_view math_mode() const override { return math_mode_; }
    Scalar type() const override { return ScalarOf<Value>::type; }
    // Rows that begin where vectors do. Its kernels' tiles are larger, but small beside C on a full device.
    std::int64_t row_multiple() const override { return multiple; }
    std::int64_t column_multiple() const override { return multiple; }
    std::int64_t scratch_bytes(std::int64_t, std::int64_t, std::int64_t) const override
    {
        return 0; // the workspace is on the device's account
    }

    std::int64_t largest_side() const override
    {
        return calls_.gemm_64 != nullptr ? InCardGemm::largest_side() : std::numeric_limits<int>::max();
    }

    // cuBLAS stores by columns, so that it sees the transposes: of C, which is op(B)^T op(A)^T then, of A and of B.
    Launch product(const DeviceGemm &what) override
    {
        const auto largest = std::max({what.m, what.n, what.k, what.a.ld, what.b.ld, what.c.ld});
        if (largest > largest_side())
            fail(Status::unsupported, "a side or leading dimension is ", largest, "; this cuBLAS takes at most ",
                 largest_side());
        return [parts = within_span(what, longest_cublas_span), cublas = cublas_, wide = calls_.gemm_64,
                narrow = calls_.gemm](LaunchContext &context) {
            auto *const handle = cublas->in_stream(static_cast<CudaStream>(context.queue));
            for (const auto &part : parts)
                CublasLibrary::check(wide != nullptr ? call<std::int64_t>(wide, handle, part)
                                                     : call<int>(narrow, handle, part),
                                     "cublasGemm");
        };
    }

  private:
    template <typename Size>
    static CublasStatus call(CublasGemm<Value, Size> *gemm, CublasHandle handle, const DeviceGemm &what)
    {
        // CUDA aligns complex numbers to their size, C++ to the size of a part.
        alignas(sizeof(Value)) const auto alpha = coefficient_as<Value>(what.alpha);
        alignas(sizeof(Value)) const auto beta = coefficient_as<Value>(what.beta);
        const auto size = [](std::int64_t value) { return static_cast<Size>(value); };
        return gemm(handle, operation(what.transpose_b), operation(what.transpose_a), size(what.n), size(what.m),
                    size(what.k), &alpha, first_of<const Value>(what.b), size(what.b.ld), first_of<const Value>(what.a),
                    size(what.a.ld), &beta, first_of<Value>(what.c), size(what.c.ld));
    }

    static constexpr std::int64_t multiple = 32;
    std::shared_ptr<Cublas> cublas_;
    CublasCalls<Value> calls_;
    std::string math_mode_, name_ = "cublas";
};

} // namespace

std::shared_ptr<InCardGemm> make_cublas_gemm(DeviceSession &session, Scalar type)
{
    auto cublas = cublas_of(session);
    return with_type(type, [&]<typename Value>() -> std::shared_ptr<InCardGemm> {
        return std::make_shared<CublasProduct<Value>>(std::move(cublas));
    });
}

} // namespace hpart
