// The memory that a failure for want of it names: so much is enough, and hardly less is not.
#include "problem.hpp"

#include "core/error.hpp"
#include "out_of_card/gemm/planner.hpp"
#include "out_of_card/in_card/gemm.hpp"
#include "support/backends.hpp"
#include "support/errors.hpp"
#include "support/known_device.hpp"

#include <algorithm>

#include <gtest/gtest.h>

using namespace gemm_test;
using hpart::DeviceGroup;
using hpart::DeviceModel;
using hpart::GemmShape;
using hpart::Options;
using hpart::Report;
using hpart::Status;
using hpart::TileSize;
using support::between;

namespace
{

DeviceModel model_with(std::int64_t limit, std::int64_t granule)
{
    DeviceModel model;
    model.space = {limit, granule, std::int64_t{1} << 40};
    model.row_multiple = 8;
    model.column_multiple = 24;
    model.link.in_bytes_per_second = model.link.out_bytes_per_second = model.link.both_bytes_per_second = 1e9;
    model.kernel_seconds = [](std::int64_t m, std::int64_t n, std::int64_t k) {
        return 1e-9 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k);
    };
    return model;
}

void plan_for(const GemmShape &shape, const DeviceModel &model, std::string_view plan,
              const std::optional<TileSize> &tile)
{
    if (tile)
        hpart::plan_with_tile(shape, model, *tile);
    else if (plan == "hclooc")
        hpart::plan_of_hclooc(shape, model);
    else
        hpart::plan_by_model(shape, model);
}

// The message of the call, which must leave nothing changed; empty where it succeeds.
std::string message_of(DeviceGroup &devices, Problem &problem, const Options &options)
{
    Report report;
    problem.restore();
    try {
        hpart::gemm(devices, problem.call(), options, report);
    } catch (const hpart::Error &error) {
        EXPECT_EQ(error.status(), Status::out_of_memory) << error.what();
        EXPECT_TRUE(problem.unchanged());
        return error.what();
    }
    EXPECT_EQ(problem.check(), "");
    return {};
}

} // namespace

TEST(LeastMemoryOfPlans, is_named)
{
    auto random = support::seeded(51);
    for (std::int64_t i = 0, count = support::how_many(0.01); i < count; ++i) {
        const std::int64_t largest = i % 5 == 0 ? 4 : 400; // a few bytes are enough for the smallest
        const GemmShape shape{.type = hpart::Scalar{static_cast<std::uint8_t>(between(random, 0, 3))},
                              .m = between(random, 1, largest),
                              .n = between(random, 1, largest),
                              .k = between(random, 1, largest)};
        const auto granule = i % 2 == 0 ? 64 : 1;
        const auto *const plan = i % 3 == 0 ? "hclooc" : "model";
        std::optional<TileSize> tile;
        if (i % 3 == 1) tile = TileSize{between(random, 1, 99), between(random, 1, 99), between(random, 1, 99)};
        const auto bytes = hpart::sufficient_bytes(shape, model_with(1, granule), plan, tile);
        if (!bytes) { // so small tiles are too many steps
            ASSERT_TRUE(tile.has_value());
            EXPECT_THROW(plan_for(shape, model_with(std::int64_t{1} << 40, granule), plan, tile), hpart::Error);
            continue;
        }
        EXPECT_NO_THROW(plan_for(shape, model_with(*bytes, granule), plan, tile));
        const auto less = *bytes * 4 / 5;
        EXPECT_THROW(plan_for(shape, model_with(less, granule), plan, tile), hpart::Error)
            << shape.m << 'x' << shape.n << 'x' << shape.k << ' ' << *bytes << ' ' << plan;
        EXPECT_FALSE(hpart::sufficient_bytes(shape, model_with(*bytes, granule), plan, tile).has_value());
    }
}

