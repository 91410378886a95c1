#include "core/error.hpp"
#include "core/text.hpp"
#include "out_of_card/gemm/one_device.hpp"
#include "out_of_card/gemm/planner.hpp"
#include "support/errors.hpp"
#include "support/random.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <map>

#include <gtest/gtest.h>

using namespace hpart;
using support::between;
using support::Random;

namespace
{

// A device of a constant rate per depth and simple link.
DeviceModel simple_model(std::int64_t limit_bytes, double bytes_per_second, bool half_duplex)
{
    DeviceModel model;
    model.space = {limit_bytes, 1, limit_bytes};
    model.queue_latency = 0;
    model.row_multiple = 8;
    model.column_multiple = 24;
    model.link = {bytes_per_second, bytes_per_second, half_duplex ? bytes_per_second : 2 * bytes_per_second, 5e-6};
    model.kernel_seconds = [](std::int64_t rows, std::int64_t columns, std::int64_t depth) {
        const auto products = static_cast<double>(rows) * static_cast<double>(columns) * static_cast<double>(depth);
        const auto rate = 118e9 * static_cast<double>(depth) / static_cast<double>(depth + 8); // C is read and written
        return 5e-6 + 2 * products / rate;
    };
    return model;
}

std::string describe(const GemmShape &shape, const GemmPlan &plan)
{
    return text("m ", shape.m, " n ", shape.n, " k ", shape.k, " tile ", plan.mb, "x", plan.nb, "x", plan.kb, " c ",
                plan.c_buffers, " a ", plan.a_slots, " b ", plan.b_slots, plan.by_rows ? " by rows" : " by columns",
                plan.serpentine ? "" : " straight", " strips of ", plan.strip_rows);
}

GemmPlan any_plan(Random &random, const GemmShape &shape)
{
    GemmPlan plan;
    plan.mb = between(random, std::max<std::int64_t>(1, shape.m / 9), shape.m);
    plan.nb = between(random, std::max<std::int64_t>(1, shape.n / 9), shape.n);
    plan.kb = between(random, std::max<std::int64_t>(1, shape.k / 9), shape.k);
    plan.c_buffers = between(random, 1, 2);
    plan.strip_rows = between(random, 1, plan.mb);
    plan.a_slots = between(random, 1, plan.panels(shape));
    plan.b_slots = between(random, 1, plan.panels(shape));
    plan.by_rows = between(random, 0, 1) == 0;
    plan.serpentine = between(random, 0, 3) != 0;
    return plan;
}

GemmShape any_shape(Random &random, std::int64_t largest)
{
    GemmShape shape;
    shape.type = static_cast<Scalar>(between(random, 0, 3));
    shape.a_transposed = between(random, 0, 1) == 0;
    shape.b_transposed = between(random, 0, 1) == 0;
    shape.reads_c = between(random, 0, 1) == 0;
    shape.m = between(random, 1, largest);
    shape.n = between(random, 1, largest);
    shape.k = between(random, 1, largest);
    return shape;
}

// A least recently used cache in so many words: the newest at the back.
class Cache
{
  public:
    explicit Cache(std::int64_t slots) : slots_(static_cast<std::size_t>(slots)) {}
    bool has(std::int64_t key)
    {
        const auto found = std::find(keys_.begin(), keys_.end(), key);
        const bool hit = found != keys_.end();
        if (hit)
            keys_.erase(found);
        else if (keys_.size() == slots_)
            keys_.pop_front();
        keys_.push_back(key);
        return hit;
    }

  private:
    std::size_t slots_;
    std::deque<std::int64_t> keys_;
};

GemmTraffic replayed(const GemmShape &shape, const GemmPlan &plan)
{
    Cache a(plan.a_slots), b(plan.b_slots);
    const auto rows = plan.tile_rows(shape), columns = plan.tile_columns(shape), panels = plan.panels(shape);
    const auto outer = plan.by_rows ? rows : columns, inner = plan.by_rows ? columns : rows;
    std::int64_t in = 0, sweeps = 0;
    for (std::int64_t i = 0; i < outer; ++i)
        for (std::int64_t step = 0; step < inner; ++step, ++sweeps) {
            const auto j = plan.serpentine && i % 2 == 1 ? inner - 1 - step : step;
            const auto row = plan.by_rows ? i : j, column = plan.by_rows ? j : i;
            const auto height = std::min(plan.mb, shape.m - row * plan.mb),
                       width = std::min(plan.nb, shape.n - column * plan.nb);
            for (std::int64_t p = 0; p < panels; ++p) {
                const auto q = plan.serpentine && sweeps % 2 == 1 ? panels - 1 - p : p;
                const auto depth = std::min(plan.kb, shape.k - q * plan.kb);
                if (!a.has(row * panels + q)) in += height * depth;
                if (!b.has(column * panels + q)) in += width * depth;
            }
            if (shape.reads_c) in += height * width;
        }
    return {in * shape.element_bytes(), shape.m * shape.n * shape.element_bytes()};
}

} // namespace

