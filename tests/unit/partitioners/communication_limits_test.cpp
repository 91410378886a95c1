// Communication under time and memory limits.
#include "communication_costs.hpp"
#include "core/error.hpp"
#include "held_memory.hpp"
#include "support/fake_clock.hpp"

#include <array>
#include <gtest/gtest.h>
#include <numeric>
#include <set>

namespace
{

using namespace communication;

TEST(Communication, LimitsGiveTheBestKnown)
{
    // Sizes far apart without a common divisor: rows of 2^36 bits do not fit, lists of what is reached do, but not into a few pages.
    instances::Random random(56);
    std::int64_t at_limit = 0;
    for (int k = 0; k < 200; ++k) {
        Platform platform(4);
        const auto unit = std::int64_t{1} << 36;
        for (std::int64_t i = 0; i < 4; ++i) {
            Sizes sizes;
            std::vector<double> seconds;
            for (std::int64_t step = 1; step <= 6; ++step) {
                sizes.push_back(step * unit + instances::between(random, 0, 1));
                seconds.push_back(static_cast<double>(instances::between(random, 1, 100)));
            }
            platform.set_time_function(i, sizes, seconds);
        }
        for (std::int64_t a = 0; a < 4; ++a)
            for (std::int64_t b = 0; b < a; ++b) platform.set_link(a, b, {static_cast<double>(1 + 7 * a + 3 * b), 1});
        std::int64_t n = 0;
        for (std::int64_t i = 0; i < 4; ++i)
            n += platform.points(i).sizes[static_cast<std::size_t>(instances::between(random, 0, 5))];
        auto request = request_of(n, {.communication = k % 2 == 0 ? "chain" : "chain-any"});
        const Costs costs(platform, n, {.communication = k % 2 == 0 ? "chain" : "chain-any"});
        const auto least = least_by_enumeration(platform, n, costs);
        ASSERT_TRUE(least.has_value());
        const bool fits = k % 4 < 2;
        const std::int64_t memory = fits ? 1 << 20 : 11'000;
        hpart::Control control(nullptr, std::numeric_limits<double>::infinity(), memory);
        const auto found = hpart::partition(platform, request, control);
        ASSERT_TRUE(found.feasible);
        ASSERT_EQ(found.seconds, costs.seconds(found.x));
        ASSERT_LE(real(found, "lower_bound"), *least);
        ASSERT_GE(found.seconds, *least);
        ASSERT_TRUE(found.limit_reached || found.seconds == *least);
        ASSERT_FALSE(fits && found.limit_reached);
        at_limit += found.limit_reached ? 1 : 0;
        // Nothing to compare with where the exact method meets its limit.
        request.method = "equal";
        request.options.set_text("compare", "exact");
        hpart::Control again(nullptr, std::numeric_limits<double>::infinity(), memory);
        const auto compared = hpart::partition(platform, request, again);
        if (compared.limit_reached) continue; // `equal` itself
        const auto excess = [&] { return real(compared, "excess"); };
        if (found.limit_reached)
            ASSERT_THROW(excess(), hpart::Error);
        else
            ASSERT_EQ(excess(), compared.seconds / *least - 1);
    }
    EXPECT_GT(at_limit, 0);
}

// Two processors of two points: nothing to search, however large the sizes are.
TEST(Communication, FewHugeSizesAreExact)
{
    instances::Random random(57);
    for (int k = 0; k < 400; ++k) {
        Platform platform(2);
        for (std::int64_t i = 0; i < 2; ++i) {
            const auto size = (std::int64_t{1} << 61) - instances::between(random, 1, std::int64_t{1} << 40);
            platform.set_time_function(i, Sizes{size / instances::between(random, 2, 9), size},
                                       std::vector<double>{static_cast<double>(instances::between(random, 1, 9)),
                                                           static_cast<double>(instances::between(random, 1, 9))});
        }
        set_any_links(random, platform);
        std::int64_t n = 0;
        for (std::int64_t i = 0; i < 2; ++i) {
            const auto point = instances::between(random, 0, 2);
            if (point < 2) n += platform.points(i).sizes[static_cast<std::size_t>(point)];
        }
        static constexpr std::array patterns{"host", "chain", "chain-any", "summa"};
        Setting setting{patterns[static_cast<std::size_t>(k % 4)]};
        setting.matrix_order = 5;
        const Costs costs(platform, n, setting);
        const auto found = solve(platform, n, setting);
        SCOPED_TRACE(setting.communication + instances::describe(platform, n));
        ASSERT_FALSE(found.limit_reached);
        ASSERT_EQ(found.seconds, *least_by_enumeration(platform, n, costs));
        ASSERT_EQ(found.seconds, costs.seconds(found.x));
    }
}

// Each processor has sizes up to n, so that their totals do not fit an integer; multiples of a large unit make rows of bits.
TEST(Communication, TotalsBeyondTheLargestInteger)
{
    instances::for_each_instance(59, 0.03, [](auto &random, auto k) {
        constexpr std::array patterns{"chain", "chain-any", "summa"};
        const auto p = instances::between(random, 3, 6);
        const auto unit = std::int64_t{1} << std::array{0, 40, 57, 59}[static_cast<std::size_t>(k / 3 % 4)];
        const auto most = std::numeric_limits<std::int64_t>::max() / unit;
        const auto n = instances::between(random, most / 4, most);
        std::vector<Sizes> sizes(static_cast<std::size_t>(p));
        auto rest = n;
        for (auto &own : sizes) {
            own.push_back(&own == &sizes.back() ? rest : instances::between(random, 0, rest));
            rest -= own.back();
            for (int more = 0; more < 4; ++more) own.push_back(instances::between(random, n / 9, n));
            if (instances::between(random, 0, 3) == 0) own.push_back(n);
            std::sort(own.begin(), own.end());
            own.erase(std::unique(own.begin(), own.end()), own.end());
            std::erase(own, 0);
            for (auto &size : own) size *= unit;
        }
        Platform platform(p);
        for (std::int64_t i = 0; i < p; ++i) {
            const auto &own = sizes[static_cast<std::size_t>(i)];
            std::vector<double> seconds(own.size());
            for (auto &each : seconds) each = static_cast<double>(instances::between(random, 1, 9));
            platform.set_time_function(i, own, seconds);
        }
        set_any_links(random, platform);
        Setting setting{patterns[static_cast<std::size_t>(k % 3)]};
        setting.matrix_order = instances::between(random, 1, 20);
        const Costs costs(platform, n * unit, setting);
        SCOPED_TRACE(setting.communication + instances::describe(platform, n * unit));
        const auto found = solve(platform, n * unit, setting);
        ASSERT_FALSE(found.limit_reached);
        ASSERT_EQ(found.seconds, *least_by_enumeration(platform, n * unit, costs));
        ASSERT_EQ(found.seconds, costs.seconds(found.x));
        ASSERT_EQ(std::accumulate(found.x.begin(), found.x.end(), std::int64_t{0}), n * unit);
    });
}

// Whatever the limits are, a distribution or a bound is given, and both are true.
TEST(Communication, AnyLimitsLeaveTheTruth)
{
    auto random = instances::seeded(58);
    const auto count = instances::how_many(0.03);
    std::int64_t at_limit = 0;
    static constexpr std::array patterns{"host", "chain", "chain-any", "summa"};
    for (std::int64_t k = 0; k < count && !HasFatalFailure(); ++k) {
        auto platform = instances::any_platform(random, {4, 6});
        set_any_links(random, platform);
        const auto n = instances::between(random, 0, std::min<std::int64_t>(1000, instances::largest_sum(platform)));
        const auto setting = any_setting(random, patterns[static_cast<std::size_t>(k % 4)]);
        const Costs costs(platform, n, setting);
        const auto least = least_by_enumeration(platform, n, costs);
        SCOPED_TRACE(setting.communication + instances::describe(platform, n));
        const bool by_time = instances::between(random, 0, 1) == 0;
        const auto bytes = std::int64_t{1} << instances::between(random, 0, 16);
        const support::FakeClock clock(1); // a second is a look at it
        const auto looks = static_cast<double>(std::int64_t{1} << instances::between(random, 0, 6));
        hpart::Control control(nullptr, by_time ? looks : std::numeric_limits<double>::infinity(),
                               by_time ? std::int64_t{1} << 30 : bytes);
        try {
            const auto found = hpart::partition(platform, request_of(n, setting), control);
            if (found.feasible) {
                std::int64_t sum = 0;
                for (const auto size : found.x) sum += size;
                ASSERT_EQ(sum, n);
                ASSERT_EQ(costs.seconds(found.x), found.seconds);
                ASSERT_TRUE(found.limit_reached || found.seconds == *least);
            }
            ASSERT_TRUE(least || found.limit_reached);
            if (least) {
                ASSERT_LE(real(found, "lower_bound"), *least);
            }
            at_limit += found.limit_reached ? 1 : 0;
        } catch (const hpart::Error &error) {
            ASSERT_EQ(error.status(), hpart::Status::infeasible) << error.what();
            ASSERT_FALSE(least.has_value());
        }
    }
    EXPECT_GT(at_limit, count / 10);
}

// One arrangement at a time: all together, one for each number of active processors, hold 20 MB.
TEST(CommunicationEnergies, OfManyArrangementsKeepTheMemoryLimit)
{
    constexpr std::int64_t p = 100, memory = 1 << 22;
    Platform platform(p);
    for (std::int64_t i = 0; i < p; ++i) {
        instances::set_functions(platform, i, {1, 2}, {1, 2}, {static_cast<double>(1 + i % 3), 3});
        if (i > 0) platform.set_link(i - 1, i, {1e-3, 1e9, 1e-9});
    }
    auto request = request_of(p, {.communication = "summa"});
    request.objective = Objective::energy;
    const auto held = support::most_held_bytes(memory, [&](hpart::Control &control) {
        EXPECT_FALSE(hpart::partition(platform, request, control).limit_reached);
    });
    EXPECT_GT(held, 0);
    EXPECT_LE(held, memory);
}

// Sums that few share, all of one energy: a class adds 200 states for each.
TEST(CommunicationEnergies, OfManyTotalsKeepTheMemoryLimit)
{
    constexpr std::int64_t memory = 1 << 22;
    instances::Random random(61);
    Platform platform(4);
    for (std::int64_t i = 0; i < platform.count(); ++i) {
        std::set<std::int64_t> sizes;
        while (sizes.size() < 200) sizes.insert(instances::between(random, 1, 1'000'000));
        instances::set_functions(platform, i, {sizes.begin(), sizes.end()}, std::vector<double>(200, 1),
                                 std::vector<double>(200, 1));
        if (i > 0) platform.set_link(i - 1, i, {1e-3, 1e9, 1e-9});
    }
    auto request = request_of(2'500'000, {.communication = "chain"});
    request.objective = Objective::energy;
    bool is_at_limit = false;
    const auto held = support::most_held_bytes(memory, [&](hpart::Control &control) {
        is_at_limit = hpart::partition(platform, request, control).limit_reached;
    });
    EXPECT_TRUE(is_at_limit);
    EXPECT_LE(held, memory + memory / 4);
}

} // namespace