TEST(LeastMemoryOfPlans, more_is_never_too_little)
{
    auto random = support::seeded(52);
    for (std::int64_t i = 0, count = support::how_many(0.005); i < count; ++i) {
        const GemmShape shape{.type = hpart::Scalar{static_cast<std::uint8_t>(between(random, 0, 3))},
                              .m = between(random, 1, 250),
                              .n = between(random, 1, 250),
                              .k = between(random, 1, 250)};
        bool was_enough = false;
        for (std::int64_t limit = 64; limit < 20'000; limit += 1 + limit / 30) {
            const bool is_enough = hpart::has_plan(shape, model_with(limit, 1), "model", std::nullopt);
            ASSERT_TRUE(is_enough || !was_enough) << shape.m << 'x' << shape.n << 'x' << shape.k << ' ' << limit;
            was_enough = is_enough;
        }
    }
}

TEST(LeastMemoryOfPlans, none_is_enough_for_a_buffer_above_the_largest)
{
    const GemmShape shape{.m = 100, .n = 100, .k = 100};
    auto model = model_with(1, 1);
    model.space.largest_buffer_bytes = 100;
    EXPECT_FALSE(hpart::sufficient_bytes(shape, model, "model", TileSize{50, 50, 50}).has_value());
}

TEST(LeastMemoryOfPlans, may_be_a_few_bytes)
{
    for (const auto *plan : {"model", "hclooc"}) {
        const GemmShape shape{.type = hpart::Scalar::s, .m = 1, .n = 1, .k = 1};
        const auto bytes = hpart::sufficient_bytes(shape, model_with(1, 1), plan, std::nullopt);
        ASSERT_TRUE(bytes.has_value());
        EXPECT_LE(*bytes, 32) << plan;
    }
}

TEST(LeastMemoryOfPlans, none_is_enough_for_a_tile_of_too_many_steps)
{
    const GemmShape shape{.m = 400, .n = 400, .k = 93};
    const TileSize tile{1, 1, 93};
    EXPECT_FALSE(hpart::sufficient_bytes(shape, model_with(1, 1), "model", tile).has_value());
    EXPECT_THROW(plan_for(shape, model_with(std::int64_t{1} << 40, 1), "model", tile), hpart::Error);
}

using LeastMemory = testing::TestWithParam<support::BackendCase>;

TEST_P(LeastMemory, is_named)
{
    if (!GetParam().is_here) GTEST_SKIP() << "there is no such device here";
    const auto device = GetParam().open();
    const auto devices_of = [&](std::int64_t limit, std::size_t count) {
        DeviceGroup devices;
        for (std::size_t i = 0; i < count; ++i) devices.sessions.push_back(support::known_device(device, limit));
        return devices;
    };
    if (hpart::in_card_gemm_names(*devices_of(100, 1).sessions.front(), hpart::Scalar::d).empty())
        GTEST_SKIP() << "there is no kernel for it here";
    auto random = support::seeded(52);
    for (const bool row_major : {true, false}) {
        auto form = form_of(36, 30, 42);
        form.row_major = row_major;
        Problem problem(form, random);
        for (const auto *setting : {"", "plan=hclooc", "tile=20x10x30"})
            for (const std::size_t count : {1, 2}) {
                if (count == 2 && !row_major) continue; // lists differ in nothing that layouts change
                Options options;
                const std::string_view text = setting;
                if (const auto equals = text.find('='); equals != text.npos)
                    options.set_text(text.substr(0, equals), text.substr(equals + 1));
                auto tiny = devices_of(100, count);
                const auto message = message_of(tiny, problem, options);
                EXPECT_EQ(message.find("a product of 36 x 30 x 42: "), 0U) << message;
                EXPECT_TRUE(message.ends_with("; C is as it was")) << message;
                EXPECT_NE(message.find(device->info().spec), std::string::npos) << message;
                const auto told = support::bytes_that_would_do(message);
                ASSERT_FALSE(told.empty()) << message;
                const auto named = told.front();
                ASSERT_GT(named, 100) << message;
                auto enough = devices_of(named, count);
                EXPECT_EQ(message_of(enough, problem, options), "") << setting;
                auto less = devices_of(std::min(named * 4 / 5, named - 1), count);
                EXPECT_NE(message_of(less, problem, options), "") << setting << ' ' << named;
            }
    }
}

INSTANTIATE_TEST_SUITE_P(Devices, LeastMemory, testing::ValuesIn(support::backend_cases()), support::backend_name);
