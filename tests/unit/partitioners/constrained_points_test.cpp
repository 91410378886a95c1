// Interpolated sizes, and bounds on measured functions: point by point of the front, and properties that need no reference.
#include "checks.hpp"
#include "core/error.hpp"
#include "instances.hpp"
#include "partitioners/problem/instance.hpp"
#include "support/random.hpp"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace
{

using hpart::Curve;
using hpart::Interpolation;
using hpart::Objective;
using hpart::Options;
using hpart::Platform;

TEST(Interpolation, AkimaAgreesWithTheGnuScientificLibrary)
{
    // Values of gsl_interp_akima through these points, at half of these sizes.
    const Curve curve({2, 6, 8, 14, 16, 24}, {2, 5, 1, 6, 6.5, 0.25}, Interpolation::akima);
    const std::vector<std::pair<double, double>> expected = {{1, 2},
                                                             {2, 4.8647388059701493},
                                                             {3.5, 2.7645055970149257},
                                                             {5, 2.4160027952480783},
                                                             {6, 4.4931167016072671},
                                                             {7.5, 6.3820602556299448},
                                                             {9, 5.8718623991935486},
                                                             {10, 4.5492943548387093},
                                                             {11, 2.6395791330645162},
                                                             {12, 0.25}};
    for (const auto &[x, y] : expected) EXPECT_NEAR(curve.at(static_cast<std::int64_t>(2 * x)), y, 1e-13) << x;
}

TEST(Interpolation, KeepsLinesAndMeasuredValues)
{
    const std::vector<std::int64_t> x{8, 20, 24, 44, 120};
    std::vector<double> y(x.size());
    std::transform(x.begin(), x.end(), y.begin(),
                   [](std::int64_t each) { return 0.75 * static_cast<double>(each) + 1; });
    for (const auto kind : {Interpolation::linear, Interpolation::akima}) {
        const Curve line(x, y, kind);
        for (int each = 8; each <= 120; ++each) EXPECT_NEAR(line.at(each), 0.75 * each + 1, 1e-12);
        const Curve jagged(x, {0.1, 7.7, 0.3, 0, 5}, kind);
        EXPECT_EQ(jagged.at(20), 7.7);
        EXPECT_EQ(jagged.at(120), 5);
        for (int each = 8; each <= 120; ++each) EXPECT_GE(jagged.at(each), 0) << each;
        EXPECT_EQ(Curve({4}, {2.5}, kind).at(4), 2.5);
        EXPECT_EQ(Curve({4, 6}, {2, 3}, kind).at(5), 2.5);
    }
}

// Sizes whose doubles are equal have their own values: only differences of sizes count.
TEST(Interpolation, IsTheSameFarFromZero)
{
    constexpr std::int64_t far = (std::int64_t{1} << 61) + 1;
    auto random = support::seeded(4);
    for (auto step = instances::how_many(0.03); step > 0; --step) {
        std::vector<std::int64_t> x{1 + static_cast<std::int64_t>(random() % 5)};
        std::vector<double> y{static_cast<double>(random() % 9)};
        for (auto more = random() % 6; more > 0; --more) {
            x.push_back(x.back() + 1 + static_cast<std::int64_t>(random() % 700));
            y.push_back(static_cast<double>(random() % 9));
        }
        auto moved = x;
        for (auto &size : moved) size += far;
        for (const auto kind : {Interpolation::linear, Interpolation::akima}) {
            const Curve near_curve(x, y, kind), far_curve(moved, y, kind);
            for (auto size = x.front(); size <= x.back(); ++size)
                ASSERT_EQ(near_curve.at(size), far_curve.at(size + far)) << size;
            for (std::size_t k = 0; k < x.size(); ++k) ASSERT_EQ(far_curve.at(moved[k]), y[k]);
        }
    }
}

TEST(Interpolation, EndsWhereTheLastSizeIsTheLargestInteger)
{
    constexpr auto largest = std::numeric_limits<std::int64_t>::max();
    Platform platform(2);
    platform.set_time_function(0, std::vector<std::int64_t>{largest}, std::vector{1.0});
    platform.set_time_function(1, std::vector<std::int64_t>{3, 7}, std::vector{3.0, 7.0});
    for (const auto *kind : {"linear", "akima"})
        for (const auto n : {std::int64_t{5}, largest}) {
            hpart::PartitionRequest request{Objective::time, n};
            request.options.set_text("interpolate", kind);
            const auto found = checks::partition(platform, request);
            EXPECT_EQ(found.seconds, n == 5 ? 5 : 1);
            EXPECT_EQ(found.x, (n == 5 ? std::vector<std::int64_t>{0, 5} : std::vector<std::int64_t>{largest, 0}));
        }
}

// A platform that has the interpolated points as measured ones, up to the first above n: with more, another of equal times may win.
Platform filled(const Platform &platform, Interpolation kind, std::int64_t block, std::int64_t n)
{
    Platform out(platform.count());
    for (std::int64_t i = 0; i < platform.count(); ++i) {
        const auto &points = platform.points(i);
        out.set_limits(i, platform.processor(i).limits);
        const auto seconds = hpart::curve_of(points, points.seconds, kind);
        const auto joules = hpart::curve_of(points, points.joules, kind);
        std::vector<std::int64_t> sizes;
        std::vector<std::int64_t> energy_sizes;
        std::vector<double> times;
        std::vector<double> energies;
        std::int64_t last = 0;
        for (std::int64_t x = block; points.count() > 0 && x <= points.sizes.back(); x += block) {
            if (x > n + block && last >= platform.processor(i).limits.smallest) break;
            if (seconds && seconds->covers(x)) {
                sizes.push_back(x);
                times.push_back(seconds->at(x));
                if (!joules || joules->covers(x)) last = x;
            }
            if (joules && joules->covers(x)) {
                energy_sizes.push_back(x);
                energies.push_back(joules->at(x));
            }
        }
        out.set_time_function(i, sizes, times);
        out.set_energy_function(i, energy_sizes, energies);
    }
    out.set_base_power(platform.base_power());
    return out;
}

TEST(Interpolation, IsThePartitionOfTheFilledPlatform)
{
    auto random = support::seeded(3);
    const auto count = instances::how_many(0.03);
    int feasible = 0;
    for (std::int64_t k = 0; k < count && !HasFailure(); ++k) {
        const auto platform = instances::any_platform(random, {4, 5});
        const auto kind = instances::between(random, 0, 1) == 0 ? Interpolation::linear : Interpolation::akima;
        const auto block = instances::between(random, 1, 4);
        const auto n = block * instances::between(random, 0, instances::largest_sum(platform) / block + 1);
        hpart::PartitionRequest request{static_cast<Objective>(instances::between(random, 0, 2)), n};
        request.options.set_text("interpolate", kind == Interpolation::linear ? "linear" : "akima");
        request.options.set_int("block", block);
        std::optional<hpart::Distribution> expected;
        std::string message;
        try {
            expected = checks::solve(filled(platform, kind, block, n), request.objective, n);
        } catch (const hpart::Error &error) {
            message = error.what();
        }
        try {
            const auto found = checks::partition(platform, request);
            ++feasible;
            ASSERT_TRUE(expected.has_value()) << instances::describe(platform, n);
            EXPECT_EQ(found.x, expected->x) << instances::describe(platform, n);
            EXPECT_EQ(found.seconds, expected->seconds);
            EXPECT_TRUE(found.joules == expected->joules || (std::isnan(found.joules) && std::isnan(expected->joules)));
        } catch (const hpart::Error &error) {
            EXPECT_FALSE(expected.has_value()) << error.what() << '\n' << instances::describe(platform, n);
            EXPECT_EQ(std::string(error.what())
                          .rfind(message.substr(0, message.find_first_of(":;", message.find("above"))), 0),
                      0)
                << error.what() << "\nnot " << message << '\n'
                << instances::describe(platform, n);
        }
    }
    EXPECT_GT(feasible, count / 2);
}

class MeasuredBounds : public testing::TestWithParam<const char *>
{
  protected:
    void SetUp() override
    {
        platform_ = instances::measured_platform(GetParam());
        size_ = instances::largest_sum(platform_) / 3 / 16 * 16;
    }

    hpart::Distribution solve(Objective objective, const Options &options) const
    {
        return checks::partition(platform_, {objective, size_, "exact", hpart::Ties::deterministic, options});
    }

    std::vector<hpart::FrontPoint> front(const Options &options) const
    {
        return checks::compute_front(platform_, {size_, hpart::FrontEnergy::dynamic, "exact", options}).points;
    }

    Platform platform_{1};
    std::int64_t size_ = 0;
};

TEST_P(MeasuredBounds, DeadlineAndBudgetGiveTheFrontPointByPoint)
{
    const auto points = front({});
    ASSERT_GT(points.size(), 1U);
    const auto step = std::max<std::size_t>(1, points.size() / 20);
    for (std::size_t k = 0; k < points.size(); k += step) {
        Options deadline;
        deadline.set_double("deadline", points[k].seconds);
        EXPECT_EQ(solve(Objective::energy, deadline).joules, points[k].joules);
        Options budget;
        budget.set_double("energy_budget", points[k].joules);
        const auto found = solve(Objective::time, budget);
        EXPECT_EQ(found.seconds, points[k].seconds);
        EXPECT_EQ(found.joules, points[k].joules);
        Options slowdown;
        slowdown.set_double("slowdown", points[k].seconds / points[0].seconds * (1 + 1e-12));
        EXPECT_EQ(solve(Objective::energy, slowdown).joules, points[k].joules);
    }
}

TEST_P(MeasuredBounds, EpsFrontsCoverTheWholeFront)
{
    const auto points = front({});
    for (const double eps : {0.001, 0.02, 0.3}) {
        Options options;
        options.set_double("eps", eps);
        const auto few = front(options);
        EXPECT_LE(few.size(), points.size());
        EXPECT_EQ(few.front().seconds, points.front().seconds);
        EXPECT_EQ(few.back().joules, points.back().joules);
        for (const auto &point : points)
            EXPECT_TRUE(std::any_of(few.begin(), few.end(), [&](const auto &kept) {
                return kept.seconds <= (1 + eps) * point.seconds && kept.joules <= (1 + eps) * point.joules;
            }));
    }
}

INSTANTIATE_TEST_SUITE_P(Files, MeasuredBounds,
                         testing::Values("dgemm-rows-by-512-by-512.csv", "zfft-rows-by-512.csv"));

} // namespace