// Sums so long that panels of a usual depth would be more steps than there may be, or far too many copies.
TEST(LongProducts, have_deep_panels)
{
    for (const std::int64_t limit : {std::int64_t{1} << 18, std::int64_t{1} << 20, std::int64_t{1} << 26})
        for (const std::int64_t k : {std::int64_t{1} << 22, std::int64_t{1} << 24, std::int64_t{1} << 28})
            for (const std::int64_t n : {1, 7}) {
                const GemmShape shape{.type = Scalar::s, .m = 1, .n = n, .k = k};
                const auto model = simple_model(limit, 1e10, false);
                ASSERT_TRUE(has_plan(shape, model, "model", {}));
                const auto planned = plan_by_model(shape, model);
                EXPECT_LE(planned.device_bytes, limit);
                // No panel may be deeper than that of a tile that fills the device.
                const TileSize deep{1, n, limit / 4 / (2 * (1 + n)) / 8 * 8};
                const auto best = plan_with_tile(shape, model, deep);
                EXPECT_LE(planned.predicted.seconds, 1.3 * best.predicted.seconds)
                    << describe(shape, planned.plan) << ", beside " << describe(shape, best.plan);
            }
}

TEST(Traffic, formula_and_walk_equal_a_replayed_cache)
{
    auto random = support::seeded(11);
    for (std::int64_t i = 0, count = support::how_many(2); i < count; ++i) {
        const auto shape = any_shape(random, 60);
        auto plan = any_plan(random, shape);
        const auto expected = replayed(shape, plan);
        ASSERT_EQ(estimated_traffic(shape, plan).in_bytes, expected.in_bytes) << describe(shape, plan);
        ASSERT_EQ(counted_traffic(shape, plan).in_bytes, expected.in_bytes) << describe(shape, plan);
        ASSERT_EQ(counted_traffic(shape, plan).out_bytes, expected.out_bytes) << describe(shape, plan);
        // With slots for more than a sweep.
        plan.a_slots += between(random, 0, 3);
        plan.b_slots += between(random, 0, 3);
        const auto fewer = replayed(shape, plan);
        ASSERT_EQ(counted_traffic(shape, plan).in_bytes, fewer.in_bytes) << describe(shape, plan);
        ASSERT_GE(estimated_traffic(shape, plan).in_bytes, fewer.in_bytes) << describe(shape, plan);
    }
}

namespace
{

// The writes in their order, with the products that each must wait for.
struct WaitOfWrites {
    void write_a(const Panel &panel) { waits.push_back(used_a[panel.slot]); }
    void write_b(const Panel &panel) { waits.push_back(used_b[panel.slot]); }
    static void write_c(const Strip &) {}
    void product(const Strip &, const Panel &a, const Panel &b, bool) { used_a[a.slot] = used_b[b.slot] = ++products; }
    static void read_c(const Strip &) {}
    static bool end_step(std::int64_t) { return true; }

    std::int64_t products = 0;
    std::map<std::int64_t, std::int64_t> used_a, used_b; // the last product of each slot
    std::vector<std::int64_t> waits;
};

} // namespace

// A queue runs them in order: one that waits keeps those behind it, which could fill a slot that is free.
TEST(Walk, writes_first_what_waits_for_less)
{
    for (const std::int64_t a_slots : {1, 2, 3})
        for (const std::int64_t b_slots : {1, 2, 3}) {
            const GemmPlan plan{.mb = 10, .nb = 10, .kb = 10, .strip_rows = 10, .a_slots = a_slots, .b_slots = b_slots};
            WaitOfWrites waits;
            GemmWalk(GemmShape{Scalar::d, false, false, false, 10, 10, 100}, plan, waits).run();
            ASSERT_EQ(waits.waits.size(), 20u);
            for (std::size_t step = 0; step < 10; ++step)
                EXPECT_LE(waits.waits[2 * step], waits.waits[2 * step + 1]) << a_slots << ", " << b_slots;
        }
}

