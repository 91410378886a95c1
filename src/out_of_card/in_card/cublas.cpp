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
        const auto gemm = text("cublas", letter, "gemm_v2");
        library.bind(calls.gemm, gemm.c_str());
        library.bind_if_there(calls.gemm_64, (gemm + "_64").c_str());
        library.bind(calls.trsm, text("cublas", letter, "trsm_v2").c_str());
        library.bind(calls.geam, text("cublas", letter, "geam").c_str());
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

void Cublas::check(CublasStatus status, const char *call) const
{
    if (status == CublasStatus::success) return;
    std::size_t free = 0, total = 0;
    context_->check(context_->driver().memory_info(&free, &total), call); // any call of the driver has its error
    CublasLibrary::check(status, call);
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
    check(status, "cublasCreate");
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
    check(library_.set_stream(handle_, stream), "cublasSetStream");
    // A change of the stream takes the workspace away.
    check(library_.set_workspace(handle_, workspace_.get()->native(), static_cast<std::size_t>(workspace_bytes_)),
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
                cublas->check(wide != nullptr ? call<std::int64_t>(wide, handle, part)
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

// cuSOLVER

CusolverLibrary::CusolverLibrary(const CudaDriver &driver)
{
    // CUDA 12's is 11, CUDA 13's is 12.
    const auto library =
        driver.load({"cuSOLVER", "libcusolver", "cusolverGetProperty", 10}, driver.libraries().cusolver);
    library.bind(create, "cusolverDnCreate");
    library.bind(destroy, "cusolverDnDestroy");
    library.bind(set_stream, "cusolverDnSetStream");
    library.bind(create_parameters, "cusolverDnCreateParams");
    library.bind(destroy_parameters, "cusolverDnDestroyParams");
    library.bind(getrf_room, "cusolverDnXgetrf_bufferSize");
    library.bind(getrf, "cusolverDnXgetrf");
    library.bind(geqrf_room, "cusolverDnXgeqrf_bufferSize");
    library.bind(geqrf, "cusolverDnXgeqrf");
    library.bind(potrf_room, "cusolverDnXpotrf_bufferSize");
    library.bind(potrf, "cusolverDnXpotrf");
    name_ = library.name();
}

void CusolverLibrary::check(CusolverStatus status, const char *call)
{
    constexpr CusolverStatus not_initialized{1}, alloc_failed{2};
    if (status == CusolverStatus::success) return;
    const bool lacks_memory = status == alloc_failed || status == not_initialized;
    fail(lacks_memory ? Status::out_of_memory : Status::device, call, ": status ", static_cast<int>(status),
         lacks_memory ? ", perhaps for want of memory" : "");
}

Cusolver::Cusolver(DeviceSession &session)
    : session_(session), context_(cuda_context(session.device())), library_(context_->driver())
{
    const CudaCurrent current(*context_);
    const auto free_before = context_->free_bytes();
    CusolverLibrary::check(library_.create(&handle_), "cusolverDnCreate");
    try {
        CusolverLibrary::check(library_.create_parameters(&parameters_), "cusolverDnCreateParams");
        handle_bytes_ = std::clamp<std::int64_t>(free_before - context_->free_bytes(), 0, most_handle_bytes);
    } catch (...) {
        if (parameters_ != nullptr) library_.destroy_parameters(parameters_);
        library_.destroy(handle_);
        throw;
    }
    session_.note_library(handle_bytes_);
}

Cusolver::~Cusolver()
{
    if (const CudaCurrent current(*context_, std::nothrow); current) {
        library_.destroy_parameters(parameters_);
        library_.destroy(handle_);
    }
    session_.note_library(-handle_bytes_);
}

namespace
{

CudaDataType data_type(Scalar type)
{
    constexpr CudaDataType types[] = {CudaDataType::s, CudaDataType::d, CudaDataType::c, CudaDataType::z};
    return types[static_cast<int>(type)];
}

CublasTriangle triangle_of(Cusolver::Kind kind)
{
    return kind == Cusolver::Kind::cholesky_lower ? CublasTriangle::lower : CublasTriangle::upper;
}

} // namespace

Cusolver::Rooms Cusolver::rooms(const Panel &panel) const
{
    const auto type = data_type(panel.type);
    Rooms rooms;
    switch (panel.kind) {
    case Kind::lu:
        CusolverLibrary::check(library_.getrf_room(handle_, parameters_, panel.rows, panel.columns, type, panel.data,
                                                   panel.ld, type, &rooms.device, &rooms.host),
                               "cusolverDnXgetrf_bufferSize");
        break;
    case Kind::qr:
        CusolverLibrary::check(library_.geqrf_room(handle_, parameters_, panel.rows, panel.columns, type, panel.data,
                                                   panel.ld, type, panel.found, type, &rooms.device, &rooms.host),
                               "cusolverDnXgeqrf_bufferSize");
        break;
    default:
        CusolverLibrary::check(library_.potrf_room(handle_, parameters_, triangle_of(panel.kind), panel.columns, type,
                                                   panel.data, panel.ld, type, &rooms.device, &rooms.host),
                               "cusolverDnXpotrf_bufferSize");
    }
    return rooms;
}

std::int64_t Cusolver::room(const Panel &panel)
{
    const CudaCurrent current(*context_);
    return static_cast<std::int64_t>(rooms(panel).device);
}

bool Cusolver::factor(const Panel &panel, void *room, std::int64_t room_bytes, CudaStream stream)
{
    const auto type = data_type(panel.type);
    CusolverLibrary::check(library_.set_stream(handle_, stream), "cusolverDnSetStream");
    const auto [on_device, on_host] = rooms(panel);
    if (on_device > static_cast<std::size_t>(room_bytes)) return false;
    if (on_host > on_host_bytes_) {
        on_host_.push_back(std::make_unique<unsigned char[]>(on_host));
        on_host_bytes_ = on_host;
    }
    auto *const host_room = on_host_.empty() ? nullptr : on_host_.back().get();
    switch (panel.kind) {
    case Kind::lu:
        CusolverLibrary::check(library_.getrf(handle_, parameters_, panel.rows, panel.columns, type, panel.data,
                                              panel.ld, static_cast<std::int64_t *>(panel.found), type, room, on_device,
                                              host_room, on_host, panel.info),
                               "cusolverDnXgetrf");
        break;
    case Kind::qr:
        CusolverLibrary::check(library_.geqrf(handle_, parameters_, panel.rows, panel.columns, type, panel.data,
                                              panel.ld, type, panel.found, type, room, on_device, host_room, on_host,
                                              panel.info),
                               "cusolverDnXgeqrf");
        break;
    default:
        CusolverLibrary::check(library_.potrf(handle_, parameters_, triangle_of(panel.kind), panel.columns, type,
                                              panel.data, panel.ld, type, room, on_device, host_room, on_host,
                                              panel.info),
                               "cusolverDnXpotrf");
    }
    return true;
}

std::shared_ptr<Cusolver> cusolver_of(DeviceSession &session)
{
    if (session.info().backend != Backend::cuda) return nullptr;
    return session.kept<Cusolver>("cusolver", [&]() -> std::shared_ptr<Cusolver> {
        try {
            return session.with_room([&] { return std::make_shared<Cusolver>(session); });
        } catch (const Error &error) {
            if (error.status() != Status::unsupported) throw;
            return nullptr;
        }
    });
}

} // namespace hpart
