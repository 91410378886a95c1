// Data derived from the functions: shared by equal processors, made once, forgotten when the platform changes.
#include "instances.hpp"
#include "reference.hpp"

#include "hpart.h"
#include "partitioners/problem/prepared.hpp"

#include <algorithm>
#include <limits>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

using hpart::Needs;
using hpart::Prepared;

namespace
{

using Sizes = std::vector<std::int64_t>;
using Values = std::vector<double>;

struct Handle {
    Handle() { hpart_platform_create(2, &platform); }
    Handle(const Handle &) = delete;
    Handle &operator=(const Handle &) = delete;
    ~Handle() { hpart_platform_destroy(platform); }

    void set_time(std::int64_t i, std::vector<std::int64_t> sizes, std::vector<double> seconds)
    {
        ASSERT_EQ(hpart_platform_set_time_function(platform, i, static_cast<std::int64_t>(sizes.size()), sizes.data(),
                                                   seconds.data()),
                  HPART_SUCCESS);
    }
    double least(std::int32_t objective, std::int64_t n) const
    {
        std::vector<std::int64_t> x(2);
        double seconds = 0;
        double joules = 0;
        const auto status = hpart_partition(platform, objective, n, nullptr, x.data(), &seconds, &joules, nullptr);
        if (status != HPART_SUCCESS) return -1;
        return objective == HPART_OBJECTIVE_TIME ? seconds : joules;
    }

    hpart_platform *platform = nullptr;
};

} // namespace

TEST(Prepared, LimitsMakeFunctionsDifferent)
{
    hpart::Platform platform(4);
    const std::vector<std::int64_t> sizes{1, 2, 3};
    const std::vector<double> seconds{1, 2, 3};
    for (std::int64_t i = 0; i < 4; ++i) platform.set_time_function(i, sizes, seconds);
    platform.set_limits(2, {1, 2});
    platform.set_limits(3, {1, 9}); // forbids nothing
    EXPECT_EQ(hpart::usable_points(platform, Needs::time).function_of, (std::vector<std::uint32_t>{0, 0, 1, 0}));
}

TEST(Prepared, ProcessorsOfEqualUsablePointsHaveOneFunction)
{
    hpart::Platform platform(5);
    platform.set_time_function(0, Sizes{1, 2, 3}, Values{4, 5, 6});
    platform.set_time_function(1, Sizes{1, 2, 3, 4}, Values{4, 5, 6, 9});
    platform.set_limits(1, {1, 3}); // leaves the points of the first
    platform.set_time_function(2, Sizes{1, 2, 3}, Values{4, 5, 6});
    platform.set_energy_function(2, Sizes{1, 2}, Values{7, 8});
    platform.set_time_function(3, Sizes{1, 2}, Values{4, 5});
    platform.set_energy_function(3, Sizes{1, 2}, Values{7, 8});
    platform.set_time_function(4, Sizes{2, 3}, Values{5, 6});
    const auto functions = [&](Needs needs) { return hpart::usable_points(platform, needs).function_of; };
    EXPECT_EQ(functions(Needs::time), (std::vector<std::uint32_t>{0, 0, 0, 1, 2}));
    EXPECT_EQ(functions(Needs::time_as_energy), (std::vector<std::uint32_t>{0, 0, 0, 1, 2}));
    EXPECT_EQ(functions(Needs::time_and_energy), (std::vector<std::uint32_t>{0, 0, 1, 1, 0}));
}

TEST(Prepared, CompleteFunctionsAreNotCopied)
{
    hpart::Platform platform(2);
    for (const std::int64_t i : {0, 1}) platform.set_time_function(i, Sizes{2, 4, 6}, Values{1, 3, 2});
    platform.set_limits(1, {1, 5});
    const auto instance = hpart::usable_points(platform, Needs::time);
    for (const std::size_t i : {0U, 1U}) {
        const auto &points = instance.of(i);
        EXPECT_EQ(points.sizes.data() + 1, platform.points(0).sizes.data());
        EXPECT_EQ(points.seconds.data() + 1, platform.points(0).seconds.data());
        EXPECT_EQ(points.count(), i == 0 ? 4U : 3U);
        EXPECT_EQ(points.seconds.front(), 0);
        EXPECT_EQ(points.find(4), 2U);
        EXPECT_EQ(points.find(6), 3U);
        EXPECT_EQ(points.find(5), points.count());
    }
}

TEST(Prepared, EverySetterForgets)
{
    Handle handle;
    handle.set_time(0, {1, 2}, {1, 2});
    EXPECT_EQ(handle.least(HPART_OBJECTIVE_TIME, 2), 2);
    handle.set_time(0, {1, 2}, {1, 3});
    EXPECT_EQ(handle.least(HPART_OBJECTIVE_TIME, 2), 3);
    handle.set_time(1, {1}, {1});
    EXPECT_EQ(handle.least(HPART_OBJECTIVE_TIME, 2), 1);
    EXPECT_EQ(handle.least(HPART_OBJECTIVE_ENERGY, 2), -1);
    const std::vector<std::int64_t> sizes{2};
    const std::vector<double> joules{8};
    ASSERT_EQ(hpart_platform_set_energy_function(handle.platform, 0, 1, sizes.data(), joules.data()), HPART_SUCCESS);
    EXPECT_EQ(handle.least(HPART_OBJECTIVE_ENERGY, 2), 8);
    ASSERT_EQ(hpart_platform_set_base_power(handle.platform, 2), HPART_SUCCESS);
    EXPECT_EQ(handle.least(HPART_OBJECTIVE_TOTAL_ENERGY, 2), 14);
    ASSERT_EQ(hpart_platform_set_base_power(handle.platform, 3), HPART_SUCCESS);
    EXPECT_EQ(handle.least(HPART_OBJECTIVE_TOTAL_ENERGY, 2), 17);
    ASSERT_EQ(hpart_platform_set_limits(handle.platform, 1, 2, 3), HPART_SUCCESS);
    EXPECT_EQ(handle.least(HPART_OBJECTIVE_TIME, 2), 3);
    const std::vector<double> speeds{4};
    ASSERT_EQ(hpart_platform_set_speed_function(handle.platform, 0, 1, sizes.data(), speeds.data(), nullptr, nullptr),
              HPART_SUCCESS);
    EXPECT_EQ(handle.least(HPART_OBJECTIVE_TIME, 2), 0.5);
}

TEST(Prepared, ManyThreadsAskAtOnce)
{
    instances::Random random(3);
    for (int round = 0; round < 50; ++round) {
        const auto platform = instances::any_platform(random, {7, 14});
        const hpart::PreparedPlatform prepared;
        std::vector<const void *> seen(6);
        std::vector<std::thread> threads;
        threads.reserve(seen.size());
        for (auto &place : seen) threads.emplace_back([&] { place = &prepared.get(platform, Needs::time).records(); });
        for (auto &thread : threads) thread.join();
        for (const auto *place : seen) ASSERT_EQ(place, seen.front());
    }
}