TEST(Traffic, worked_example)
{
    const GemmShape shape{Scalar::d, false, false, false, 3000, 3000, 3000};
    const GemmPlan plan{.mb = 1504, .nb = 1008, .kb = 96, .strip_rows = 256};
    const auto model = simple_model(16 << 20, 1e9, true);
    EXPECT_EQ(device_bytes(shape, plan, model), 16287744);
    EXPECT_EQ(estimated_traffic(shape, plan).in_bytes, 8 * 43945920);
    EXPECT_EQ(counted_traffic(shape, plan).in_bytes, 8 * 43945920);
    EXPECT_EQ(counted_traffic(shape, plan).out_bytes, 8 * 9000000);
    EXPECT_NEAR(simulate(shape, plan, model).seconds, 0.547, 0.02);
}

// With one slot of each, nothing runs beside another; a queue starts what waited for another one a little later.
TEST(Simulation, queues_hand_over)
{
    constexpr std::int64_t panels = 7, depth = 16;
    const GemmShape shape{Scalar::d, false, true, false, 64, 48, panels * depth};
    GemmPlan plan{.mb = shape.m, .nb = shape.n, .kb = depth, .strip_rows = shape.m, .a_slots = 1, .b_slots = 1};
    auto model = simple_model(1 << 20, 1e9, true);
    model.link.row_seconds = 2e-7;
    model.queue_latency = 3e-5;
    const auto copy = [&](std::int64_t rows, std::int64_t columns) {
        return model.link.copy_seconds + static_cast<double>(rows) * model.link.row_seconds +
               8e-9 * static_cast<double>(rows * columns);
    };
    const auto step = copy(shape.m, depth) + copy(shape.n, depth) + model.queue_latency +
                      model.kernel_seconds(shape.m, shape.n, depth);
    EXPECT_NEAR(simulate(shape, plan, model).seconds, panels * (step + model.queue_latency) + copy(shape.m, shape.n),
                1e-9);
    plan.a_slots = plan.b_slots = 2;
    EXPECT_LT(simulate(shape, plan, model).seconds, (panels - 1) * step);
}

TEST(Hclooc, example_of_the_thesis)
{
    constexpr std::int64_t m = 4, n = 4, k = 8, session = 44;
    const auto slices = hclooc_slices(m, n, [](std::int64_t h, std::int64_t v) {
        return 2 * ceil_div(m, h) * k + k * ceil_div(n, v) + 2 * ceil_div(m, h) * ceil_div(n, v) <= session;
    });
    ASSERT_TRUE(slices.has_value());
    EXPECT_EQ(slices->first, 4);
    EXPECT_EQ(slices->second, 2);
}

// Algorithm 8 moves A once for each slice of B, B once, and C out, and in if it is read: (v + 2) 5.12 MB, v = 2 in 8 MB.
TEST(Hclooc, traffic_of_the_stream_engine)
{
    for (const bool reads_c : {false, true}) {
        const GemmShape shape{.reads_c = reads_c, .m = 800, .n = 800, .k = 800};
        const auto planned = plan_of_hclooc(shape, simple_model(8'000'000, 1e9, false));
        EXPECT_EQ(planned.plan.tile_columns(shape), 2);
        EXPECT_EQ(planned.traffic.total(), reads_c ? 25'600'000 : 20'480'000);
    }
}

TEST(Planner, stays_within_the_device)
{
    auto random = support::seeded(12);
    std::int64_t refused = 0;
    const auto count = support::how_many(0.01);
    for (std::int64_t i = 0; i < count; ++i) {
        auto shape = any_shape(random, i % 2 == 0 ? 300 : 6000);
        const auto limit = std::int64_t{1} << between(random, 16, 30);
        auto model = simple_model(limit, static_cast<double>(between(random, 1, 20)) * 5e8, between(random, 0, 1) == 0);
        model.space.granule_bytes = between(random, 0, 1) == 0 ? 1 : 4096;
        if (between(random, 0, 1) == 0) model.space.largest_buffer_bytes = limit / 4;
        if (between(random, 0, 2) == 0)
            model.scratch_bytes = [](std::int64_t rows, std::int64_t columns, std::int64_t) { return rows * columns; };
        if (!has_plan(shape, model, "model", std::nullopt)) { // in steps that are worth their commands
            ++refused;
            EXPECT_THROW(static_cast<void>(plan_by_model(shape, model)), Error);
            continue;
        }
        const auto planned = plan_by_model(shape, model);
        const auto where = describe(shape, planned.plan);
        ASSERT_LE(planned.device_bytes, limit) << where;
        ASSERT_TRUE(fits(shape, planned.plan, model)) << where;
        ASSERT_LE(planned.traffic.in_bytes, estimated_traffic(shape, planned.plan).in_bytes) << where;
        ASSERT_GE(planned.traffic.in_bytes, least_traffic(shape, limit).in_bytes) << where;
        const auto in = static_cast<double>(planned.traffic.in_bytes) / model.link.in_bytes_per_second,
                   out = static_cast<double>(planned.traffic.out_bytes) / model.link.out_bytes_per_second;
        ASSERT_GE(planned.predicted.seconds, 0.999 * model.link.busy_seconds(in, out)) << where;
    }
    EXPECT_LE(refused, count / 4);
}

