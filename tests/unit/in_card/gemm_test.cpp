#include "core/error.hpp"
#include "out_of_card/devices/host_device.hpp"
#include "product.hpp"

#include <gtest/gtest.h>

namespace in_card_test
{

using namespace hpart;

namespace
{

constexpr Scalar types[] = {Scalar::s, Scalar::d, Scalar::c, Scalar::z};

std::shared_ptr<Card> open_card(const std::string &)
{
    return std::make_shared<Card>(make_host_device(), std::nullopt);
}

class InCardGemmTest : public testing::TestWithParam<const char *>
{
  protected:
    std::shared_ptr<Card> card_ = open_card(GetParam());
};

TEST_P(InCardGemmTest, EveryKernelIsRightForEveryForm)
{
    constexpr std::int64_t largest = 140;
    const auto count = instances::how_many(400, 0.1);
    for (const auto type : types)
        for (const auto &name : in_card_gemm_names(*card_, type)) {
            const auto kernel = in_card_gemm(*card_, type, name);
            EXPECT_EQ(kernel->name(), name);
            EXPECT_EQ(kernel->type(), type);
            auto random = instances::seeded(static_cast<std::uint64_t>(type) + 1);
            for (std::int64_t instance = 0; instance < count; ++instance) {
                const auto form = any_form(random, *kernel, largest);
                const auto product = make_product(form, random);
                product->run(*card_, *kernel);
                ASSERT_EQ(product->check(), "") << name << " " << describe(form);
            }
        }
    EXPECT_EQ(card_->used(), 0);
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

INSTANTIATE_TEST_SUITE_P(Cards, InCardGemmTest, testing::Values("host"));

} // namespace

} // namespace in_card_test
