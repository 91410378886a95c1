#include "core/error.hpp"
#include "out_of_card/in_card/gemm_cblas.hpp"
#include "out_of_card/in_card/gemm_kinds.hpp"

namespace hpart
{

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