// As cuBLAS's of 32 bits, but shorter.
TEST(Planner, sides_are_no_longer_than_the_kernel_takes)
{
    for (const auto &[m, n, k] : {std::array<std::int64_t, 3>{3000, 3000, 3000}, {500, 6000, 700}, {6000, 500, 3000}}) {
        const GemmShape shape{.m = m, .n = n, .k = k};
        auto model = simple_model(std::int64_t{1} << 30, 1e9, false);
        model.space.largest_side = 1000;
        const auto planned = plan_by_model(shape, model);
        EXPECT_LE(std::max({planned.plan.mb, planned.plan.nb, planned.plan.kb}), 1000) << describe(shape, planned.plan);
    }
    const GemmShape wide{.m = 64, .n = 5'000'000'000, .k = 64};
    auto model = simple_model(std::int64_t{1} << 43, 1e9, false);
    model.space.largest_side = (std::int64_t{1} << 31) - 1;
    const auto planned = plan_by_model(wide, model);
    EXPECT_LT(planned.plan.nb, model.space.largest_side);
}

// Walks of so many steps are not followed, nor are their bytes integers.
TEST(Planner, huge_products)
{
    const auto model = simple_model(std::int64_t{1} << 30, 1e10, false);
    for (const std::int64_t n : {std::int64_t{1} << 22, std::int64_t{30'000'000}, std::int64_t{1} << 29}) {
        const GemmShape shape{Scalar::z, false, false, true, n, n, n};
        ASSERT_TRUE(has_plan(shape, model, "model", std::nullopt)) << n;
        const auto planned = plan_by_model(shape, model);
        const auto least = least_traffic(shape, model.space.limit_bytes);
        EXPECT_GT(least.total(), 0) << n;
        EXPECT_GE(planned.traffic.in_bytes, least.in_bytes) << n;
        EXPECT_GE(planned.traffic.total(), planned.traffic.in_bytes) << n;
        EXPECT_GT(planned.predicted.seconds, 1e3) << n;
    }
    for (const std::int64_t m : {1, 65536}) {
        const GemmShape deep{.m = m, .n = m, .k = std::int64_t{1} << 59};
        EXPECT_EQ(support::error_of([&] { plan_by_model(deep, model); }).status(), Status::out_of_memory);
    }
}

TEST(Planner, bytes_against_the_bound)
{
    // N over the root of the device's elements, and what the best plans known move, over the bound.
    const std::pair<double, double> table[] = {{1, 1.24}, {1.5, 1.57}, {2, 1.66}, {2.5, 1.46},
                                               {3, 1.36}, {4, 1.26},   {6, 1.17}};
    constexpr std::int64_t limit = 16 << 20;
    for (const auto &[ratio, best_known] : table) {
        GemmShape shape;
        shape.m = shape.n = shape.k = static_cast<std::int64_t>(ratio * 1448);
        const auto planned = plan_by_model(shape, simple_model(limit, 2e8, true));
        const auto least = least_traffic(shape, limit);
        const auto moved = static_cast<double>(planned.traffic.total()) / static_cast<double>(least.total());
        EXPECT_LE(moved, 1.05 * best_known) << ratio;
    }
}

// On a fast link the bytes that plans move matter little to their time. For few sizes a plan that moves fewer takes far longer.
TEST(Planner, moves_little_on_a_fast_link_too)
{
    for (const std::int64_t units : {0, 1, 2}) { // that copies take; none: they run beside kernels
        auto model = simple_model(16 << 20, 2e10, true);
        model.link.shared_units = static_cast<double>(units);
        model.queue_latency = 3e-5;
        model.kernel_seconds = [](std::int64_t rows, std::int64_t columns, std::int64_t depth) {
            return 1e-5 + 2e-11 * static_cast<double>(rows * columns) * static_cast<double>(depth + 2);
        };
        for (std::int64_t n = 61; n < 6000; n += 671) {
            const GemmShape shape{Scalar::d, false, false, false, n, n, n};
            const auto planned = plan_by_model(shape, model);
            const auto least = least_traffic(shape, model.space.limit_bytes).total();
            const auto moved = static_cast<double>(planned.traffic.total()) / static_cast<double>(least);
            EXPECT_LE(moved, 1.8) << describe(shape, planned.plan);
        }
    }
}

TEST(Planner, small_tiles)
{
    const auto steps_of = [](const TileSize &tile) { // of a product of 300 x 300 x 300
        const auto count = [](std::int64_t block) { return static_cast<double>(ceil_div(300, block)); };
        const auto number = count(tile.mb) * count(tile.nb) * count(tile.kb);
        return TileSteps{number, 2.0 * 300 * 300 * 300 / number};
    };
    EXPECT_NO_THROW(refuse_small_tile({8, 8, 8}, steps_of));
    EXPECT_NO_THROW(refuse_small_tile({1, 1, 300}, steps_of));
    EXPECT_STREQ(
        support::error_of([&] {
            refuse_small_tile({1, 1, 1}, steps_of);
        }).what(),
        "tile is 1x1x1, which makes 27000000 steps of 2 operations each, far less work than their commands; it "
        "must be larger, as 8x8x8");
    EXPECT_NO_THROW(refuse_small_tile({128, 128, 64}, [](const TileSize &) { return TileSteps{1e9, 2e6}; }));
}

// A product that would take minutes of commands is refused, and what is named as enough is.
TEST(Planner, memory_for_tiny_steps_only)
{
    const GemmShape shape{.type = Scalar::d, .m = 200, .n = 200, .k = 200};
    auto model = simple_model(1000, 1e9, false);
    model.row_multiple = model.column_multiple = 1;
    model.space.largest_buffer_bytes = 1 << 20;
    support::expect_error(Status::out_of_memory, {"no plan fits 1000 bytes"},
                          [&] { static_cast<void>(plan_by_model(shape, model)); });
    const auto enough = sufficient_bytes(shape, model, "model", std::nullopt);
    ASSERT_TRUE(enough.has_value());
    model.space.limit_bytes = *enough;
    const auto plan = plan_by_model(shape, model).plan;
    EXPECT_LE(plan.tile_rows(shape) * plan.tile_columns(shape) * plan.panels(shape), 100000);
}

TEST(Planner, tile_text)
{
    const auto tile = parse_tile("12x34x56");
    EXPECT_EQ(tile.mb, 12);
    EXPECT_EQ(tile.nb, 34);
    EXPECT_EQ(tile.kb, 56);
    for (const char *wrong : {"", "1", "1x2", "1x2x", "0x1x1", "1x2x3x4", "ax1x1", "-1x2x3"})
        EXPECT_THROW(parse_tile(wrong), Error) << wrong;
}

// Measured rates of cores vary by a tenth, and hold for about square tiles alone.
TEST(Planner, OnCoresHasTilesThatTheRatesHoldFor)
{
    auto model = simple_model(48'000'000, 5e9, true);
    model.on_cores = true;
    // Rates that would have thin tiles and very deep panels.
    model.kernel_seconds = [](std::int64_t rows, std::int64_t columns, std::int64_t depth) {
        const auto products = static_cast<double>(rows) * static_cast<double>(columns) * static_cast<double>(depth);
        const auto gain = std::pow(static_cast<double>(depth) / static_cast<double>(std::min(rows, columns)), 0.1);
        return 5e-6 + 2 * products / (50e9 * gain);
    };
    GemmShape shape;
    shape.m = shape.n = shape.k = 3000;
    for (const std::int64_t bytes : {16'000'000, 48'000'000, 100'000'000}) {
        model.space = {bytes, 1, bytes};
        const auto plan = plan_by_model(shape, model).plan;
        EXPECT_TRUE(plan.kb >= 120 && plan.kb <= 512) << describe(shape, plan);
        EXPECT_LE(std::max(plan.mb, plan.nb), 16 * std::min(plan.mb, plan.nb)) << describe(shape, plan);
    }
    shape.m = shape.n = 4; // panels of other depths, where others are too large
    shape.k = 1'000'000;
    model.space = {3'000, 1, 3'000};
    EXPECT_LT(plan_by_model(shape, model).plan.kb, 120);
}
