// Which sizes of a processor keep within a time when its exchanges come on top.
#pragma once

#include "partitioners/problem/communication.hpp"
#include "partitioners/search/limits.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace hpart
{

struct Fit {
    std::int64_t largest = -1;                             // size that fits; -1: none
    double at_most = 0;                                    // the largest load that fits
    double next = std::numeric_limits<double>::infinity(); // the least load that does not
};

class FittingSizes
{
  public:
    // The sizes 1 .. limit of the instance.
    FittingSizes(const Instance &instance, std::int64_t limit, Pacer &pacer);

    // The points of a function by increasing time: points with loads within the limit come first.
    std::span<const std::size_t> points_of(std::size_t f) const
    {
        return {points_.data() + first_[f], first_[f + 1] - first_[f]};
    }
    std::size_t count_within(std::size_t processor, double before, double after, double limit) const;

    // O(log points).
    Fit fit(std::size_t processor, double before, double after, double limit) const;

    // Calls visit(size) for the sizes in [low, high] whose loads keep the limit, from the largest down, until it returns false.
    template <typename Visit>
    void visit_between(std::size_t processor, std::int64_t low, std::int64_t high, double before, double after,
                       double limit, const Visit &visit) const
    {
        const auto &[sizes, seconds, joules, steps, summary] = instance_.of(processor);
        auto k = static_cast<std::size_t>(std::upper_bound(sizes.begin(), sizes.end(), high) - sizes.begin());
        while (k-- > 0 && sizes[k] >= low && sizes[k] > 0)
            if (load(seconds[k], before, after) <= limit && !visit(sizes[k])) return;
    }

    double seconds(std::size_t processor, std::int64_t size) const { return instance_.seconds_of(processor, size); }

    // The largest size of a processor; 0 when it has none.
    std::int64_t largest(std::size_t processor) const
    {
        const auto end = first_[instance_.function_of[processor] + std::size_t{1}];
        return end > first_[instance_.function_of[processor]] ? largest_[end - 1] : 0;
    }

    // Points of a processor, at most.
    std::int64_t most_points() const { return most_points_; }

  private:
    const Instance &instance_;
    // Per function, by increasing time: times, and the largest size up to there.
    std::vector<std::size_t> first_{0};
    std::vector<double> seconds_;
    std::vector<std::int64_t> largest_;
    std::vector<std::size_t> points_;
    std::int64_t most_points_ = 1;
};

inline FittingSizes::FittingSizes(const Instance &instance, std::int64_t limit, Pacer &pacer) : instance_(instance)
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

inline std::size_t FittingSizes::count_within(std::size_t processor, double before, double after, double limit) const
{
    const auto f = instance_.function_of[processor];
    const auto begin = seconds_.begin() + static_cast<std::ptrdiff_t>(first_[f]);
    const auto end = seconds_.begin() + static_cast<std::ptrdiff_t>(first_[f + std::size_t{1}]);
    // A sum as computed does not fall as a part rises: those that fit come first.
    const auto above =
        std::partition_point(begin, end, [&](double seconds) { return load(seconds, before, after) <= limit; });
    return static_cast<std::size_t>(above - begin);
}

inline Fit FittingSizes::fit(std::size_t processor, double before, double after, double limit) const
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
