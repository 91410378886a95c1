// Products by cuBLAS.
#include "core/error.hpp"
#include "out_of_card/in_card/cublas.hpp"
#include "out_of_card/in_card/gemm_kinds.hpp"

#include <limits>

namespace hpart
{

namespace
{

int cublas_integer(std::int64_t value, const char *name)
{
    if (value > std::numeric_limits<int>::max())
        fail(Status::unsupported, name, " is ", value, "; cuBLAS takes at most ", std::numeric_limits<int>::max());
    return static_cast<int>(value);
}

CublasOperation operation(Transpose transpose)
{
    constexpr CublasOperation operations[] = {CublasOperation::none, CublasOperation::transpose,
                                              CublasOperation::conjugate};
    return operations[static_cast<int>(transpose)];
}

template <typename Value> CublasGemm<Value> *gemm_of(const CublasLibrary &library)
{
    if constexpr (std::is_same_v<Value, float>)
        return library.sgemm;
    else if constexpr (std::is_same_v<Value, double>)
        return library.dgemm;
    else if constexpr (std::is_same_v<Value, std::complex<float>>)
        return library.cgemm;
    else
        return library.zgemm;
}

template <typename Value> Value coefficient(const Coefficient &value)
{
    if constexpr (is_complex(ScalarOf<Value>::type))
        return Value(value);
    else
        return static_cast<Value>(value.real());
}

template <typename Value> Value *first_of(const CardMatrix &matrix)
{
    return static_cast<Value *>(matrix.buffer->native()) + matrix.offset;
}

template <typename Value> class CublasProduct final : public InCardGemm
{
  public:
    explicit CublasProduct(std::shared_ptr<Cublas> cublas) : cublas_(std::move(cublas)) {}

    std::string_view name() const override { return "cublas"; }
    Scalar type() const override { return ScalarOf<Value>::type; }
    // Rows that begin where vectors do. The tiles of its kernels are larger, but few beside those of a card full.
    std::int64_t row_multiple() const override { return multiple; }
    std::int64_t column_multiple() const override { return multiple; }
    std::int64_t hidden_bytes(std::int64_t, std::int64_t, std::int64_t) const override
    {
        return 0; // the workspace is on the card's account
    }

    // cuBLAS stores by columns, so that it sees the transposes: of C, which is op(B)^T op(A)^T then, of A and of B.
    Launch product(const CardGemm &what) override
    {
        const auto m = cublas_integer(what.n, "n"), n = cublas_integer(what.m, "m"), k = cublas_integer(what.k, "k");
        const auto lda = cublas_integer(what.b.ld, "ldb"), ldb = cublas_integer(what.a.ld, "lda"),
                   ldc = cublas_integer(what.c.ld, "ldc");
        return [=, cublas = cublas_, alpha = coefficient<Value>(what.alpha),
                beta = coefficient<Value>(what.beta)](LaunchContext &context) {
            auto *const handle = cublas->in_stream(static_cast<CudaStream>(context.queue));
            const auto status = gemm_of<Value>(cublas->library())(
                handle, operation(what.transpose_b), operation(what.transpose_a), m, n, k, &alpha,
                first_of<const Value>(what.b), lda, first_of<const Value>(what.a), ldb, &beta, first_of<Value>(what.c),
                ldc);
            CublasLibrary::check(status, "cublasGemm");
        };
    }

  private:
    static constexpr std::int64_t multiple = 32;
    std::shared_ptr<Cublas> cublas_;
};

} // namespace

std::shared_ptr<InCardGemm> make_cublas_gemm(Card &card, Scalar type)
{
    auto cublas = cublas_of(card);
    switch (type) {
    case Scalar::s: return std::make_shared<CublasProduct<float>>(std::move(cublas));
    case Scalar::d: return std::make_shared<CublasProduct<double>>(std::move(cublas));
    case Scalar::c: return std::make_shared<CublasProduct<std::complex<float>>>(std::move(cublas));
    default: return std::make_shared<CublasProduct<std::complex<double>>>(std::move(cublas));
    }
}

} // namespace hpart
