// Smooth-FPM: each speed function replaced by its polynomial trend line, and the least time over these smooth functions. The
// distribution found is then judged by the real functions. Source: Khaleghzadeh's thesis, 3.6.2: trend lines of LibreOffice Calc, then
// HPOPTA on them. The thesis names no degree; 2 is Calc's own. HPOPTA's optimum is found here by the method `exact`.
// Time O(p m degree) beside the exact solver's.
#include "core/numbers.hpp"
#include "partitioners/exact/exact.hpp"
#include "partitioners/methods/baselines/baselines.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

namespace hpart
{

namespace
{

// Replaces the times of function f by times from the trend line of its speeds. A point of time 0 keeps it: it has no speed. If the
// line is not above 0, the point gets the longest time of all: such a size is used only if nothing else sums to n.
void smooth(Instance &instance, std::size_t f, std::int64_t degree)
{
    std::vector<std::size_t> points;
    std::vector<double> sizes;
    std::vector<double> speeds;
    auto &function = instance.of_function[f];
    for (std::size_t k = 0; k < function.count(); ++k) {
        if (function.sizes[k] == 0 || function.seconds[k] == 0) continue;
        points.push_back(k);
        sizes.push_back(static_cast<double>(function.sizes[k]));
        speeds.push_back(std::min(sizes.back() / function.seconds[k], std::numeric_limits<double>::max()));
    }
    if (points.empty()) return;
    // In units of the highest speed: no sum overflows.
    const auto unit = *std::max_element(speeds.begin(), speeds.end());
    for (auto &speed : speeds) speed /= unit;
    const auto fitted = trend_line(sizes, std::move(speeds), degree);
    auto smoothed = std::make_shared<std::vector<double>>(function.seconds.begin(), function.seconds.end());
    for (std::size_t k = 0; k < points.size(); ++k) {
        constexpr auto longest = std::numeric_limits<double>::max();
        const auto seconds = fitted[k] > 0 ? sizes[k] / fitted[k] / unit : longest;
        (*smoothed)[points[k]] = std::min(seconds, longest);
    }
    function.seconds = *smoothed;
    function.summary = nullptr;
    instance.owners.push_back(std::move(smoothed));
}

} // namespace

Solution smooth_fpm(const PartitionProblem &problem, Control &control)
{
    const auto degree = problem.options.get_int("degree");
    auto instance = problem.instance;
    for (std::size_t f = 0; f < instance.functions(); ++f) smooth(instance, f, degree);
    const Prepared prepared(std::move(instance), problem.prepared.simd_level());
    auto found = least_time({.platform = problem.platform,
                             .prepared = prepared,
                             .size = problem.size,
                             .ties = problem.ties,
                             .options = problem.options},
                            control);
    found.lower_bound = objective_bound(problem);
    return found;
}

} // namespace hpart
