// Farthest-point insertion (T. Gonzalez, Clustering to minimize the maximum intercluster distance, Theoretical Computer Science 38 (1985)
// 293-306): the largest distance from a point to the nearest chosen one, and the least distance between chosen ones, are within a factor
// 2 of the best that any choice of as many points has; and the choice of k points is part of that of k + 1.
// Both coordinates are monotone along the front, so that a new point is nearest to points between its neighbours among the chosen alone.
// Cost: points chosen x points to find the farthest.
// Distances are compared by their squares times both extents, of basic operations alone: equal on every machine, and exact for small
// integers.
#include "core/doubles.hpp"
#include "partitioners/exact/front.hpp"

#include <algorithm>
#include <cmath>

namespace hpart
{

namespace
{

class Spread
{
  public:
    explicit Spread(const std::vector<FrontPoint> &front) : front_(front)
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
        std::vector<double> nearest(front_.size(),
                                    infinity); // squared distance to the nearest chosen one, which have -1
        std::vector<std::size_t> chosen;
        const auto choose_one = [&](std::size_t k) {
            chosen.push_back(k);
            nearest[k] = -1;
            const auto approach = [&](std::size_t j) { nearest[j] = std::min(nearest[j], squared_distance(j, k)); };
            for (auto j = k; j-- > 0 && nearest[j] >= 0;) approach(j);
            for (auto j = k + 1; j < nearest.size() && nearest[j] >= 0; ++j) approach(j);
        };
        choose_one(0);
        choose_one(front_.size() - 1);
        while (chosen.size() < count)
            choose_one(static_cast<std::size_t>(std::max_element(nearest.begin(), nearest.end()) - nearest.begin()));
        std::sort(chosen.begin(), chosen.end());
        return chosen;
    }

  private:
    // At most 1, without rounding, so that no square overflows.
    static double scaled(double value, int exponent) { return std::ldexp(value, -exponent); }

    double squared_distance(std::size_t a, std::size_t b) const
    {
        const auto seconds = scaled(front_[a].seconds - front_[b].seconds, seconds_exponent_) * joules_;
        const auto joules = scaled(front_[a].joules - front_[b].joules, joules_exponent_) * seconds_;
        return seconds * seconds + joules * joules;
    }

    const std::vector<FrontPoint> &front_;
    int seconds_exponent_ = 0; // of the extents of the whole front
    int joules_exponent_ = 0;
    double seconds_ = 0; // the extents, in [0.5, 1)
    double joules_ = 0;
};

} // namespace

std::vector<FrontPoint> spread_points(std::vector<FrontPoint> front, std::int64_t count)
{
    if (static_cast<std::int64_t>(front.size()) <= count) return front;
    std::vector<FrontPoint> out;
    for (const auto k : Spread(front).choose(static_cast<std::size_t>(count))) out.push_back(std::move(front[k]));
    return out;
}

} // namespace hpart
