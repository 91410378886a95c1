// Shapes of functions, small ones by hand and random ones by definitions written down once more.
#include "models/shape.hpp"

#include <cmath>
#include <random>
#include <sstream>

#include <gtest/gtest.h>

namespace hpart
{
namespace
{

using Sizes = std::vector<std::int64_t>;
using Values = std::vector<double>;

double linear(std::int64_t size) { return static_cast<double>(size); }

double number(const Report &report, const std::string &key)
{
    const auto &value = report.get(key);
    const auto *const whole = std::get_if<std::int64_t>(&value);
    return whole != nullptr ? linear(*whole) : std::get<double>(value);
}

// Keys, each before its number.
void expect(const Report &report, const std::string &all)
{
    std::istringstream expected(all);
    std::string key;
    for (double value = 0; expected >> key >> value;) EXPECT_DOUBLE_EQ(number(report, key), value) << key;
}

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
    expect(report, "points 6 smallest 1 largest 6 fpm 1 fpm_falling 0 fpm_rising_concave 1 fpm_one_cut 1"
                   " fpm_peak 4 time_falls 0 speed_falls 2 speed_maxima 1 speed_minima 0 speed_variation 0"
                   " speed_largest_fall 62.5 speed_largest_fall_size 6 energy_points 0");
    EXPECT_EQ(report.find("energy_convex"), nullptr);
}

TEST(Shape, FallingThroughoutAndConstant)
{
    expect(shape_of_speed({1, 2, 5}, {9, 5, 4}), "fpm 1 fpm_falling 1");
    expect(shape_of_speed({1, 2, 3, 10}, {5, 5, 5, 5}), "fpm 1 fpm_rising_concave 1 time_convex 1");
}

TEST(Shape, WhatBreaksTheConditions)
{
    expect(shape_of_speed({1, 2, 3}, {1, 2, 4}), "fpm 0");
    expect(shape_of_speed({1, 2, 3, 4}, {5, 4, 6, 3}), "fpm 0");
    // Concave and rising, yet the time falls: a line through the origin cuts it twice.
    expect(shape_of_speed({10, 20, 30}, {1, 4, 5}), "fpm_rising_concave 1 fpm_one_cut 0 fpm 0 time_falls 1");
}

TEST(Shape, LinesOfRoundedValuesAreStraight)
{
    Sizes sizes;
    Values speeds;
    for (int k = 1; k <= 1000; ++k) {
        sizes.push_back(k);
        speeds.push_back(1 + 0.1 * k);
    }
    expect(shape_of_speed(sizes, speeds), "fpm 1");
    expect(shape_of_time(sizes, speeds), "time_convex 1");
}

TEST(Shape, VariationIsOfNeighbouringExtrema)
{
    // Extrema inside: 4, 2, 2 (one level stretch), 6, 3; the ends do not count.
    expect(shape_of_time({1, 2, 3, 4, 5, 6, 7, 8}, {1, 4, 2, 2, 6, 3, 3.5, 4}),
           "time_maxima 2 time_minima 2 time_variation 200 time_variation_size 5"
           " time_mean_variation 133.33333333333334 time_falls 2 time_largest_fall 50"
           " time_largest_fall_size 3");
}

TEST(Shape, TheComplexityMakesTheSpeed)
{
    // t = x^2: with C = x^2 a constant speed, with C = x a falling one; with C = x^4 a convex one, cut twice by no line.
    const Sizes sizes{1, 2, 3, 4};
    const Values seconds{1, 4, 9, 16};
    const auto constant = shape_of_time(sizes, seconds, [](std::int64_t size) { return linear(size) * linear(size); });
    expect(constant, "fpm 1 speed_falls 0");
    expect(shape_of_time(sizes, seconds), "speed_falls 3");
    expect(shape_of_time(sizes, seconds, [](std::int64_t size) { return std::pow(linear(size), 4); }), "fpm 0");
}

TEST(Shape, EmptySingleAndZero)
{
    expect(shape_of_time({}, {}), "points 0 fpm_peak 0 time_convex 1 time_mean_variation 0");
    expect(shape_of_time({7}, {2}), "fpm_peak 7 fpm 1");
    const auto zero = shape_of_time({1, 2, 3, 4, 5}, {0, 1, 0, 2, 1});
    EXPECT_TRUE(std::isinf(number(zero, "time_variation")));
    expect(zero, "time_largest_fall 100");
    expect(shape_of_time({1, 2}, {0, 0}), "fpm_peak 0");
}

TEST(Shape, OfEnergy)
{
    Platform platform(1);
    platform.set_energy_function(0, Sizes{1, 2, 3, 4}, Values{1, 5, 2, 8});
    expect(shape_of(platform.processor(0), linear),
           "points 0 energy_points 4 energy_convex 0 energy_maxima 1 energy_minima 1"
           " energy_variation 150");
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
        ASSERT_EQ(number(report, "time_minima"), linear(minima));
        ASSERT_EQ(number(report, "time_maxima"), linear(maxima));
        ASSERT_EQ(number(report, "time_falls"), linear(falls));
        ASSERT_EQ(number(report, "fpm_one_cut"), falls == 0);
        ASSERT_EQ(number(report, "time_convex"), convex);
        ASSERT_DOUBLE_EQ(number(report, "time_variation"), variation);
    }
}

} // namespace
} // namespace hpart
