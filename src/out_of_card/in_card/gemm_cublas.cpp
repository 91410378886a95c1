// Products by cuBLAS.
#include "core/error.hpp"
#include "out_of_card/in_card/cublas.hpp"
#include "out_of_card/in_card/gemm_kinds.hpp"
#include "out_of_card/in_card/spans.hpp"

#include <algorithm>
#include <limits>

namespace hpart
{

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
