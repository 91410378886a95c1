#include "core/numbers.hpp"
#include "models/platform.hpp"
#include "support/errors.hpp"

#include <cmath>
#include <limits>

#include <gtest/gtest.h>

namespace hpart
{
namespace
{

using Sizes = std::vector<std::int64_t>;
using Values = std::vector<double>;

template <typename Action> void refused(const Action &action, const char *place = "")
{
    support::expect_error(Status::invalid_argument, {place}, action);
}

TEST(Platform, FunctionsAreSortedAndMergedBySize)
{
    Platform platform(1);
    platform.set_time_function(0, Sizes{30, 10, 20}, Values{3, 1, 2});
    platform.set_energy_function(0, Sizes{20, 40, 10}, Values{5, 7, 4});
    const auto &points = platform.points(0);
    EXPECT_EQ(points.sizes, (Sizes{10, 20, 30, 40}));
    EXPECT_EQ(points.seconds[1], 2);
    EXPECT_EQ(points.joules[1], 5);
    EXPECT_TRUE(std::isnan(points.joules[2]));
    EXPECT_TRUE(std::isnan(points.seconds[3]));
    EXPECT_EQ(points.find(30), 2U);
    EXPECT_EQ(points.find(31), points.count());
}

TEST(Platform, AFunctionIsReplacedAlone)
{
    Platform platform(1);
    platform.set_time_function(0, Sizes{1, 2}, Values{1, 2});
    platform.set_energy_function(0, Sizes{2}, Values{9});
    platform.set_time_function(0, Sizes{5}, Values{5});
    EXPECT_EQ(platform.points(0).sizes, (Sizes{2, 5}));
    EXPECT_EQ(platform.points(0).joules[0], 9);
    platform.set_time_function(0, Sizes{}, Values{});
    EXPECT_EQ(platform.points(0).sizes, (Sizes{2}));
    platform.set_energy_function(0, Sizes{}, Values{});
    EXPECT_EQ(platform.points(0).count(), 0U);
}

TEST(Platform, NegativeZeroBecomesZero)
{
    Platform platform(1);
    platform.set_time_function(0, Sizes{1, 2}, Values{-0.0, 1});
    EXPECT_FALSE(std::signbit(platform.points(0).seconds[0]));
}

TEST(Platform, WrongFunctionsAreRefusedAndChangeNothing)
{
    Platform platform(2);
    platform.set_time_function(0, Sizes{1}, Values{1});
    refused([&] { platform.set_time_function(0, Sizes{4, 0}, Values{1, 1}); }, "sizes[1] is 0");
    refused([&] { platform.set_time_function(0, Sizes{4, 7, 4}, Values{1, 1, 1}); }, "distinct");
    for (const double wrong : {-1.0, infinity, -infinity, std::nan("")})
        refused([&] { platform.set_time_function(0, Sizes{4}, Values{wrong}); }, "seconds[0]");
    refused([&] { platform.set_energy_function(0, Sizes{4}, Values{-1}); }, "joules[0]");
    refused([&] { platform.set_time_function(2, Sizes{4}, Values{1}); }, "from 0 to 1");
    refused([&] { platform.set_time_function(-1, Sizes{4}, Values{1}); }, "-1");
    EXPECT_EQ(platform.points(0).sizes, (Sizes{1}));
}

TEST(Platform, NamesAreDistinctAndFitAField)
{
    Platform platform(3);
    EXPECT_EQ(platform.processor(2).name, "2");
    platform.set_name(0, "my CPU");
    EXPECT_NO_THROW(platform.set_name(0, "my CPU"));
    refused([&] { platform.set_name(1, "my CPU"); });
    refused([&] { platform.set_name(1, "2"); });
    for (const char *wrong : {"", " a", "a ", "a,b", "a\"b", "a\nb", "#a"})
        refused([&] { platform.set_name(1, wrong); });
    EXPECT_EQ(platform.processor(1).name, "1");
    platform.set_name(1, "0"); // free since processor 0 has another
    platform.set_names({"c", "b", "my CPU"});
    EXPECT_EQ(platform.processor(2).name, "my CPU");
    refused([&] { platform.set_names({"a", "a", "b"}); });
    EXPECT_EQ(platform.processor(0).name, "c");
}

TEST(Platform, LimitsLinksAndPower)
{
    Platform platform(2);
    refused([&] { platform.set_limits(0, {0, 5}); });
    refused([&] { platform.set_limits(0, {6, 5}); });
    platform.set_limits(0, {5, 5});
    EXPECT_EQ(platform.processor(0).limits, (Limits{5, 5}));
    EXPECT_EQ(platform.link(0, 1), Link{});
    platform.set_link(0, 1, {1e-5, infinity});
    EXPECT_EQ(platform.link(0, 1).latency_seconds, 1e-5);
    EXPECT_EQ(platform.link(1, 0), Link{}) << "a link has a direction";
    refused([&] { platform.set_link(1, 1, {0, 1}); });
    refused([&] { platform.set_link(0, 1, {0, 0}); });
    refused([&] { platform.set_link(0, 1, {-1, 1}); });
    refused([&] { platform.set_link(0, 1, {0, std::nan("")}); });
    refused([&] { platform.set_link(0, 1, {0, 1, -1}); });
    refused([&] { platform.set_host_link(0, {0, 1, infinity}); });
    EXPECT_FALSE(platform.has_base_power());
    for (const double wrong : {-1.0, infinity, std::nan("")}) {
        refused([&] { platform.set_base_power(wrong); });
        refused([&] { platform.set_border_bytes(wrong); });
    }
    platform.set_base_power(0);
    EXPECT_TRUE(platform.has_base_power());
}

TEST(Platform, NodesDoNotOverlap)
{
    using Nodes = std::vector<hpart::Node>;
    Platform platform(6);
    platform.set_node({3, 4, 2});
    platform.set_node({0, 1, 5});
    platform.set_node({5, 5, 1});
    EXPECT_EQ(platform.nodes(), (Nodes{{0, 1, 5}, {3, 4, 2}, {5, 5, 1}}));
    for (const auto &[first, last] : {std::pair{1, 2}, {2, 3}, {0, 5}, {3, 3}, {4, 4}, {0, 0}})
        support::expect_error(Status::invalid_argument, {"are a node already"}, [&, from = first, to = last] {
            platform.set_node({from, to, 1});
        });
    platform.set_node({3, 4, 8});
    platform.set_node({0, 1, 0});
    platform.set_node({0, 0, 0});
    EXPECT_EQ(platform.nodes(), (Nodes{{3, 4, 8}, {5, 5, 1}}));
    platform.set_node({0, 2, 1});
    EXPECT_EQ(platform.nodes().front(), (hpart::Node{0, 2, 1}));
    refused([&] { platform.set_node({2, 1, 1}); });
    refused([&] { platform.set_node({0, 6, 1}); });
    refused([&] { platform.set_node({-1, 0, 1}); });
    refused([&] { platform.set_node({0, 2, -1}); });
    refused([&] { platform.set_node({0, 2, std::nan("")}); });
}

TEST(Platform, Replicate)
{
    Platform node(2);
    node.set_names({"CPU", "GPU"});
    node.set_time_function(1, Sizes{1, 2}, Values{1, 2});
    node.set_base_power(50);
    node.set_limits(0, {2, 3});
    node.set_link(0, 1, {1, 2, 3});
    node.set_node({0, 1, 7});
    const auto cluster = node.replicate(3);
    ASSERT_EQ(cluster.count(), 6);
    EXPECT_EQ(cluster.processor(5).name, "2/GPU");
    EXPECT_EQ(cluster.points(3).sizes, (Sizes{1, 2}));
    EXPECT_EQ(cluster.base_power(), 150);
    EXPECT_EQ(cluster.link(4, 5), (Link{1, 2, 3}));
    EXPECT_EQ(cluster.link(1, 2), Link{});
    EXPECT_EQ(cluster.nodes(), (std::vector<hpart::Node>{{0, 1, 7}, {2, 3, 7}, {4, 5, 7}}));
    EXPECT_EQ(node.replicate(1).processor(0).name, "CPU");
    refused([&] { static_cast<void>(node.replicate(0)); });
    node.set_base_power(1e308);
    refused([&] { static_cast<void>(node.replicate(10)); });
    refused([&] { static_cast<void>(node.replicate(std::numeric_limits<std::int64_t>::max())); });
}

TEST(Platform, Evaluate)
{
    Platform platform(3);
    platform.set_time_function(0, Sizes{1, 2}, Values{5, 6});
    platform.set_energy_function(0, Sizes{2}, Values{0.5});
    platform.set_time_function(1, Sizes{1}, Values{7});
    EXPECT_EQ(platform.evaluate(Sizes{2, 0, 0}).joules(), 0.5);
    EXPECT_EQ(platform.evaluate(Sizes{2, 0, 0}).seconds, 6);
    EXPECT_EQ(platform.evaluate(Sizes{0, 0, 0}).seconds, 0);
    EXPECT_EQ(platform.evaluate(Sizes{2, 1, 0}).seconds, 7);
    EXPECT_TRUE(std::isnan(platform.evaluate(Sizes{2, 1, 0}).joules()));
    platform.set_energy_function(1, Sizes{9}, Values{2});
    EXPECT_TRUE(std::isnan(platform.evaluate(Sizes{2, 9, 0}).seconds)) << "an energy without a time";
    EXPECT_EQ(platform.evaluate(Sizes{2, 9, 0}).joules(), 2.5);
    refused([&] { static_cast<void>(platform.evaluate(Sizes{3, 0, 0})); }, "x[0] is 3");
    refused([&] { static_cast<void>(platform.evaluate(Sizes{0, -1, 0})); });
    refused([&] { static_cast<void>(platform.evaluate(Sizes{0, 0, 1})); });
}

TEST(Platform, EqualFunctionsAreStoredOnce)
{
    Platform platform(200);
    for (std::int64_t round = 0; round < 3; ++round)
        for (std::int64_t i = 0; i < 200; ++i) {
            const auto kind = static_cast<double>(i % 3 + round);
            platform.set_time_function(i, Sizes{1, 2}, Values{kind + 1, kind + 2});
            platform.set_energy_function(i, Sizes{2}, Values{5});
        }
    for (std::int64_t i = 0; i < 200; ++i) {
        EXPECT_EQ(&platform.points(i), &platform.points(i % 3));
        EXPECT_EQ(platform.points(i).seconds[0], static_cast<double>(i % 3 + 3));
    }
    EXPECT_NE(&platform.points(0), &platform.points(1));
    const auto cluster = platform.replicate(2);
    EXPECT_EQ(&cluster.points(200), &platform.points(0));
}

} // namespace
} // namespace hpart
