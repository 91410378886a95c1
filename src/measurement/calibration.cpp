// Ordinary least squares of a straight line, and Student's t for its coefficients. Source: Draper and Smith, Applied Regression Analysis,
// 1998, 1.2 and 1.4. The reference's errors alone are modelled: errors of the meter make the scale smaller, by the share that they have
// of the variance of its powers.
#include "measurement/calibration.hpp"

#include "core/error.hpp"
#include "measurement/distributions.hpp"
#include "measurement/statistics.hpp"

#include <cmath>

namespace hpart
{

namespace
{

constexpr std::int64_t fewest_windows = 3; // a line through two has no error
// Powers that differ by less are equal but for rounding.
constexpr double equal_share = 1e-9;

void require_finite_watts(std::span<const double> watts, const char *name)
{
    for (std::size_t k = 0; k < watts.size(); ++k)
        if (!std::isfinite(watts[k])) fail_argument(name, "[", k, "] is ", watts[k], "; it must be finite");
}

} // namespace

CalibrationFit calibrate(std::span<const double> watts, std::span<const double> reference_watts)
{
    const auto windows = static_cast<std::int64_t>(watts.size());
    if (windows < fewest_windows) fail_argument("windows is ", windows, "; it must be at least ", fewest_windows);
    require_finite_watts(watts, "watts");
    require_finite_watts(reference_watts, "reference_watts");
    const auto x = mean_of(watts), y = mean_of(reference_watts);
    if (x.standard_deviation() <= equal_share * std::abs(x.mean()))
        fail_argument("watts are all ", x.mean(),
                      " W; a calibration takes windows of different powers, as those of an idle "
                      "and of a busy machine");
    const auto n = static_cast<double>(windows), degrees = n - 2;
    double squares = 0, products = 0;
    for (std::size_t k = 0; k < watts.size(); ++k) {
        squares += (watts[k] - x.mean()) * (watts[k] - x.mean());
        products += (watts[k] - x.mean()) * (reference_watts[k] - y.mean());
    }
    const double scale = products / squares;
    if (!(scale > 0))
        fail(Status::numerical, "the fitted scale is ", scale,
             "; it must be above 0: the meters do not measure the same");
    double left = 0;
    for (std::size_t k = 0; k < watts.size(); ++k) {
        const double error = reference_watts[k] - y.mean() - scale * (watts[k] - x.mean());
        left += error * error;
    }
    const double residual = std::sqrt(left / degrees), t = t_quantile(0.975, windows - 2);
    const double of_scale = t * residual / std::sqrt(squares);
    const double of_offset = t * residual * std::sqrt(1 / n + x.mean() * x.mean() / squares);
    const double offset = y.mean() - scale * x.mean();
    return {scale,    scale - of_scale, scale + of_scale, offset, offset - of_offset, offset + of_offset,
            residual, windows};
}

} // namespace hpart
