// Which sizes of a processor keep within a time when its exchanges come on top.
#pragma once

#include "partitioners/problem/communication.hpp"
#include "partitioners/search/limits.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
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

    // The points of a function by increasing time: those of loads within the limit come first.
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

} // namespace hpart
