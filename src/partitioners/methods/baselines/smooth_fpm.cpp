// Smooth-FPM: each speed function replaced by its polynomial trend line, and the least time over these smooth functions. The
// distribution found is then judged by the real functions. Source: Khaleghzadeh's thesis, 3.6.2: trend lines of LibreOffice Calc, then
// HPOPTA on them. The thesis names no degree; 2 is Calc's own. HPOPTA's optimum is found here by the method `exact`.
//
// The fit is by least squares, on polynomials orthogonal over the function's own sizes: no ill-conditioned equations at any degree.
// Source: G. E. Forsythe, Generation and use of orthogonal polynomials for data-fitting, J. SIAM 5 (1957) 74-88.
// Time O(p m degree) beside the exact solver's.
#include "partitioners/exact/exact.hpp"
#include "partitioners/methods/baselines/baselines.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace hpart
{

// Squared norms at degree 20 are about 1e-12 a point; of a polynomial that is 0 but for rounding, 1e-32.
constexpr double noise = 1e-20;

std::vector<double> trend_line(const std::vector<double> &x, std::vector<double> y, std::int64_t degree)
{
    const auto count = x.size();
    std::vector<double> fitted(count, 0);
    if (count == 0) return fitted;
    // On [-1, 1], where no power is large.
    const auto [least, most] = std::minmax_element(x.begin(), x.end());
    const auto middle = *least + (*most - *least) / 2;
    const auto half = std::max(*most - middle, 1.0);
    std::vector<double> u(count);
    for (std::size_t k = 0; k < count; ++k) u[k] = (x[k] - middle) / half;

    std::vector<double> before(count, 0);
    std::vector<double> now(count, 1);
    double norm_before = 1;
    const auto highest = std::min(static_cast<std::size_t>(degree), count - 1);
    for (std::size_t d = 0;; ++d) {
        const auto norm = std::inner_product(now.begin(), now.end(), now.begin(), 0.0);
        if (norm < noise * static_cast<double>(count)) return fitted; // fewer distinct sizes than that, as doubles
        // `y` is what is left to fit: less rounding than with the values themselves.
        const auto weight = std::inner_product(y.begin(), y.end(), now.begin(), 0.0) / norm;
        double mean = 0;
        for (std::size_t k = 0; k < count; ++k) {
            fitted[k] += weight * now[k];
            y[k] -= weight * now[k];
            mean += u[k] * now[k] * now[k] / norm;
        }
        if (d == highest) return fitted;
        for (std::size_t k = 0; k < count; ++k) {
            const auto next = (u[k] - mean) * now[k] - (d == 0 ? 0 : norm / norm_before) * before[k];
            before[k] = now[k];
            now[k] = next;
        }
        norm_before = norm;
    }
}

namespace
{

// Replaces times by those of the trend line of the speeds of function f. A point of time 0 keeps it: it has no speed. If the line is not
// above 0, the point gets the longest time of all: such a size is used only if nothing else sums to n.
void smooth(Instance &instance, std::size_t f, std::int64_t degree)
{
    std::vector<std::size_t> points;
    std::vector<double> sizes;
    std::vector<double> speeds;
    for (auto k = instance.function_begin(f); k < instance.function_end(f); ++k) {
        if (instance.sizes[k] == 0 || instance.seconds[k] == 0) continue;
        points.push_back(k);
        sizes.push_back(static_cast<double>(instance.sizes[k]));
        speeds.push_back(std::min(sizes.back() / instance.seconds[k], std::numeric_limits<double>::max()));
    }
    if (points.empty()) return;
    // In units of the highest speed: no sum overflows.
    const auto unit = *std::max_element(speeds.begin(), speeds.end());
    for (auto &speed : speeds) speed /= unit;
    const auto fitted = trend_line(sizes, std::move(speeds), degree);
    for (std::size_t k = 0; k < points.size(); ++k) {
        constexpr auto longest = std::numeric_limits<double>::max();
        const auto seconds = fitted[k] > 0 ? sizes[k] / fitted[k] / unit : longest;
        instance.seconds[points[k]] = std::min(seconds, longest);
    }
}

} // namespace

Solution smooth_fpm(const PartitionProblem &problem, Control &control, Work &work)
{
    const auto degree = problem.options.get_int("degree");
    auto instance = problem.instance;
    for (std::size_t f = 0; f < instance.functions(); ++f) smooth(instance, f, degree);
    const Prepared prepared(std::move(instance), problem.prepared.simd_level());
    auto found = least_time(
        {problem.platform, prepared, prepared.instance(), Objective::time, problem.size, problem.ties, problem.options},
        control, work);
    found.lower_bound = objective_bound(problem);
    return found;
}

} // namespace hpart
