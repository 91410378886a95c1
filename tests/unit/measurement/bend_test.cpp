// Which size is measured next: functions that are known in full are refined, and the polygon through the sizes is compared.
#include "measurement/statistics.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace hpart
{
namespace
{

using Function = std::function<double(double)>;

void insert(Curves &curves, std::int64_t size, const std::vector<Function> &functions)
{
    const auto at = std::lower_bound(curves.sizes.begin(), curves.sizes.end(), size) - curves.sizes.begin();
    ASSERT_TRUE(at == std::ssize(curves.sizes) || curves.sizes[static_cast<std::size_t>(at)] != size)
        << "measured twice";
    curves.sizes.insert(curves.sizes.begin() + at, size);
    for (std::size_t i = 0; i < functions.size(); ++i)
        curves.seconds[i].insert(curves.seconds[i].begin() + at, functions[i](static_cast<double>(size)));
}

Curves known_at(const std::vector<std::int64_t> &sizes, const std::vector<Function> &functions)
{
    Curves curves{{}, std::vector<std::vector<double>>(functions.size())};
    for (const auto size : sizes) insert(curves, size, functions);
    return curves;
}

Curves refined(Curves curves, const std::vector<Function> &functions, std::size_t most, double tolerance,
               std::int64_t block = 1)
{
    while (curves.sizes.size() < most) {
        const auto size = size_at_bend(curves, tolerance, block);
        if (!size) break;
        insert(curves, *size, functions);
    }
    return curves;
}

// The largest relative distance of the function from the polygon through the sizes.
double largest_error(const Curves &curves, const Function &function)
{
    double worst = 0;
    for (std::size_t k = 0; k + 1 < curves.sizes.size(); ++k) {
        const auto low = static_cast<double>(curves.sizes[k]), high = static_cast<double>(curves.sizes[k + 1]);
        for (double x = low; x <= high; ++x) {
            const double line = function(low) + (function(high) - function(low)) * (x - low) / (high - low);
            worst = std::max(worst, std::abs(line - function(x)) / function(x));
        }
    }
    return worst;
}

std::vector<std::int64_t> spread(std::int64_t low, std::int64_t high, std::int64_t count)
{
    std::vector<std::int64_t> sizes;
    for (std::int64_t k = 0; k < count; ++k) sizes.push_back(low + (high - low) * k / (count - 1));
    return sizes;
}

TEST(Bend, OfALineIsNowhere)
{
    const std::vector<Function> line = {[](double x) { return 3 + 0.5 * x; }};
    EXPECT_EQ(size_at_bend(known_at({2, 10, 40, 41, 99}, line), 1e-9, 1), std::nullopt);
    EXPECT_EQ(refined(known_at({2, 100}, line), line, 50, 1e-9).sizes, (std::vector<std::int64_t>{2, 51, 100}))
        << "of two sizes nothing is known yet";
}

TEST(Bend, IsTheDistanceOfAParabolaFromItsLine)
{
    // In the middle of 20..40 the line is 10 * 10 above x * x, a quarter of 20 * 20.
    const std::vector<Function> square = {[](double x) { return x * x; }};
    const auto curves = known_at({20, 40, 41, 42}, square);
    EXPECT_EQ(size_at_bend(curves, 0.2499, 1), 30);
    EXPECT_EQ(size_at_bend(curves, 0.2501, 1), std::nullopt);
}

TEST(Bend, LeavesBoundedErrorsOfSmoothFunctions)
{
    const std::vector<Function> functions = {[](double x) { return 1e-6 * x * x * x; },
                                             [](double x) { return 5 + x + 30 * std::sin(x / 200); },
                                             [](double x) { return std::sqrt(x); }};
    for (const auto &function : functions) {
        const auto curves = refined(known_at({10, 500, 2000}, {function}), {function}, 1000, 0.025);
        EXPECT_LT(curves.sizes.size(), 60U);
        EXPECT_LE(largest_error(curves, function), 0.05) << "the second derivative is that of the neighbourhood";
    }
}

TEST(Bend, GathersSizesWhereTheyAreNeeded)
{
    // Out of cache beyond 613; paging beyond 1500.
    const std::vector<Function> steep = {[](double x) {
        return x < 613 ? x : x < 1500 ? 3 * x - 1226 : 20 * x - 26726;
    }};
    const auto adaptive = refined(known_at(spread(100, 2000, 8), steep), steep, 24, 1e-3);
    const auto even = known_at(spread(100, 2000, 24), steep);
    ASSERT_EQ(adaptive.sizes.size(), 24U);
    EXPECT_LT(largest_error(adaptive, steep[0]), 0.35 * largest_error(even, steep[0]));
}

TEST(Bend, ClosesInOnAJump)
{
    const std::vector<Function> jump = {[](double x) { return x <= 777 ? 1.0 : 2.0; }};
    const auto curves = refined(known_at({1, 1024, 2048}, jump), jump, 100, 0.025);
    EXPECT_TRUE(std::binary_search(curves.sizes.begin(), curves.sizes.end(), 777));
    EXPECT_TRUE(std::binary_search(curves.sizes.begin(), curves.sizes.end(), 778));
    EXPECT_LT(curves.sizes.size(), 60U);
}

TEST(Bend, KeepsToMultiplesAndEndsWhereNoneIsLeft)
{
    const std::vector<Function> square = {[](double x) { return x * x; }};
    const auto curves = refined(known_at({5, 130, 290}, square), square, 1000, 1e-9, 32);
    EXPECT_EQ(curves.sizes, (std::vector<std::int64_t>{5, 32, 64, 96, 128, 130, 160, 192, 224, 256, 288, 290}));
    EXPECT_EQ(size_at_bend(known_at({1, 2, 3}, square), 1e-9, 1), std::nullopt);
    EXPECT_EQ(size_at_bend(known_at({7}, square), 1e-9, 1), std::nullopt);
    EXPECT_EQ(size_at_bend({{}, {{}}}, 1e-9, 1), std::nullopt);
}

TEST(Bend, OfAnyProcessorCounts)
{
    const std::vector<Function> two = {[](double x) { return x; }, [](double x) { return x < 700 ? 1.0 : 4.0; }};
    const auto size = size_at_bend(known_at({100, 200, 300, 600, 800, 900}, two), 0.025, 1);
    ASSERT_TRUE(size.has_value());
    EXPECT_GT(*size, 300);
    EXPECT_LT(*size, 800);
}

} // namespace
} // namespace hpart
