// Communication: exact answers against enumeration of all distributions, and of all orders.
#include "communication_costs.hpp"
#include "core/error.hpp"
#include "support/errors.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

namespace
{

using namespace communication;
using hpart::Status;

void optimum_is_least(instances::Random &random, const Platform &platform, const Setting &setting)
{
    const auto n = instances::between(random, 0, std::min<std::int64_t>(1000, instances::largest_sum(platform) + 2));
    const Costs costs(platform, n, setting);
    const auto expected = least_by_enumeration(platform, n, costs);
    SCOPED_TRACE(setting.communication + instances::describe(platform, n));
    const auto found = checks::unless_infeasible([&] { return solve(platform, n, setting); });
    ASSERT_EQ(found.has_value(), expected.has_value());
    if (!found) return;
    ASSERT_FALSE(found->limit_reached);
    ASSERT_EQ(found->seconds, *expected);
    std::int64_t sum = 0;
    for (const auto size : found->x) sum += size;
    ASSERT_EQ(sum, n);
    ASSERT_EQ(costs.seconds(found->x), found->seconds);
    ASSERT_EQ(std::get<std::int64_t>(found->report.get("optimal")), 1);
    ASSERT_EQ(real(*found, "lower_bound"), found->seconds);
    ASSERT_EQ(real(*found, "communication_seconds"), found->seconds - real(*found, "compute_seconds"));
    if (setting.communication != "chain-any") return;
    Sizes order;
    for (const auto i : std::get<std::vector<double>>(found->report.get("order")))
        order.push_back(static_cast<std::int64_t>(i));
    ASSERT_EQ(costs.in_order(found->x, order), found->seconds);
}

void optimum_is_least(instances::Random &random, const char *communication, instances::Extent extent)
{
    auto platform = instances::any_platform(random, extent);
    set_any_links(random, platform);
    optimum_is_least(random, platform, any_setting(random, communication));
}

TEST(Communication, HostAgreesWithEnumeration)
{
    instances::for_each_instance(51, 0.05, [](auto &random, auto) { optimum_is_least(random, "host", {4, 6}); });
}

TEST(Communication, ChainAgreesWithEnumeration)
{
    instances::for_each_instance(52, 0.1, [&](auto &random, auto k) {
        optimum_is_least(random, "chain", k % 8 == 0 ? instances::Extent{6, 4} : instances::Extent{4, 6});
    });
}

TEST(Communication, ChainInAnyOrderAgreesWithEnumeration)
{
    instances::for_each_instance(53, 0.05, [&](auto &random, auto k) {
        optimum_is_least(random, "chain-any", k % 32 == 0 ? instances::Extent{5, 3} : instances::Extent{4, 5});
    });
}

TEST(Communication, SummaAgreesWithEnumeration)
{
    instances::for_each_instance(54, 0.05, [](auto &random, auto) { optimum_is_least(random, "summa", {5, 5}); });
}

TEST(Communication, SummaInParalephAgreesWithEnumeration)
{
    instances::for_each_instance(55, 0.05, [](auto &random, auto) {
        auto platform = instances::any_platform(random, {1, 6}).replicate(instances::between(random, 1, 5));
        auto setting = any_setting(random, "summa");
        setting.method = "paraleph";
        setting.unit_bytes = 0; // over the host links, which make processors unlike
        for (std::int64_t i = 1; i < platform.count(); ++i)
            platform.set_link(0, i, {static_cast<double>(instances::between(random, 0, 9)) / 8, 64});
        optimum_is_least(random, platform, setting);
    });
}

// Time x on each processor.
Platform alike(std::int64_t processors, std::int64_t points)
{
    return instances::full_platform(processors, points, [](auto, auto x) { return static_cast<double>(x); });
}

TEST(Communication, ChainLeavesOutAProcessorThatCostsMoreThanItDoes)
{
    auto platform = alike(3, 12);
    for (const auto &[a, b] : {std::pair{0, 1}, {1, 2}, {0, 2}}) platform.set_link(a, b, {1, 10});
    platform.set_border_bytes(10); // 2 s an exchange
    // All three: 4 + 2 at the ends, 2 + 4 in the middle, 10 in all. Two: 5 + 2.
    const auto found = solve(platform, 10, {});
    EXPECT_EQ(found.seconds, 6);
    EXPECT_EQ(found.x, (Sizes{4, 2, 4}));
    EXPECT_EQ(real(found, "compute_seconds"), 4);
    EXPECT_EQ(real(found, "communication_seconds"), 2);
    // An exchange of 6 s: alone 10 s is as good as it gets with two (2 + 6 would do 4 of 10).
    platform.set_border_bytes(50);
    EXPECT_EQ(solve(platform, 10, {}).seconds, 10);
    // The middle one is an accelerator on a slow host link: it is left out.
    platform.set_border_bytes(10);
    platform.set_host_link(1, {3, 10});
    const auto without = solve(platform, 10, {});
    EXPECT_EQ(without.x, (Sizes{5, 0, 5}));
    EXPECT_EQ(without.seconds, 7);
}

TEST(Communication, AnyOrderPutsTheBadLinkApart)
{
    auto platform = alike(3, 12);
    platform.set_border_bytes(1);
    platform.set_link(0, 1, {20, 1});
    // 0 and 1 must not meet: 0 2 1.
    const auto found = solve(platform, 12, {.communication = "chain-any"});
    EXPECT_EQ(found.seconds, 4);
    EXPECT_EQ(std::get<std::vector<double>>(found.report.get("order"))[1], 2);
    EXPECT_EQ(solve(platform, 12, {}).seconds, 6); // in the platform's order one of the two is left out
}

TEST(Communication, SummaChoosesHowManyAreActive)
{
    auto platform = alike(4, 16);
    platform.set_link(0, 1, {1, std::numeric_limits<double>::infinity()});
    // N = 16, b = 8: (log2 q + 2 (sqrt q - 1)) 2 seconds: 0, 3.66, 6.09, 8. Times 16, 8, 6, 4.
    const auto found = solve(platform, 16, {.communication = "summa", .matrix_block = 8});
    EXPECT_EQ(checks::count_active(found.x), 2);
    EXPECT_NEAR(found.seconds, 8 + 3.6568542494923801, 1e-12);
    EXPECT_EQ(real(found, "compute_seconds"), 8);
    EXPECT_EQ(solve(platform, 16, {.communication = "summa", .matrix_block = 1000}).seconds,
              4 + 4.0 * 16 / 1000); // four: 4 messages' latencies a block
}

TEST(Communication, HostTransfersTakeTheirShareOfTheTime)
{
    auto platform = alike(2, 12);
    platform.set_host_link(1, {1, 2});
    platform.set_border_bytes(2);
    // Processor 1: x + 1 + (2 + 2 x) / 2 = 2 x + 2.
    const auto found = solve(platform, 10, {.communication = "host", .unit_bytes = 2});
    EXPECT_EQ(found.x, (Sizes{7, 3}));
    EXPECT_EQ(found.seconds, 8);
    EXPECT_EQ(real(found, "compute_seconds"), 7);
    EXPECT_EQ(real(found, "communication_seconds"), 1);
}

TEST(DataLocality, GivesTheNextShareToWhoeverTakesItForLess)
{
    // Times x and 2 x.
    auto platform = instances::full_platform(2, 12, [](auto i, auto x) { return static_cast<double>((1 + i) * x); });
    // From n / p on the least time is 5 on processor 0. Growing it would take 6 s: 1 does 1 in 2 s, 2 in 4 s, 3 in 6 s. Growing that
    // again would take 8 s: 0 does 6 in 6 s.
    const auto found = solve(platform, 9, {.communication = "none", .method = "data-locality", .compare = true});
    EXPECT_EQ(found.x, (Sizes{6, 3}));
    EXPECT_EQ(real(found, "excess"), 0);
    // An exchange of 3 s: 1 does 1 in 2 + 3 s and grows to 2, 3 and 4 (8 s), each for less than 0's 6 + 3 s.
    platform.set_border_bytes(3);
    platform.set_link(0, 1, {0, 1});
    const auto apart = solve(platform, 9, {.method = "data-locality", .compare = true});
    EXPECT_EQ(apart.x, (Sizes{5, 4}));
    EXPECT_EQ(apart.seconds, 11);
    EXPECT_EQ(real(apart, "exact_value"), 9);
}

TEST(DataLocality, StuckSharesBecomeTheNearestDistribution)
{
    Platform platform(2);
    platform.set_time_function(0, Sizes{3, 4}, std::vector{1.0, 5.0});
    platform.set_time_function(1, Sizes{2, 3}, std::vector{4.0, 9.0});
    // 3 on 0, then nothing fits the rest of 1: 3 and 0 are the shares, 4 and 0 the nearest distribution.
    const auto found = solve(platform, 4, {.communication = "none", .method = "data-locality"});
    EXPECT_EQ(found.x, (Sizes{4, 0}));
    EXPECT_EQ(solve(platform, 5, {.communication = "none", .method = "data-locality"}).x, (Sizes{3, 2}));
    // 7 is 4 and 3. The first size is 4: from n / p = 4 on there is no other.
    EXPECT_EQ(solve(platform, 7, {.communication = "none", .method = "data-locality"}).x, (Sizes{4, 3}));
    // 6: of the sizes from 3 on, 3 on 0 in 1 s; then 3 on 1, of 9 s, or growing to 4, of 5 s, and nothing.
    EXPECT_EQ(solve(platform, 6, {.communication = "none", .method = "data-locality"}).x, (Sizes{4, 2}));
}

TEST(DataLocality, SmallFunctionsBeginWithTheLargestSize)
{
    Platform platform(3);
    platform.set_time_function(0, Sizes{10}, std::vector{1.0});
    platform.set_time_function(1, Sizes{1, 2}, std::vector{1.0, 2.0});
    platform.set_time_function(2, Sizes{1, 2}, std::vector{1.0, 2.0});
    EXPECT_EQ(solve(platform, 4, {.communication = "none", .method = "data-locality"}).x, (Sizes{0, 2, 2}));
    EXPECT_EQ(solve(platform, 14, {.communication = "none", .method = "data-locality"}).x, (Sizes{10, 2, 2}));
}

TEST(Communication, OtherMethodsAreJudgedWithIt)
{
    instances::for_each_instance(55, 0.01, [](auto &random, auto) {
        auto platform = instances::any_platform(random, {5, 8});
        set_any_links(random, platform);
        const auto n = instances::between(random, 0, instances::largest_sum(platform));
        for (const auto *communication : {"none", "host", "chain", "chain-any", "summa"}) {
            auto setting = any_setting(random, communication);
            if (setting.communication == "none") setting.unit_bytes = 0;
            SCOPED_TRACE(setting.communication + instances::describe(platform, n));
            const auto best = checks::unless_infeasible([&] { return solve(platform, n, setting); });
            if (!best) continue;
            const double least = best->seconds;
            const Costs costs(platform, n, setting);
            for (const auto *method : {"equal", "cpm", "fpm", "smooth-fpm", "balanced", "hpopta", "data-locality"}) {
                setting.method = method;
                setting.compare = true;
                const auto found = solve(platform, n, setting);
                ASSERT_EQ(found.seconds, costs.seconds(found.x)) << method;
                ASSERT_GE(found.seconds, least) << method;
                ASSERT_EQ(real(found, "exact_value"), least) << method;
                setting.compare = false;
                ASSERT_LE(real(solve(platform, n, setting), "lower_bound"), least) << method;
            }
        }
    });
}

std::string message_of(const Platform &platform, const hpart::PartitionRequest &request)
{
    return support::message_of([&] { checks::partition(platform, request); });
}

TEST(Communication, SaysWhatItCannotDo)
{
    const auto platform = alike(13, 3);
    EXPECT_EQ(message_of(platform, request_of(5, {.communication = "chain-any"})),
              "communication is 'chain-any' on 13 processors; orders of at most 12 are compared: use 'chain', which "
              "takes them in "
              "the platform's order");
    auto request = request_of(5, {.communication = "chain-any"});
    request.objective = Objective::energy;
    EXPECT_EQ(message_of(alike(3, 3), request),
              "communication is 'chain-any'; it needs objective time: energies, sums of times and fronts take 'host', "
              "'chain' and 'summa'");
    request = request_of(5, {});
    request.ties = hpart::Ties::fewest;
    EXPECT_EQ(message_of(platform, request),
              "ties is 'fewest'; with communication 'chain' only 'deterministic' is available");
    request = request_of(5, {});
    request.options.set_int("max_active", 2);
    EXPECT_EQ(message_of(platform, request), "communication 'chain' does not keep max_active, "
                                             "idle_processors=forbidden, an energy budget or a previous distribution; "
                                             "'host' does");
    EXPECT_NE(message_of(platform, request_of(50, {})).find("no distribution of size 50"), std::string::npos);
    auto endless = alike(2, 3);
    endless.set_border_bytes(1e308);
    endless.set_link(0, 1, {0, 1e-10});
    EXPECT_NE(message_of(endless, request_of(3, {})).find("a message takes inf"), std::string::npos);
}

} // namespace
