#include "partitioners/instance.hpp"

#include <algorithm>
#include <cmath>

namespace hpart
{

Instance usable_points(const Platform &platform, Needs needs)
{
    Instance out;
    for (std::int64_t i = 0; i < platform.count(); ++i) {
        const auto &[name, points, limits, host_link] = platform.processor(i);
        out.sizes.push_back(0);
        out.seconds.push_back(0);
        out.joules.push_back(0);
        for (std::size_t k = 0; k < points.count(); ++k) {
            if (points.sizes[k] < limits.smallest || points.sizes[k] > limits.largest) continue;
            if (std::isnan(points.seconds[k])) continue;
            if (needs == Needs::time_and_energy && std::isnan(points.joules[k])) continue;
            out.sizes.push_back(points.sizes[k]);
            out.seconds.push_back(points.seconds[k]);
            out.joules.push_back(points.joules[k]);
        }
        out.first.push_back(out.sizes.size());
    }
    return out;
}

std::vector<double> distinct_times(const Instance &instance, double above)
{
    std::vector<double> times;
    for (const auto t : instance.seconds)
        if (t > above) times.push_back(t);
    std::sort(times.begin(), times.end());
    times.erase(std::unique(times.begin(), times.end()), times.end());
    return times;
}

} // namespace hpart
