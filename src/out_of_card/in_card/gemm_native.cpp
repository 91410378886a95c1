#include "core/error.hpp"
#include "host/single_threaded_blas.hpp"
#include "out_of_card/devices/opencl_query.hpp"
#include "out_of_card/in_card/gemm_cblas.hpp"
#include "out_of_card/in_card/gemm_kinds.hpp"
#include "out_of_card/in_card/opencl_kernel.hpp"

namespace hpart
{

namespace
{

// What the driver hands to the native kernel: it puts the buffers' addresses in.
struct NativeArguments {
    void *a = nullptr, *b = nullptr, *c = nullptr;
    Scalar type = Scalar::d;
    CardGemm what;
};

void CL_CALLBACK run(void *memory)
{
    // Sizes were checked before: nothing throws here but a mutex that cannot be locked, after which the BLAS still is right.
    const auto &[a, b, c, type, what] = *static_cast<const NativeArguments *>(memory);
    const auto at = [type = type](void *buffer, const CardMatrix &matrix) {
        return static_cast<char *>(buffer) + matrix.offset * bytes_of(type);
    };
    const SingleThreadedBlas single; // the driver has given us this thread alone
    multiply_by_cblas(type, what, {at(a, what.a), at(b, what.b), at(c, what.c)});
}

// The BLAS on one of the device's own threads.
class NativeGemm final : public InCardGemm
{
  public:
    explicit NativeGemm(Scalar type) : type_(type) {}
    std::string_view name() const override { return "openblas"; }
    Scalar type() const override { return type_; }
    std::int64_t row_multiple() const override { return 1; }
    std::int64_t column_multiple() const override { return 1; }
    std::int64_t hidden_bytes(std::int64_t, std::int64_t, std::int64_t) const override { return 0; }

    Launch product(const CardGemm &what) override
    {
        check_cblas_sizes(what);
        return [type = type_, what](LaunchContext &context) {
            NativeArguments arguments{nullptr, nullptr, nullptr, type, what};
            const cl_mem buffers[] = {opencl_native(*what.a.buffer), opencl_native(*what.b.buffer),
                                      opencl_native(*what.c.buffer)};
            const void *places[] = {&arguments.a, &arguments.b, &arguments.c};
            cl_event event = nullptr;
            check_cl(clEnqueueNativeKernel(opencl_queue(context), run, &arguments, sizeof arguments, 3, buffers, places,
                                           0, nullptr, &event),
                     "clEnqueueNativeKernel");
            set_one_command(context, event);
        };
    }

  private:
    Scalar type_;
};

} // namespace

std::shared_ptr<InCardGemm> make_native_gemm(Card &, Scalar type) { return std::make_shared<NativeGemm>(type); }

} // namespace hpart
