// Products by a function of the caller's: here another kernel of the same device.
#include "product.hpp"
#include "support/backends.hpp"
#include "support/errors.hpp"
#include "support/known_device.hpp"

#include "out_of_card/in_card/gemm_rates.hpp"

#include <gtest/gtest.h>

#include <algorithm>

using namespace hpart;
using namespace in_card_test;

namespace
{

class GemmOfUser : public support::OnBackend
{
  protected:
    void SetUp() override
    {
        OnBackend::SetUp();
        if (device_) session_ = support::known_device(device_, std::nullopt);
    }
    // It enqueues what `change` makes of each product.
    UserGemm by_another(Scalar type, std::function<void(DeviceGemm &)> change = {})
    {
        auto other = in_card_gemm(*session_, type, in_card_gemm_names(*session_, type).front());
        return {other->row_multiple(), other->column_multiple(), other->largest_side(), 0,
                [this, other, change](void *queue, const DeviceGemm &what) {
                    auto changed = what;
                    changed.scratch = nullptr;
                    if (change) change(changed);
                    LaunchContext context;
                    context.queue = queue;
                    other->product(changed)(context);
                    ++calls_;
                }};
    }

    std::shared_ptr<DeviceSession> session_;
    int calls_ = 0;
};

TEST_P(GemmOfUser, IsTheProductOfItsType)
{
    for (const auto type : {Scalar::s, Scalar::d, Scalar::c, Scalar::z}) {
        if (in_card_gemm_names(*session_, type).empty()) continue;
        const auto before = in_card_gemm(*session_, type);
        set_user_gemm(*session_, type, checked_user_gemm(*session_, type, by_another(type)));
        const auto kernel = in_card_gemm(*session_, type);
        EXPECT_EQ(kernel->name(), "user");
        EXPECT_EQ(in_card_gemm(*session_, type, "user"), kernel);
        calls_ = 0;
        auto random = support::seeded(static_cast<std::uint64_t>(type) + 43);
        std::int64_t instances = support::how_many(0.003);
        for (std::int64_t instance = 0; instance < instances; ++instance) {
            const auto form = any_form(random, *kernel, 90);
            Product product(form, random);
            product.run(*session_, *kernel);
            ASSERT_EQ(product.check(), "") << describe(form);
        }
        EXPECT_EQ(calls_, instances);
        set_user_gemm(*session_, type, nullptr);
        EXPECT_EQ(in_card_gemm(*session_, type), before);
        support::expect_error(Status::unsupported, {"kernel is 'user'", "hpart_device_set_gemm"},
                              [&] { in_card_gemm(*session_, type, "user"); });
    }
}

TEST_P(GemmOfUser, ThatComputesSomethingElseIsRefused)
{
    in_card_gemm(*session_, Scalar::s);
    const auto before = session_->used(); // cuBLAS's workspace stays
    const auto refused = [&](const std::function<void(DeviceGemm &)> &change) {
        support::expect_error(Status::invalid_argument, {"kernel is 'user', which is no product"},
                              [&] { checked_user_gemm(*session_, Scalar::s, by_another(Scalar::s, change)); });
    };
    refused([](DeviceGemm &what) { what.alpha = 1; });
    refused([](DeviceGemm &what) { what.k = std::min<std::int64_t>(what.k, 65535); });
    refused([](DeviceGemm &what) { what.beta = 0; });
    refused([](DeviceGemm &what) { --what.k; });
    refused([](DeviceGemm &what) { --what.n; });
    refused([](DeviceGemm &what) { --what.a.offset; });
    refused([](DeviceGemm &what) { --what.m; });
    EXPECT_NE(in_card_gemm(*session_, Scalar::s)->name(), "user");
    EXPECT_EQ(session_->used(), before);
}

TEST_P(GemmOfUser, HasItsScratchInTheDevicesAccount)
{
    auto own = by_another(Scalar::s);
    own.scratch_bytes = 1000;
    const auto before = session_->used();
    const auto enqueue = own.enqueue;
    const void *scratch = nullptr;
    own.enqueue = [&](void *queue, const DeviceGemm &what) {
        ASSERT_NE(what.scratch, nullptr);
        scratch = what.scratch->native();
        enqueue(queue, what);
    };
    set_user_gemm(*session_, Scalar::s, checked_user_gemm(*session_, Scalar::s, own));
    EXPECT_NE(scratch, nullptr);
    EXPECT_EQ(session_->used(), before + session_->taken_by(1000));
    set_user_gemm(*session_, Scalar::s, nullptr);
    EXPECT_EQ(session_->used(), before);
    own.scratch_bytes = session_->memory_limit() + 1;
    support::expect_error(Status::out_of_memory, {}, [&] { checked_user_gemm(*session_, Scalar::s, own); });
}

TEST_P(GemmOfUser, HasRatesOfItsOwn)
{
    std::shared_ptr<const GemmRates> rates[2];
    for (auto &of_one : rates) {
        set_user_gemm(*session_, Scalar::s, checked_user_gemm(*session_, Scalar::s, by_another(Scalar::s)));
        of_one = measured_gemm_rates(*session_, *in_card_gemm(*session_, Scalar::s));
        EXPECT_EQ(measured_gemm_rates(*session_, *in_card_gemm(*session_, Scalar::s)), of_one);
    }
    EXPECT_NE(rates[0], rates[1]);
}

TEST_P(GemmOfUser, IsMeasuredWithinItsLargestSide)
{
    auto own = by_another(Scalar::s);
    own.largest_side = 300; // less than a trial would have
    std::int64_t longest = 0;
    const auto enqueue = own.enqueue;
    own.enqueue = [&](void *queue, const DeviceGemm &what) {
        longest = std::max({longest, what.m, what.n, what.k, what.a.ld, what.b.ld, what.c.ld});
        enqueue(queue, what);
    };
    set_user_gemm(*session_, Scalar::s, checked_user_gemm(*session_, Scalar::s, own));
    const auto rates = measured_gemm_rates(*session_, *in_card_gemm(*session_, Scalar::s));
    EXPECT_GT(rates->seconds(100, 100, 100), 0);
    EXPECT_GT(longest, own.largest_side / 2);
    EXPECT_LE(longest, own.largest_side);
    set_user_gemm(*session_, Scalar::s, nullptr);
}

INSTANTIATE_TEST_SUITE_P(Devices, GemmOfUser, testing::ValuesIn(support::backend_cases()), support::backend_name);

} // namespace
