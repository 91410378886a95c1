// Farthest-point insertion (T. Gonzalez, Clustering to minimize the maximum intercluster distance, Theoretical Computer Science 38 (1985)
// 293-306): the largest distance from a point to the nearest chosen one, and the least distance between chosen ones, are within a factor
// 2 of the best that any choice of as many points has; and the choice of k points is part of that of k + 1.
// Both coordinates are monotone along the front, so the chosen point nearest to another is one of its two neighbours among the chosen:
// inserting a point concerns the gap that it splits alone. Cost: gaps in a heap, each scanned when it is made.
// Distances are compared by their squares times both extents, of basic operations alone: equal on every machine, and exact for small
// integers.
#include "partitioners/exact/fewer_points.hpp"

#include <algorithm>
#include <cmath>
#include <queue>

namespace hpart
{

namespace
{

class Spread
{
  public:
    explicit Spread(const std::vector<TimedEnergy> &front) : front_(front)
    {
        const auto seconds = front.back().seconds - front.front().seconds;
        const auto joules = front.front().joules - front.back().joules;
        std::frexp(seconds, &seconds_exponent_);
        std::frexp(joules, &joules_exponent_);
        seconds_ = scaled(seconds, seconds_exponent_);
        joules_ = scaled(joules, joules_exponent_);
    }

    // Indices, increasing.
    std::vector<std::size_t> choose(std::size_t count)
    {
        std::vector<std::size_t> chosen{0, front_.size() - 1};
        add_gap(0, front_.size() - 1);
        while (chosen.size() < count) {
            const auto gap = gaps_.top();
            gaps_.pop();
            chosen.push_back(gap.farthest);
            add_gap(gap.from, gap.farthest);
            add_gap(gap.farthest, gap.to);
        }
        std::sort(chosen.begin(), chosen.end());
        return chosen;
    }

  private:
    struct Gap {         // between two chosen points, with points in it
        double distance; // squared
        std::size_t farthest, from, to;
        bool operator<(const Gap &other) const
        {
            return distance != other.distance ? distance < other.distance : farthest > other.farthest;
        }
    };

    // At most 1, without rounding, so that no square overflows.
    static double scaled(double value, int exponent) { return std::ldexp(value, -exponent); }

    double squared_distance(std::size_t a, std::size_t b) const
    {
        const auto seconds = scaled(front_[a].seconds - front_[b].seconds, seconds_exponent_) * joules_;
        const auto joules = scaled(front_[a].joules - front_[b].joules, joules_exponent_) * seconds_;
        return seconds * seconds + joules * joules;
    }

    void add_gap(std::size_t from, std::size_t to)
    {
        if (to - from < 2) return;
        Gap gap{-1, from, from, to};
        for (auto k = from + 1; k < to; ++k) {
            const auto nearest = std::min(squared_distance(from, k), squared_distance(k, to));
            if (nearest > gap.distance) {
                gap.distance = nearest;
                gap.farthest = k;
            }
        }
        gaps_.push(gap);
    }

    const std::vector<TimedEnergy> &front_;
    int seconds_exponent_ = 0; // of the extents of the whole front
    int joules_exponent_ = 0;
    double seconds_ = 0; // the extents, in [0.5, 1)
    double joules_ = 0;
    std::priority_queue<Gap> gaps_;
};

} // namespace

std::vector<TimedEnergy> spread_points(std::vector<TimedEnergy> front, std::int64_t count)
{
    if (static_cast<std::int64_t>(front.size()) <= count) return front;
    std::vector<TimedEnergy> out;
    for (const auto k : Spread(front).choose(static_cast<std::size_t>(count))) out.push_back(std::move(front[k]));
    return out;
}

} // namespace hpart
