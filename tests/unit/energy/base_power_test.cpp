#include "checks.hpp"
#include "core/text.hpp"
#include "energy/tally.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace hpart
{
namespace
{

// Power that is normal about 60 W with a standard deviation of 2 W and the correlation phi from one interval to the next.
std::vector<TracePoint> idle(std::mt19937_64 &random, std::int64_t intervals, double phi)
{
    std::normal_distribution<double> normal(0, 1);
    std::vector<TracePoint> trace{{0, 0}};
    double state = normal(random);
    for (std::int64_t k = 1; k <= intervals; ++k) {
        trace.push_back({static_cast<double>(k), trace.back().joules + 60 + 2 * state});
        state = phi * state + std::sqrt(1 - phi * phi) * normal(random);
    }
    return trace;
}

TEST(BasePower, IsTheMeanOfWhatWasMeasured)
{
    const std::vector<TracePoint> even{{0, 0}, {10, 500}, {30, 1500}, {31, 1550}};
    const auto steady = mean_power(even, 31);
    EXPECT_DOUBLE_EQ(steady.watts, 50);
    std::mt19937_64 random(1);
    const auto trace = idle(random, 400, 0);
    EXPECT_DOUBLE_EQ(mean_power(trace, 400).watts, trace.back().joules / 400);
    expect_error(Status::numerical, {"no time"}, [] { mean_power({}, 20); });
    expect_error(Status::numerical, {"no time"}, [] { mean_power({{1, 0}, {1, 5}}, 20); });
    for (const double beyond : {1e200, 1e308})
        expect_error(Status::numerical, {"beyond"}, [=] { mean_power({{0, 0}, {1e-3, 0}, {1, beyond}}, 20); });
    expect_error(Status::numerical, {"beyond"}, [] { mean_power({{0, 0}, {1e-300, 1e100}}, 20); });
}

// Lines of a trace round differently at each length: that is no movement.
TEST(BasePower, ASteadyPowerIsKnownToHalfOfItsLastDecimal)
{
    for (const double watts : {0.1, 0.37, 50.0, 60.0, 61.3, 12345.0})
        for (const double counter : {0.0, 1e3, 1e6, 1e9})
            for (int points = 2; points < 200; ++points) {
                std::vector<TracePoint> trace;
                for (int k = 0; k < points; ++k) trace.push_back({k * 0.1, counter + watts * (k * 0.1)});
                const auto base = mean_power(trace, points);
                EXPECT_NEAR(base.watts, watts, 1e-9 * watts + 1e-14 * counter);
                EXPECT_DOUBLE_EQ(base.standard_error, decimal_step(watts) / 2 / std::sqrt(3.0))
                    << watts << ", " << counter << ", " << points;
            }
}

// The mean is within two standard errors of the truth in 95 % of cases, or nearly so where values are few and alike; the plain
// standard error of single values would be right in 60 % at phi = 0.7.
TEST(BasePower, TheStandardErrorIsWorthWhatItSays)
{
    struct Case {
        std::int64_t intervals;
        double phi, least;
    };
    for (const auto &[intervals, phi, least] : {Case{20, 0, 0.91}, Case{100, 0, 0.92}, Case{1000, 0, 0.935},
                                                Case{100, 0.7, 0.88}, Case{1000, 0.7, 0.93}, Case{1000, 0.9, 0.91}}) {
        std::mt19937_64 random(7);
        const int series = support::is_long_run() ? 2000 : 400;
        const double margin = 2 * std::sqrt(0.05 * 0.95 * series);
        int covered = 0;
        for (int k = 0; k < series; ++k) {
            const auto base = mean_power(idle(random, intervals, phi), static_cast<double>(intervals));
            covered += std::abs(base.watts - 60) <= 2 * base.standard_error ? 1 : 0;
        }
        EXPECT_GE(covered, least * series - margin) << intervals << " intervals, phi " << phi;
        EXPECT_LE(covered, 0.985 * series + margin) << intervals << " intervals, phi " << phi;
    }
}

// A trace of a million points is kept in few, and says the same.
TEST(Trace, IsBoundedAndTellsTheSame)
{
    std::mt19937_64 random(3);
    constexpr std::int64_t intervals = 200000;
    const auto whole = idle(random, intervals, 0.9);
    Trace kept;
    for (const auto &point : whole) {
        kept.add(point);
        ASSERT_LE(kept.points().size(), Trace::most_points);
        ASSERT_EQ(kept.points().back().joules, point.joules);
    }
    EXPECT_GT(kept.points().size(), Trace::most_points / 4);
    EXPECT_EQ(kept.points().front().joules, 0);
    const auto expected = mean_power(whole, intervals), found = mean_power(kept.points(), intervals);
    EXPECT_DOUBLE_EQ(found.watts, expected.watts);
    EXPECT_NEAR(found.standard_error, expected.standard_error, 0.02 * expected.standard_error);
    // Points at one time, and the first long before the others.
    Trace odd;
    for (int k = 0; k < 100000; ++k) odd.add({k == 0 ? 0 : 1e6 + (k % 5 == 0 ? 1e-3 : 0) * (k / 5), 1.0 * k});
    EXPECT_LE(odd.points().size(), Trace::most_points);
    EXPECT_EQ(odd.points().back().joules, 99999);
    for (int k = 0; k < 100000; ++k) odd.add({2e6, 1e5});
    EXPECT_LE(odd.points().size(), Trace::most_points);
}

TEST(DynamicEnergy, PropagatesTheError)
{
    const auto dynamic = dynamic_energy(1000, 10, {60, 0.5});
    EXPECT_DOUBLE_EQ(dynamic.joules, 400);
    EXPECT_DOUBLE_EQ(dynamic.standard_error, 5);
}

} // namespace
} // namespace hpart
