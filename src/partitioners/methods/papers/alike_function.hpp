// The one function of identical processors, as the papers on homogeneous clusters have it.
#pragma once

#include "partitioners/problem/instance.hpp"

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
    const AlikePoint *find(std::int64_t size) const;
};

// Fails unless all processors have the function of the first, naming the first that has not and the methods to use instead.
AlikeFunction alike_function_of(const Instance &instance, std::string_view method, std::string_view instead);

} // namespace hpart
