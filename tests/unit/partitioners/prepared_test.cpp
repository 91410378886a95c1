// Data derived from the functions: shared by equal processors, right, made once, forgotten when the platform changes.
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

void instance_is_that_of(const hpart::Platform &platform, Needs needs)
{
    const auto instance = hpart::usable_points(platform, needs);
    ASSERT_EQ(instance.processors(), platform.count());
    for (std::int64_t i = 0; i < platform.count(); ++i) {
        const auto points = reference::usable(platform, i, needs == Needs::time_and_energy);
        const auto at = static_cast<std::size_t>(i);
        const auto begin = instance.begin(at);
        ASSERT_EQ(instance.end(at) - begin, points.size() + 1);
        ASSERT_EQ(instance.sizes[begin], 0);
        ASSERT_EQ(instance.seconds[begin], 0);
        ASSERT_EQ(instance.find(at, 0), begin);
        for (std::size_t k = 0; k < points.size(); ++k) {
            const auto here = begin + 1 + k;
            ASSERT_EQ(instance.sizes[here], points[k].size);
            ASSERT_EQ(instance.seconds[here], points[k].seconds);
            if (needs == Needs::time_and_energy) {
                ASSERT_EQ(instance.joules[here], points[k].joules);
            }
            ASSERT_EQ(instance.find(at, points[k].size), here);
        }
        for (std::int64_t size = 1; size < 80; ++size) {
            const bool there =
                std::any_of(points.begin(), points.end(), [&](auto &point) { return point.size == size; });
            ASSERT_EQ(instance.find(at, size) != instance.end(at), there) << size;
        }
    }
}

void functions_are_distinct(const hpart::Instance &instance)
{
    const auto points = [&](std::size_t f) {
        std::vector<std::pair<std::int64_t, double>> out;
        for (auto k = instance.function_begin(f); k < instance.function_end(f); ++k)
            out.emplace_back(instance.sizes[k], instance.seconds[k]);
        return out;
    };
    for (std::size_t f = 0; f < instance.functions(); ++f)
        for (std::size_t g = 0; g < f; ++g) ASSERT_NE(points(f), points(g));
}

void records_give_the_largest_sizes(const Prepared &prepared)
{
    const auto &instance = prepared.instance();
    const auto &records = prepared.records();
    for (std::size_t f = 0; f < instance.functions(); ++f)
        for (auto at = instance.function_begin(f); at < instance.function_end(f); ++at) {
            const auto seconds = instance.seconds[at];
            std::int64_t largest = -1;
            for (auto k = instance.function_begin(f); k < instance.function_end(f); ++k)
                if (instance.seconds[k] <= seconds) largest = instance.sizes[k];
            const auto begin = records.seconds.begin() + static_cast<std::ptrdiff_t>(records.first[f]);
            const auto end = records.seconds.begin() + static_cast<std::ptrdiff_t>(records.first[f + 1]);
            const auto after = std::upper_bound(begin, end, seconds) - records.seconds.begin();
            ASSERT_EQ(records.sizes[static_cast<std::size_t>(after - 1)], largest);
        }
}

void groups_hold_all(const Prepared &prepared)
{
    const auto &groups = prepared.groups();
    std::vector<int> seen(prepared.instance().processors(), 0);
    for (std::size_t f = 0; f < prepared.instance().functions(); ++f) {
        ASSERT_TRUE(std::is_sorted(groups.of(f).begin(), groups.of(f).end()));
        for (const auto i : groups.of(f)) {
            ASSERT_EQ(prepared.instance().function_of[i], f);
            ++seen[i];
        }
    }
    ASSERT_TRUE(std::all_of(seen.begin(), seen.end(), [](int times) { return times == 1; }));
}

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

TEST(Prepared, IsThatOfThePlatform)
{
    instances::Random random(7);
    std::size_t shared = 0;
    for (std::int64_t k = 0; k < instances::how_many(0.02); ++k) {
        const auto platform = instances::any_platform(random, {7, 14});
        for (const auto needs : {Needs::time, Needs::time_and_energy}) {
            instance_is_that_of(platform, needs);
            const Prepared prepared(hpart::usable_points(platform, needs));
            shared += prepared.instance().processors() - prepared.instance().functions();
            if (needs == Needs::time) functions_are_distinct(prepared.instance());
            records_give_the_largest_sizes(prepared);
            groups_hold_all(prepared);
            if (HasFatalFailure()) FAIL() << instances::describe(platform, 0);
        }
    }
    EXPECT_GT(shared, 0U);
}

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
