#include "out_of_card/in_card/gemm_cblas.hpp"

#include "core/error.hpp"
#include "out_of_card/in_card/gemm.hpp"

namespace hpart
{

void check_cblas_sizes(const DeviceGemm &what)
{
    blas_integer(what.m, "m");
    blas_integer(what.n, "n");
    blas_integer(what.k, "k");
    blas_integer(what.a.ld, "lda");
    blas_integer(what.b.ld, "ldb");
    blas_integer(what.c.ld, "ldc");
}

void multiply_by_cblas(Scalar type, const DeviceGemm &what, const GemmPointers &at)
{
    check_cblas_sizes(what);
    const bool is_scaled = !is_finite(what.beta); // some BLAS take a NaN for 0
    if (is_scaled) scale_rows(type, what.beta, at.c, what.m, what.n, what.c.ld);
    with_type(type, [&]<typename Value>() {
        const auto alpha = coefficient_as<Value>(what.alpha), beta = coefficient_as<Value>(is_scaled ? 1 : what.beta);
        Cblas<Value>::gemm(CblasRowMajor, cblas_transpose(what.transpose_a), cblas_transpose(what.transpose_b),
                           blas_integer(what.m, "m"), blas_integer(what.n, "n"), blas_integer(what.k, "k"),
                           by_address(alpha), static_cast<const Value *>(at.a), blas_integer(what.a.ld, "lda"),
                           static_cast<const Value *>(at.b), blas_integer(what.b.ld, "ldb"), by_address(beta),
                           static_cast<Value *>(at.c), blas_integer(what.c.ld, "ldc"));
    });
}

namespace
{

char *element(const DeviceMatrix &matrix, Scalar type)
{
    return static_cast<char *>(matrix.buffer->native()) + matrix.offset * bytes_of(type);
}

class HostGemm final : public InCardGemm
{
  public:
    explicit HostGemm(Scalar type) : type_(type) {}
    std::string_view name() const override { return "openblas"; }
    Scalar type() const override { return type_; }
    // The BLAS has no rough edges: its remainders are kernels of their own.
    std::int64_t row_multiple() const override { return 1; }
    std::int64_t column_multiple() const override { return 1; }
    std::int64_t scratch_bytes(std::int64_t, std::int64_t, std::int64_t) const override { return 0; }

    Launch product(const DeviceGemm &what) override
    {
        check_cblas_sizes(what);
        const GemmPointers at{element(what.a, type_), element(what.b, type_), element(what.c, type_)};
        return [type = type_, what, at](LaunchContext &) { multiply_by_cblas(type, what, at); };
    }

  private:
    Scalar type_;
};

} // namespace

std::shared_ptr<InCardGemm> make_host_gemm(DeviceSession &, Scalar type) { return std::make_shared<HostGemm>(type); }

} // namespace hpart
