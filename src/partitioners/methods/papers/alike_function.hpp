// The one function of identical processors, as the papers on homogeneous clusters have it.
#pragma once

#include "core/error.hpp"
#include "partitioners/problem/instance.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

namespace hpart
{

struct AlikePoint {
    std::int64_t size; // in units
    double seconds;
    double joules; // 0 where only times are needed
};

struct AlikeFunction {
    std::vector<AlikePoint> points; // by increasing size, without the idle point
    bool may_idle = false;
    std::int64_t unit = 1; // common divisor of the sizes
    std::int64_t copies = 0;

    // The point of a size in units; null if there is none.
    const AlikePoint *find(std::int64_t size) const
    {
        const auto found =
            std::lower_bound(points.begin(), points.end(), size,
                             [](const AlikePoint &point, std::int64_t wanted) { return point.size < wanted; });
        return found != points.end() && found->size == size ? &*found : nullptr;
    }
};

// Fails unless all processors have the function of the first, naming the first that has not and the methods to use instead.
inline AlikeFunction alike_function_of(const Instance &instance, std::string_view method, std::string_view instead)
{
    for (std::size_t i = 1; i < instance.processors(); ++i)
        if (instance.function_of[i] != 0)
            fail_argument("method is ", method,
                          ", which is for identical processors, but the usable points of processor[", i,
                          "] are not those of processor[0]; use ", instead);
    AlikeFunction function;
    function.copies = static_cast<std::int64_t>(instance.processors());
    const auto &points = instance.of_function.front();
    function.unit = std::max<std::int64_t>(common_divisor(0, points.sizes, 0), 1);
    function.may_idle = points.may_idle();
    function.points.reserve(points.count());
    for (std::size_t k = function.may_idle ? 1 : 0; k < points.count(); ++k)
        function.points.push_back(
            {points.sizes[k] / function.unit, points.seconds[k], instance.has_energies ? points.joules[k] : 0.0});
    return function;
}

} // namespace hpart
