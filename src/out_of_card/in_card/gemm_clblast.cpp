#include "core/error.hpp"
#include "out_of_card/in_card/gemm.hpp"
#include "out_of_card/in_card/opencl_kernel.hpp"

#include <algorithm>
#include <mutex>

#include <clblast.h>

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

clblast::Transpose clblast_transpose(Transpose transpose)
{
    switch (transpose) {
    case Transpose::none: return clblast::Transpose::kNo;
    case Transpose::transpose: return clblast::Transpose::kYes;
    case Transpose::conjugate: return clblast::Transpose::kConjugate;
    }
    fail(Status::internal, "transpose has the value ", static_cast<int>(transpose));
}

std::size_t size(std::int64_t value) { return static_cast<std::size_t>(value); }

// Without a scratch, CLBlast allocates its own until the product is done.
template <typename Value> clblast::StatusCode multiply(const DeviceGemm &what, cl_command_queue queue, cl_event &event)
{
    return clblast::Gemm<Value>(
        clblast::Layout::kRowMajor, clblast_transpose(what.transpose_a), clblast_transpose(what.transpose_b),
        size(what.m), size(what.n), size(what.k), coefficient_as<Value>(what.alpha), opencl_native(*what.a.buffer),
        size(what.a.offset), size(what.a.ld), opencl_native(*what.b.buffer), size(what.b.offset), size(what.b.ld),
        coefficient_as<Value>(what.beta), opencl_native(*what.c.buffer), size(what.c.offset), size(what.c.ld), &queue,
        &event, what.scratch == nullptr ? nullptr : opencl_native(*what.scratch));
}

// The most of any transposes, with leading dimensions that are no multiples, for which it copies all three operands.
template <typename Value>
std::int64_t clblast_bytes(std::int64_t m, std::int64_t n, std::int64_t k, cl_command_queue queue)
{
    std::size_t most = 0;
    for (const bool transpose_a : {false, true})
        for (const bool transpose_b : {false, true}) {
            std::size_t bytes = 0;
            const auto status = clblast::GemmTempBufferSize<Value>(
                clblast::Layout::kRowMajor, transpose_a ? clblast::Transpose::kYes : clblast::Transpose::kNo,
                transpose_b ? clblast::Transpose::kYes : clblast::Transpose::kNo, size(m), size(n), size(k), 0,
                size(transpose_a ? m : k) + 1, 0, size(transpose_b ? k : n) + 1, 0, size(n) + 1, &queue, bytes);
            if (status != clblast::StatusCode::kSuccess)
                fail(Status::device, "CLBlast cannot tell what memory a product takes: status ",
                     static_cast<int>(status));
            most = std::max(most, bytes);
        }
    return static_cast<std::int64_t>(most);
}

// Its statuses above -1000 are OpenCL's, of calls that may allocate.
void check_clblast(clblast::StatusCode status)
{
    constexpr int first_of_its_own = -1000;
    const auto code = static_cast<int>(status);
    if (code > first_of_its_own) return check_allocation(code, "of CLBlast's product");
    fail(Status::device, "CLBlast's product failed with status ", code);
}

template <typename Value> class ClBlastGemm final : public InCardGemm
{
  public:
    explicit ClBlastGemm(Device &device) : native_(opencl_native(device))
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
        clblast::ClearCache();
    }

    std::string_view name() const override { return "clblast"; }
    Scalar type() const override { return ScalarOf<Value>::type; }
    // CLBlast's usual tiles; it pads to their multiples, in memory that scratch_bytes counts.
    std::int64_t row_multiple() const override { return 64; }
    std::int64_t column_multiple() const override { return 64; }

    std::int64_t scratch_bytes(std::int64_t m, std::int64_t n, std::int64_t k) const override
    {
        const std::lock_guard lock(clblast_mutex());
        return clblast_bytes<Value>(m, n, k, queue_.get());
    }

    Launch product(const DeviceGemm &what) override
    {
        return [what](LaunchContext &context) {
            cl_event event = nullptr;
            const std::lock_guard lock(clblast_mutex());
            check_clblast(multiply<Value>(what, opencl_queue(context), event));
            context.last_event = event;
        };
    }

  private:
    OpenClNative native_;
    ClQueue queue_; // to ask with
};

} // namespace

std::shared_ptr<InCardGemm> make_clblast_gemm(DeviceSession &session, Scalar type)
{
    auto &device = session.device();
    return with_type(type, [&]<typename Value>() -> std::shared_ptr<InCardGemm> {
        return std::make_shared<ClBlastGemm<Value>>(device);
    });
}

} // namespace hpart
