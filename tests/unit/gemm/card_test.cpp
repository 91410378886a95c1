// Products on cards of little memory against plain loops.
#include "problem.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "out_of_card/devices/host_device.hpp"

#include <gtest/gtest.h>

using namespace gemm_test;
using hpart::Card;
using hpart::Cards;
using hpart::Options;
using hpart::Report;

namespace
{

Cards host_card(std::int64_t limit)
{
    Cards cards;
    cards.cards.push_back(std::make_shared<Card>(hpart::make_host_device(), limit));
    return cards;
}

std::int64_t number(const Report &report, const char *key) { return std::get<std::int64_t>(report.get(key)); }

} // namespace

TEST(OnCard, random_products)
{
    auto random = instances::seeded(21);
    for (const int bits : {16, 18, 20, 30}) {
        auto cards = host_card(std::int64_t{1} << bits);
        auto &card = *cards.cards.front();
        for (std::int64_t i = 0, count = instances::how_many(2000, 0.25); i < count; ++i) {
            const auto form = any_form(random, i % 20 == 0 ? 400 : 90);
            Problem problem(form, random);
            Options options;
            if (i % 5 == 1) options.set_text("plan", "hclooc");
            Report report;
            try {
                hpart::gemm(cards, problem.call(), options, report);
            } catch (const hpart::Error &error) {
                ASSERT_EQ(i % 5, 1) << error.what() << describe(form);
                ASSERT_EQ(error.status(), hpart::Status::out_of_memory);
                ASSERT_TRUE(problem.unchanged());
                continue;
            }
            ASSERT_EQ(problem.check(), "") << describe(form) << " limit " << (1 << bits);
            ASSERT_EQ(card.used(), 0);
            if (report.find("bytes_planned") == nullptr) continue; // done without a card
            ASSERT_EQ(number(report, "bytes_to_device") + number(report, "bytes_from_device"),
                      number(report, "bytes_planned"))
                << describe(form);
        }
    }
}
