#include "partitioners/exact/communication/fitting_sizes.hpp"

#include <algorithm>
#include <functional>
#include <utility>

namespace hpart
{

FittingSizes::FittingSizes(const Instance &instance, std::int64_t limit, Pacer &pacer) : instance_(instance)
{
    constexpr std::int64_t work_of_point = 4;
    std::vector<std::pair<double, std::size_t>> points; // time, index: by size
    seconds_.reserve(instance.points());
    largest_.reserve(instance.points());
    for (const auto &function : instance.of_function) {
        points.clear();
        for (std::size_t k = 0; k < function.count() && function.sizes[k] <= limit; ++k) {
            pacer.spend(work_of_point);
            if (function.sizes[k] > 0) points.emplace_back(function.seconds[k], k);
        }
        std::sort(points.begin(), points.end(), paced(pacer, std::less<>()));
        std::int64_t largest = 0;
        for (const auto &[seconds, k] : points) {
            pacer.spend(work_of_point);
            largest = std::max(largest, function.sizes[k]);
            seconds_.push_back(seconds);
            largest_.push_back(largest);
            points_.push_back(k);
        }
        first_.push_back(seconds_.size());
        most_points_ = std::max(most_points_, static_cast<std::int64_t>(points.size()));
    }
}

std::size_t FittingSizes::count_within(std::size_t processor, double before, double after, double limit) const
{
    const auto f = instance_.function_of[processor];
    const auto begin = seconds_.begin() + static_cast<std::ptrdiff_t>(first_[f]);
    const auto end = seconds_.begin() + static_cast<std::ptrdiff_t>(first_[f + std::size_t{1}]);
    // A sum as computed does not fall as a part rises: those that fit come first.
    const auto above =
        std::partition_point(begin, end, [&](double seconds) { return load(seconds, before, after) <= limit; });
    return static_cast<std::size_t>(above - begin);
}

Fit FittingSizes::fit(std::size_t processor, double before, double after, double limit) const
{
    const auto f = instance_.function_of[processor];
    const auto begin = seconds_.begin() + static_cast<std::ptrdiff_t>(first_[f]);
    const auto end = seconds_.begin() + static_cast<std::ptrdiff_t>(first_[f + std::size_t{1}]);
    const auto above = begin + static_cast<std::ptrdiff_t>(count_within(processor, before, after, limit));
    Fit fit;
    if (above != begin) {
        fit.largest = largest_[static_cast<std::size_t>(above - seconds_.begin()) - 1];
        fit.at_most = load(*(above - 1), before, after);
    }
    if (above != end) fit.next = load(*above, before, after);
    return fit;
}

} // namespace hpart
