#include "core/error.hpp"
#include "out_of_card/in_card/gemm_kinds.hpp"
#include "out_of_card/in_card/opencl_kernel.hpp"

#include <algorithm>
#include <mutex>

#include <clblast_c.h>

namespace hpart
{

namespace
{

// CLBlast fills its table of tuned parameters in its first call, and compiles, without locks of its own (1.5.3).
std::mutex &clblast_mutex()
{
    static std::mutex the_one;
    return the_one;
}

CLBlastTranspose clblast_transpose(Transpose transpose)
{
    switch (transpose) {
    case Transpose::none: return CLBlastTransposeNo;
    case Transpose::transpose: return CLBlastTransposeYes;
    case Transpose::conjugate: return CLBlastTransposeConjugate;
    }
    fail(Status::internal, "transpose has the value ", static_cast<int>(transpose));
}

std::size_t size(std::int64_t value) { return static_cast<std::size_t>(value); }

// Function(layout, ..., alpha, ..., beta, ...) of the types: alpha and beta as it takes them.
template <typename Function, typename Coefficients>
CLBlastStatusCode multiply(const Function &function, const CardGemm &what, const Coefficients &alpha,
                           const Coefficients &beta, cl_command_queue queue, cl_event &event)
{
    return function(CLBlastLayoutRowMajor, clblast_transpose(what.transpose_a), clblast_transpose(what.transpose_b),
                    size(what.m), size(what.n), size(what.k), alpha, opencl_native(*what.a.buffer), size(what.a.offset),
                    size(what.a.ld), opencl_native(*what.b.buffer), size(what.b.offset), size(what.b.ld), beta,
                    opencl_native(*what.c.buffer), size(what.c.offset), size(what.c.ld), &queue, &event);
}

CLBlastStatusCode multiply(Scalar type, const CardGemm &what, cl_command_queue queue, cl_event &event)
{
    const auto &alpha = what.alpha, &beta = what.beta;
    const auto single = [](double value) { return static_cast<cl_float>(value); };
    switch (type) {
    case Scalar::s: return multiply(CLBlastSgemm, what, single(alpha.real()), single(beta.real()), queue, event);
    case Scalar::d: return multiply(CLBlastDgemm, what, alpha.real(), beta.real(), queue, event);
    case Scalar::c:
        return multiply(CLBlastCgemm, what, cl_float2{{single(alpha.real()), single(alpha.imag())}},
                        cl_float2{{single(beta.real()), single(beta.imag())}}, queue, event);
    case Scalar::z:
        return multiply(CLBlastZgemm, what, cl_double2{{alpha.real(), alpha.imag()}},
                        cl_double2{{beta.real(), beta.imag()}}, queue, event);
    }
    fail(Status::internal, "type has the value ", static_cast<int>(type));
}

auto temporary_size_of(Scalar type)
{
    switch (type) {
    case Scalar::s: return CLBlastSGemmTempBufferSize;
    case Scalar::d: return CLBlastDGemmTempBufferSize;
    case Scalar::c: return CLBlastCGemmTempBufferSize;
    case Scalar::z: return CLBlastZGemmTempBufferSize;
    }
    fail(Status::internal, "type has the value ", static_cast<int>(type));
}

class ClBlastGemm final : public InCardGemm
{
  public:
    ClBlastGemm(Device &device, Scalar type) : native_(opencl_native(device)), type_(type)
    {
        cl_int status = CL_SUCCESS;
        queue_ = ClQueue(clCreateCommandQueue(native_.context, native_.device, 0, &status));
        check_cl(status, "clCreateCommandQueue");
    }
    ClBlastGemm(const ClBlastGemm &) = delete;
    ClBlastGemm &operator=(const ClBlastGemm &) = delete;
    // It would keep the context for the life of the process.
    ~ClBlastGemm() override
    {
        const std::lock_guard lock(clblast_mutex());
        CLBlastClearCache();
    }

    std::string_view name() const override { return "clblast"; }
    Scalar type() const override { return type_; }
    // Of its usual tiles; it pads what is not a multiple, in memory that hidden_bytes counts.
    std::int64_t row_multiple() const override { return 64; }
    std::int64_t column_multiple() const override { return 64; }

    // The most of any transposes, with leading dimensions that are no multiples, for which it copies all three operands.
    std::int64_t hidden_bytes(std::int64_t m, std::int64_t n, std::int64_t k) const override
    {
        const std::lock_guard lock(clblast_mutex());
        const auto ask = temporary_size_of(type_);
        auto *queue = queue_.get();
        std::size_t most = 0;
        for (const bool transpose_a : {false, true})
            for (const bool transpose_b : {false, true}) {
                std::size_t bytes = 0;
                const auto status = ask(CLBlastLayoutRowMajor, transpose_a ? CLBlastTransposeYes : CLBlastTransposeNo,
                                        transpose_b ? CLBlastTransposeYes : CLBlastTransposeNo, size(m), size(n),
                                        size(k), 0, size(transpose_a ? m : k) + 1, 0, size(transpose_b ? k : n) + 1, 0,
                                        size(n) + 1, &queue, &bytes);
                if (status != CLBlastSuccess)
                    fail(Status::device, "CLBlast cannot tell what memory a product takes: status ", int{status});
                most = std::max(most, bytes);
            }
        return static_cast<std::int64_t>(most);
    }

    Launch product(const CardGemm &what) override
    {
        return [type = type_, what](LaunchContext &context) {
            cl_event event = nullptr;
            const std::lock_guard lock(clblast_mutex());
            const auto status = multiply(type, what, opencl_queue(context), event);
            if (status != CLBlastSuccess) fail(Status::device, "CLBlast's product failed with status ", int{status});
            context.last_event = event;
        };
    }

  private:
    OpenClNative native_;
    Scalar type_;
    ClQueue queue_; // to ask with
};

} // namespace

std::shared_ptr<InCardGemm> make_clblast_gemm(Card &card, Scalar type)
{
    return std::make_shared<ClBlastGemm>(card.device(), type);
}

} // namespace hpart
