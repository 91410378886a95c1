// The line of a calibration: against the normal equations.
#include "core/error.hpp"
#include "measurement/calibration.hpp"
#include "support/errors.hpp"
#include "support/random.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace hpart
{
namespace
{

TEST(CalibrationFit, IsTheLineOfLeastSquares)
{
    auto random = support::seeded(1);
    std::uniform_real_distribution<double> power(20, 400), error(-5, 5);
    for (int k = 0; k < 200; ++k) {
        std::vector<double> x, y;
        for (int j = 0; j < 3 + k % 20; ++j) {
            x.push_back(power(random));
            y.push_back(1.25 * x.back() - 8 + error(random));
        }
        long double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
        for (std::size_t j = 0; j < x.size(); ++j) {
            n += 1, sx += x[j], sy += y[j];
            sxx += static_cast<long double>(x[j]) * x[j];
            sxy += static_cast<long double>(x[j]) * y[j];
        }
        const auto scale = static_cast<double>((n * sxy - sx * sy) / (n * sxx - sx * sx));
        const auto offset = static_cast<double>((sxx * sy - sx * sxy) / (n * sxx - sx * sx));
        const auto fit = calibrate(x, y);
        EXPECT_NEAR(fit.scale, scale, 1e-9);
        EXPECT_NEAR(fit.offset, offset, 1e-6);
        EXPECT_EQ(fit.windows, static_cast<std::int64_t>(x.size()));
        EXPECT_NEAR(fit.scale_high - fit.scale, fit.scale - fit.scale_low, 1e-9);
        EXPECT_NEAR(fit.offset_high - fit.offset, fit.offset - fit.offset_low, 1e-9);
    }
}

// Draper and Smith's way by hand: x = 1, 2, 3, 4, y = 2, 3, 5, 6. Scale 7/5, offset 1/2, squares left 1/5; t(0.975, 2) = 4.30265.
TEST(CalibrationFit, HasStudentsIntervals)
{
    const auto fit = calibrate(std::vector<double>{1, 2, 3, 4}, std::vector<double>{2, 3, 5, 6});
    EXPECT_NEAR(fit.scale, 1.4, 1e-12);
    EXPECT_NEAR(fit.offset, 0.5, 1e-12);
    EXPECT_NEAR(fit.residual, std::sqrt(0.1), 1e-12);
    EXPECT_NEAR(fit.scale_high - fit.scale, 4.302653 * std::sqrt(0.1 / 5), 1e-6);
    EXPECT_NEAR(fit.offset - fit.offset_low, 4.302653 * std::sqrt(0.1 * (0.25 + 6.25 / 5)), 1e-6);
}

TEST(CalibrationFit, RefusesWhatHasNoLine)
{
    const auto refuses = [](const std::vector<double> &x, const std::vector<double> &y, std::string_view words,
                            Status status = Status::invalid_argument) {
        support::expect_error(status, {words}, [&] { calibrate(x, y); });
    };
    refuses({1, 2}, {1, 2}, "windows is 2; it must be at least 3");
    refuses({60, 60, 60}, {1, 2, 3}, "watts are all 60 W");
    refuses({1, 2, 3}, {3, 2, 1}, "scale is -1", Status::numerical);
    refuses({1, std::nan(""), 3}, {3, 2, 1}, "watts[1] is nan");
    refuses({1, 2, 3}, {3, 2, std::numeric_limits<double>::infinity()}, "reference_watts[2]");
}

} // namespace
} // namespace hpart
