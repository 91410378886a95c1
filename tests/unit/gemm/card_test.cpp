// Products on cards of little memory against plain loops.
#include "problem.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "out_of_card/devices/host_device.hpp"
#include "out_of_card/gemm/several_cards.hpp"

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
    auto random = support::seeded(21);
    for (const int bits : {16, 18, 20, 30}) {
        auto cards = host_card(std::int64_t{1} << bits);
        auto &card = *cards.cards.front();
        for (std::int64_t i = 0, count = support::how_many(2000, 0.25); i < count; ++i) {
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

TEST(OnCards, random_products_on_two)
{
    auto random = support::seeded(22);
    Cards cards;
    cards.cards.push_back(std::make_shared<Card>(hpart::make_host_device(), std::int64_t{1} << 18));
    cards.cards.push_back(std::make_shared<Card>(hpart::make_host_device(), std::nullopt));
    for (std::int64_t i = 0, count = support::how_many(2000, 0.05); i < count; ++i) {
        const auto form = any_form(random, i % 4 == 0 ? 500 : 60);
        Problem problem(form, random);
        Report report;
        hpart::gemm(cards, problem.call(), Options(), report);
        ASSERT_EQ(problem.check(), "") << describe(form);
        for (const auto &card : cards.cards) ASSERT_EQ(card->used(), 0);
        if (report.find("bytes_planned") == nullptr) continue; // done without a card
        ASSERT_EQ(number(report, "bytes_to_device") + number(report, "bytes_from_device"),
                  number(report, "bytes_planned"));
    }
}

TEST(OnCards, shares_are_those_of_least_time)
{
    std::vector<double> fast, slow;
    for (int x = 1; x <= 12; ++x) {
        fast.push_back(x);
        slow.push_back(3.0 * x);
    }
    const auto shares = hpart::shares_of_least_time({fast, slow}, 12);
    EXPECT_EQ(shares, (std::vector<std::int64_t>{9, 3}));
}

TEST(OnCard, a_call_that_is_cancelled_stops)
{
    auto cards = host_card(std::int64_t{1} << 20);
    auto random = support::seeded(23);
    Form form;
    form.m = form.n = form.k = 700;
    Problem problem(form, random);
    Options options;
    int told = 0;
    options.set_progress(std::make_shared<const hpart::ProgressCallback>([&](double, const char *) { return ++told; }));
    Report report;
    try {
        hpart::gemm(cards, problem.call(), options, report);
        FAIL() << "the call was to be cancelled";
    } catch (const hpart::Error &error) {
        EXPECT_EQ(error.status(), hpart::Status::cancelled) << error.what();
    }
    EXPECT_EQ(told, 1);
    EXPECT_EQ(cards.cards.front()->used(), 0);
    problem.restore();
    hpart::gemm(cards, problem.call(), Options(), report);
    EXPECT_EQ(problem.check(), "");
}

TEST(OnCard, options)
{
    auto cards = host_card(std::int64_t{1} << 20);
    auto random = support::seeded(24);
    Form form;
    form.m = 200;
    form.n = 300;
    form.k = 250;
    Problem problem(form, random);
    Options tile;
    tile.set_text("tile", "64x96x50");
    tile.set_int("in_card_rate", 1);
    Report report;
    hpart::gemm(cards, problem.call(), tile, report);
    EXPECT_EQ(problem.check(), "");
    EXPECT_EQ(std::get<std::string>(report.get("plan")), "tile");
    EXPECT_EQ(std::get<std::string>(report.get("tiles")).substr(0, 20), "4 x 4 of 64x96x50, p");
    EXPECT_GT(std::get<double>(report.get("in_card_gflops")), 0);
    const auto status_with = [&](const char *key, const char *value) {
        Options options;
        options.set_text(key, value);
        try {
            hpart::gemm(cards, problem.call(), options, report);
        } catch (const hpart::Error &error) {
            return error.status();
        }
        return hpart::Status::success;
    };
    EXPECT_EQ(status_with("tile", "1000x1000x1000"), hpart::Status::out_of_memory);
    EXPECT_EQ(status_with("tile", "64x96"), hpart::Status::invalid_argument);
    EXPECT_EQ(status_with("kernel", "nonesuch"), hpart::Status::unsupported);
    EXPECT_EQ(status_with("zero_copy", "always"), hpart::Status::invalid_argument); // there is a limit
    EXPECT_EQ(status_with("plan", "hclooc"), hpart::Status::success);
}
