// Products by a function of the caller's.
#include "core/error.hpp"
#include "out_of_card/in_card/gemm_kinds.hpp"
#include "out_of_card/in_card/gemm_rates.hpp"

namespace hpart
{

namespace
{

class GemmOfUser final : public InCardGemm
{
  public:
    GemmOfUser(DeviceSession &session, Scalar type, UserGemm kernel)
        : session_(session), type_(type), kernel_(std::move(kernel))
    {
        if (kernel_.scratch_bytes > 0) scratch_ = session.allocate(kernel_.scratch_bytes);
    }

    std::string_view name() const override { return "user"; }
    Scalar type() const override { return type_; }
    std::int64_t row_multiple() const override { return kernel_.row_multiple; }
    std::int64_t column_multiple() const override { return kernel_.column_multiple; }
    std::int64_t largest_side() const override { return kernel_.largest_side; }
    // Its scratch is there already: the queue of kernels runs one product at a time.
    std::int64_t scratch_bytes(std::int64_t, std::int64_t, std::int64_t) const override { return 0; }

    Launch product(const DeviceGemm &what) override
    {
        auto asked = what;
        asked.scratch = scratch_.get();
        return [enqueue = kernel_.enqueue, asked, &lock = session_.in_use()](LaunchContext &context) {
            const DeviceLock::Callback callback(lock);
            enqueue(context.queue, asked);
        };
    }

  private:
    DeviceSession &session_;
    Scalar type_;
    UserGemm kernel_;
    SessionBuffer scratch_;
};

} // namespace

std::shared_ptr<InCardGemm> checked_user_gemm(DeviceSession &session, Scalar type, UserGemm kernel)
{
    const std::lock_guard lock(session.in_use());
    check_in_card_gemm(session, type, "auto");
    auto made = std::make_shared<GemmOfUser>(session, type, std::move(kernel));
    check_gemm(session, *made);
    return made;
}

void set_user_gemm(DeviceSession &session, Scalar type, std::shared_ptr<InCardGemm> kernel)
{
    const std::lock_guard lock(session.in_use());
    session.forget(name_of_user_gemm(type));
    session.forget(name_of_gemm_rates("user", type));
    if (kernel) session.kept<InCardGemm>(name_of_user_gemm(type), [&] { return std::move(kernel); });
}

} // namespace hpart
