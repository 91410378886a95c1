#include "core/error.hpp"
#include "product.hpp"
#include "support/backends.hpp"

#include <gtest/gtest.h>

#include <thread>

namespace in_card_test
{

using namespace hpart;

namespace
{

constexpr Scalar types[] = {Scalar::s, Scalar::d, Scalar::c, Scalar::z};

class InCardGemmTest : public testing::TestWithParam<support::BackendCase>
{
  protected:
    void SetUp() override
    {
        if (!GetParam().is_here) GTEST_SKIP() << "this machine has no OpenCL device";
        card_ = std::make_shared<Card>(GetParam().open(), std::nullopt);
    }
    std::shared_ptr<Card> card_;
};

// Its kernels take minutes to compile for all types on PoCL, and are others' work: a sample, more of it in long runs.
bool is_tested_here(std::string_view name, Scalar type, const std::string &backend)
{
    if (name != "clblast") return true;
    constexpr std::int64_t long_run = 20000;
    return backend == "opencl_whole" && (type == Scalar::d || support::how_many(0, 1) >= long_run);
}

TEST_P(InCardGemmTest, EveryKernelIsRightForEveryForm)
{
    constexpr std::int64_t largest = 140;
    const auto count = support::how_many(400, 0.1);
    for (const auto type : types)
        for (const auto &name : in_card_gemm_names(*card_, type)) {
            if (!is_tested_here(name, type, GetParam().name)) continue;
            const auto kernel = in_card_gemm(*card_, type, name);
            EXPECT_EQ(kernel->name(), name);
            EXPECT_EQ(kernel->type(), type);
            auto random = support::seeded(static_cast<std::uint64_t>(type) + 1);
            for (std::int64_t instance = 0; instance < count; ++instance) {
                const auto form = any_form(random, *kernel, largest);
                const auto product = make_product(form, random);
                product->run(*card_, *kernel);
                ASSERT_EQ(product->check(), "") << name << " " << describe(form);
            }
        }
    EXPECT_EQ(card_->used(), 0);
}

// Several blocks each way, several parts of the depth.
TEST_P(InCardGemmTest, LargeProductsAreRight)
{
    for (const auto type : types)
        for (const auto &name : in_card_gemm_names(*card_, type)) {
            if (!is_tested_here(name, type, GetParam().name)) continue;
            const auto kernel = in_card_gemm(*card_, type, name);
            auto random = support::seeded(static_cast<std::uint64_t>(type) + 11);
            auto form = any_form(random, *kernel, 140);
            const bool tall = between(random, 0, 1) == 1;
            form.m = tall ? 603 : 37;
            form.n = tall ? 41 : 1201;
            form.k = 397;
            form.alpha = -1;
            const auto product = make_product(form, random);
            product->run(*card_, *kernel);
            EXPECT_EQ(product->check(), "") << name << " " << describe(form);
        }
}

// Threads with a queue each, as copies of one operation on one card have.
TEST_P(InCardGemmTest, QueuesMayShareAKernel)
{
    const auto count = support::how_many(400, 0.05);
    for (const auto &name : in_card_gemm_names(*card_, Scalar::d)) {
        if (name == "clblast") continue;
        const auto kernel = in_card_gemm(*card_, Scalar::d, name);
        std::string wrong[2];
        const auto work = [&](std::uint64_t thread) {
            auto random = support::seeded(100 + thread);
            for (std::int64_t instance = 0; instance < count && wrong[thread].empty(); ++instance) {
                const auto form = any_form(random, *kernel, 100);
                const auto product = make_product(form, random);
                product->run(*card_, *kernel);
                if (const auto said = product->check(); !said.empty()) wrong[thread] = said + " " + describe(form);
            }
        };
        std::thread other(work, 1);
        work(0);
        other.join();
        EXPECT_EQ(wrong[0], "") << name;
        EXPECT_EQ(wrong[1], "") << name;
    }
}

TEST_P(InCardGemmTest, AnUnknownKernelIsToldWithThoseThereAre)
{
    try {
        in_card_gemm(*card_, Scalar::d, "no such");
        FAIL();
    } catch (const Error &error) {
        EXPECT_EQ(error.status(), Status::unsupported);
        for (const auto &name : in_card_gemm_names(*card_, Scalar::d))
            EXPECT_NE(std::string(error.what()).find(name), std::string::npos) << error.what();
    }
}

INSTANTIATE_TEST_SUITE_P(Cards, InCardGemmTest, testing::ValuesIn(support::backend_cases()),
                         [](const auto &backend) { return backend.param.name; });

} // namespace

} // namespace in_card_test
