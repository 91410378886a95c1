// The distributions against their closed forms, and one library against the other.
#include "measurement/distributions.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace hpart_without_gsl
{
double t_quantile(double p, std::int64_t degrees);
double t_upper_tail(double value, double degrees);
double chi_squared_upper_tail(double value, double degrees);
double normal_p(double value);
double coin_p(std::int64_t heads, std::int64_t throws);
} // namespace hpart_without_gsl

namespace hpart
{
namespace
{

constexpr double tolerance = 1e-12;

void expect_close(double found, double expected)
{
    EXPECT_NEAR(found, expected, tolerance * std::max(1.0, std::abs(expected)));
}

TEST(Distributions, HaveTheQuantilesOfPrintedTables)
{
    EXPECT_NEAR(t_quantile(0.975, 1), 12.706, 5e-4);
    EXPECT_NEAR(t_quantile(0.975, 9), 2.262, 5e-4);
    EXPECT_NEAR(t_quantile(0.95, 9), 1.833, 5e-4);
    EXPECT_NEAR(t_quantile(0.995, 30), 2.750, 5e-4);
    EXPECT_NEAR(t_quantile(0.975, 100000), 1.960, 5e-4);
}

TEST(Distributions, HaveTheirClosedForms)
{
    for (const double p : {0.5625, 0.75, 0.9, 0.975, 0.995}) {
        expect_close(t_quantile(p, 1), std::tan(std::numbers::pi * (p - 0.5)));
        expect_close(t_quantile(p, 2), (2 * p - 1) / std::sqrt(2 * p * (1 - p)));
        expect_close(t_quantile(1 - p, 2), -t_quantile(p, 2));
    }
    for (const double value : {-2.5, -0.1, 0.0, 0.5, 1.96, 6.0}) {
        expect_close(normal_p(value), std::erfc(-value / std::numbers::sqrt2) / 2);
        expect_close(t_upper_tail(value, 2), (1 - value / std::sqrt(2 + value * value)) / 2);
    }
    for (const double value : {0.0, 0.3, 4.0, 31.0}) {
        expect_close(chi_squared_upper_tail(value, 2), std::exp(-value / 2));
        expect_close(chi_squared_upper_tail(value, 4), (1 + value / 2) * std::exp(-value / 2));
    }
    // Sums of binomial coefficients.
    expect_close(coin_p(0, 6), 1.0 / 64);
    expect_close(coin_p(2, 6), 22.0 / 64);
    expect_close(coin_p(6, 6), 1);
    expect_close(coin_p(3, 21), 1562.0 / 2097152);
}

TEST(Distributions, AreTheSameWithoutGsl)
{
#ifdef HPART_HAVE_BOOST_MATH
    for (const std::int64_t degrees : {1, 2, 3, 5, 9, 29, 100, 1000, 100000, 1 << 30})
        for (const double p : {0.001, 0.025, 0.4, 0.55, 0.75, 0.9, 0.95, 0.975, 0.995, 0.9995})
            expect_close(hpart_without_gsl::t_quantile(p, degrees), t_quantile(p, degrees));
    for (const double value : {0.0, 1e-3, 0.2, 1.0, 1.96, 3.5, 8.0}) {
        expect_close(hpart_without_gsl::normal_p(value), normal_p(value));
        expect_close(hpart_without_gsl::normal_p(-value), normal_p(-value));
        for (const double degrees : {1.0, 1.5, 6.0, 27.25, 298.0, 1e5}) {
            expect_close(hpart_without_gsl::t_upper_tail(value, degrees), t_upper_tail(value, degrees));
            expect_close(hpart_without_gsl::chi_squared_upper_tail(10 * value, degrees),
                         chi_squared_upper_tail(10 * value, degrees));
        }
    }
    for (const std::int64_t throws : {1, 2, 6, 31, 200, 1000})
        for (const std::int64_t heads : {std::int64_t{0}, throws / 3, throws / 2, throws})
            expect_close(hpart_without_gsl::coin_p(heads, throws), coin_p(heads, throws));
#else
    GTEST_SKIP() << "no Boost.Math";
#endif
}

} // namespace
} // namespace hpart
