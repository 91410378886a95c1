// Smooth-FPM: FPM on smoothed functions; the distribution found is then judged by the real ones. Source: Khaleghzadeh's thesis, 3.6.2,
// which compares with it: FPM takes the speed functions to be smooth, so smooth ones are built from the measured.
//
// The thesis does not say how it smooths. Here a point's speed is the moving average over its neighbours: all the work of the points in
// the window over all their time, sum x / sum t, with a tenth of the function's points on each side where there are so many. A linear
// function stays as it is; times of zero give no infinite speed unless all of the window is free.
// Time O(p m) beside FPM's bisection.
#include "partitioners/balance/baselines.hpp"

#include <algorithm>

namespace hpart
{

namespace
{

constexpr std::size_t points_for_one_neighbour = 10;

// Of every point of the instance, the time that the moving average of the speeds gives it.
std::vector<double> smoothed_seconds(const Instance &instance)
{
    std::vector<double> smoothed(instance.seconds.begin(), instance.seconds.end());
    for (std::size_t f = 0; f < instance.functions(); ++f) {
        const auto begin = instance.function_begin(f) + 1; // after the idle point
        const auto end = instance.function_end(f);
        if (begin >= end) continue;
        // A window of three at least: otherwise short functions would not be smoothed at all.
        const auto neighbours = std::max<std::size_t>(1, (end - begin) / points_for_one_neighbour);
        for (auto k = begin; k < end; ++k) {
            double sizes = 0;
            double seconds = 0;
            for (auto near = k - std::min(neighbours, k - begin); near < std::min(k + neighbours + 1, end); ++near) {
                sizes += static_cast<double>(instance.sizes[near]);
                seconds += instance.seconds[near];
            }
            smoothed[k] = static_cast<double>(instance.sizes[k]) * (seconds / sizes);
        }
    }
    return smoothed;
}

} // namespace

Solution smooth_fpm(const Question &question, Control &control, Work &work)
{
    const auto shares = fpm_shares(question.instance, smoothed_seconds(question.instance), question.size);
    return nearest_to_shares(question, shares, control, work);
}

} // namespace hpart
