// Shapes of functions, small ones by hand and random ones by definitions written down once more.
#include "models/shape.hpp"

#include <cmath>
#include <random>

#include <gtest/gtest.h>

namespace hpart
{
namespace
{

using Sizes = std::vector<std::int64_t>;
using Values = std::vector<double>;

double linear(std::int64_t size) { return static_cast<double>(size); }

std::int64_t whole(const Report &report, const std::string &key) { return std::get<std::int64_t>(report.get(key)); }
double real(const Report &report, const std::string &key) { return std::get<double>(report.get(key)); }

Report shape_of_time(const Sizes &sizes, const Values &seconds, const Operations &operations = linear)
{
    Platform platform(1);
    platform.set_time_function(0, sizes, seconds);
    return shape_of(platform.processor(0), operations);
}

Report shape_of_speed(const Sizes &sizes, const Values &speeds)
{
    Values seconds;
    for (std::size_t k = 0; k < sizes.size(); ++k) seconds.push_back(linear(sizes[k]) / speeds[k]);
    return shape_of_time(sizes, seconds);
}

TEST(Shape, RisingConcaveThenFalling)
{
    const auto report = shape_of_speed({1, 2, 3, 4, 5, 6}, {4, 7, 9, 10, 8, 3});
    EXPECT_EQ(whole(report, "points"), 6);
    EXPECT_EQ(whole(report, "smallest"), 1);
    EXPECT_EQ(whole(report, "largest"), 6);
    EXPECT_EQ(whole(report, "fpm"), 1);
    EXPECT_EQ(whole(report, "fpm_falling"), 0);
    EXPECT_EQ(whole(report, "fpm_rising_concave"), 1);
    EXPECT_EQ(whole(report, "fpm_one_cut"), 1);
    EXPECT_EQ(whole(report, "fpm_peak"), 4);
    EXPECT_EQ(whole(report, "time_falls"), 0);
    EXPECT_EQ(whole(report, "speed_falls"), 2);
    EXPECT_EQ(whole(report, "speed_maxima"), 1);
    EXPECT_EQ(whole(report, "speed_minima"), 0);
    EXPECT_EQ(real(report, "speed_variation"), 0);
    EXPECT_DOUBLE_EQ(real(report, "speed_largest_fall"), 62.5);
    EXPECT_EQ(whole(report, "speed_largest_fall_size"), 6);
    EXPECT_EQ(whole(report, "energy_points"), 0);
    EXPECT_EQ(report.find("energy_convex"), nullptr);
}

TEST(Shape, FallingThroughoutAndConstant)
{
    const auto falling = shape_of_speed({1, 2, 5}, {9, 5, 4});
    EXPECT_EQ(whole(falling, "fpm"), 1);
    EXPECT_EQ(whole(falling, "fpm_falling"), 1);
    const auto constant = shape_of_speed({1, 2, 3, 10}, {5, 5, 5, 5});
    EXPECT_EQ(whole(constant, "fpm"), 1);
    EXPECT_EQ(whole(constant, "fpm_rising_concave"), 1);
    EXPECT_EQ(whole(constant, "time_convex"), 1);
}

TEST(Shape, WhatBreaksTheConditions)
{
    EXPECT_EQ(whole(shape_of_speed({1, 2, 3}, {1, 2, 4}), "fpm"), 0) << "convex";
    EXPECT_EQ(whole(shape_of_speed({1, 2, 3, 4}, {5, 4, 6, 3}), "fpm"), 0) << "falls, rises, falls";
    // Concave and rising, yet the time falls: a line through the origin cuts it twice.
    const auto steep = shape_of_speed({10, 20, 30}, {1, 4, 5});
    EXPECT_EQ(whole(steep, "fpm_rising_concave"), 1);
    EXPECT_EQ(whole(steep, "fpm_one_cut"), 0);
    EXPECT_EQ(whole(steep, "fpm"), 0);
    EXPECT_EQ(whole(steep, "time_falls"), 1);
}

TEST(Shape, LinesOfRoundedValuesAreStraight)
{
    Sizes sizes;
    Values speeds;
    for (int k = 1; k <= 1000; ++k) {
        sizes.push_back(k);
        speeds.push_back(1 + 0.1 * k);
    }
    const auto report = shape_of_speed(sizes, speeds);
    EXPECT_EQ(whole(report, "fpm"), 1);
    EXPECT_EQ(whole(shape_of_time(sizes, speeds), "time_convex"), 1);
}

TEST(Shape, VariationIsOfNeighbouringExtrema)
{
    // Extrema inside: 4, 2, 2 (one level stretch), 6, 3; the ends do not count.
    const auto report = shape_of_time({1, 2, 3, 4, 5, 6, 7, 8}, {1, 4, 2, 2, 6, 3, 3.5, 4});
    EXPECT_EQ(whole(report, "time_maxima"), 2);
    EXPECT_EQ(whole(report, "time_minima"), 2);
    EXPECT_DOUBLE_EQ(real(report, "time_variation"), 200);
    EXPECT_EQ(whole(report, "time_variation_size"), 5);
    EXPECT_DOUBLE_EQ(real(report, "time_mean_variation"), (100 + 200 + 100) / 3.0);
    EXPECT_EQ(whole(report, "time_falls"), 2);
    EXPECT_DOUBLE_EQ(real(report, "time_largest_fall"), 50);
    EXPECT_EQ(whole(report, "time_largest_fall_size"), 3);
}

TEST(Shape, TheComplexityMakesTheSpeed)
{
    // t = x^2: with C = x^2 a constant speed, with C = x a falling one; with C = x^4 a convex one, cut twice by no line.
    const Sizes sizes{1, 2, 3, 4};
    const Values seconds{1, 4, 9, 16};
    const auto constant = shape_of_time(sizes, seconds, [](std::int64_t size) { return linear(size) * linear(size); });
    EXPECT_EQ(whole(constant, "fpm"), 1);
    EXPECT_EQ(whole(constant, "speed_falls"), 0);
    EXPECT_EQ(whole(shape_of_time(sizes, seconds), "speed_falls"), 3);
    EXPECT_EQ(whole(shape_of_time(sizes, seconds, [](std::int64_t size) { return std::pow(linear(size), 4); }), "fpm"),
              0);
}

TEST(Shape, EmptySingleAndZero)
{
    const auto empty = shape_of_time({}, {});
    EXPECT_EQ(whole(empty, "points"), 0);
    EXPECT_EQ(whole(empty, "fpm_peak"), 0);
    EXPECT_EQ(whole(empty, "time_convex"), 1);
    EXPECT_EQ(real(empty, "time_mean_variation"), 0);
    const auto one = shape_of_time({7}, {2});
    EXPECT_EQ(whole(one, "fpm_peak"), 7);
    EXPECT_EQ(whole(one, "fpm"), 1);
    const auto zero = shape_of_time({1, 2, 3, 4, 5}, {0, 1, 0, 2, 1});
    EXPECT_TRUE(std::isinf(real(zero, "time_variation")));
    EXPECT_EQ(real(zero, "time_largest_fall"), 100);
    EXPECT_EQ(whole(shape_of_time({1, 2}, {0, 0}), "fpm_peak"), 0);
}

TEST(Shape, OfEnergy)
{
    Platform platform(1);
    platform.set_energy_function(0, Sizes{1, 2, 3, 4}, Values{1, 5, 2, 8});
    const auto report = shape_of(platform.processor(0), linear);
    EXPECT_EQ(whole(report, "points"), 0);
    EXPECT_EQ(whole(report, "energy_points"), 4);
    EXPECT_EQ(whole(report, "energy_convex"), 0);
    EXPECT_EQ(whole(report, "energy_maxima"), 1);
    EXPECT_EQ(whole(report, "energy_minima"), 1);
    EXPECT_DOUBLE_EQ(real(report, "energy_variation"), 150);
}

// The definitions once more, point by point, for functions without level stretches.
TEST(Shape, RandomFunctionsAgreeWithTheDefinitions)
{
    std::mt19937_64 random(5);
    for (int k = 0; k < 4'000; ++k) {
        const auto points = std::uniform_int_distribution<std::size_t>(1, 9)(random);
        Sizes sizes;
        Values seconds;
        for (std::size_t j = 0; j < points; ++j) {
            sizes.push_back((j == 0 ? 0 : sizes.back()) + std::uniform_int_distribution<>(1, 4)(random));
            do seconds.push_back(std::uniform_int_distribution<>(1, 9)(random));
            while (j > 0 && seconds[j] == seconds[j - 1] && (seconds.pop_back(), true));
        }
        std::int64_t minima = 0, maxima = 0, falls = 0;
        bool convex = true;
        double variation = 0, last = -1;
        for (std::size_t j = 0; j < points; ++j) {
            if (j > 0 && seconds[j] < seconds[j - 1]) ++falls;
            if (j == 0 || j + 1 == points) continue;
            const bool is_minimum = seconds[j] < seconds[j - 1] && seconds[j] < seconds[j + 1];
            const bool is_maximum = seconds[j] > seconds[j - 1] && seconds[j] > seconds[j + 1];
            minima += is_minimum;
            maxima += is_maximum;
            // Integers: (y1 - y0) (x2 - x1) <= (y2 - y1) (x1 - x0).
            convex = convex && (seconds[j] - seconds[j - 1]) * linear(sizes[j + 1] - sizes[j]) <=
                                   (seconds[j + 1] - seconds[j]) * linear(sizes[j] - sizes[j - 1]);
            if (!is_minimum && !is_maximum) continue;
            if (last > 0)
                variation = std::max(variation, 100 * std::abs(last - seconds[j]) / std::min(last, seconds[j]));
            last = seconds[j];
        }
        const auto report = shape_of_time(sizes, seconds);
        ASSERT_EQ(whole(report, "time_minima"), minima);
        ASSERT_EQ(whole(report, "time_maxima"), maxima);
        ASSERT_EQ(whole(report, "time_falls"), falls);
        ASSERT_EQ(whole(report, "fpm_one_cut"), falls == 0);
        ASSERT_EQ(whole(report, "time_convex"), convex);
        ASSERT_DOUBLE_EQ(real(report, "time_variation"), variation);
    }
}

} // namespace
} // namespace hpart
