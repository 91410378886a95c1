// EOPTA: EOPT, x with sum x_i = n that minimises sum e(x_i) over p identical processors. Exact but for rounding: energies are added
// in the order of the search, so that where sums are not exact another distribution may have a last bit less.
//
// Source: Lastovetsky and Reddy (IEEE TPDS 28, 2017), as told by Reddy and Lastovetsky (IEEE Access 6, 2018), section IV.B: "code
// structure similar to POPTA", sums in place of maxima, and convex points in place of the points between the lines B and E. No
// pseudo-code is printed; this is POPTA's kernel (popta.cpp) with those changes. Time O(m^2 p^2).
//
// A point Q is convex where e(Q - k) + e(Q + k) > 2 e(Q) for all k; sizes that the function lacks cost infinitely much here, and
// idling costs nothing.
//
// Repaired: as told, only convex points are given to processors. p = 1, n = 2, e(1..3) = (1, 4, 5): 2 is not convex, and the only
// choice. What holds is that no other point is needed twice: a convex point is given to any number of processors, another to one.
//
// Exact: where a point that is not convex is given twice, Q - k and Q + k cost no more for some k, and the sum of squares rises; so some
// optimum has each such point once at most. Its largest size is at or above the mean, and the rest without that size's copies is
// an optimum of its own. A rest is dropped only when the lower hull of the function at its mean, times its processors, leaves no room
// below the best known.
#include "core/numbers.hpp"
#include "partitioners/exact/exact.hpp"
#include "partitioners/methods/papers/copies_search.hpp"
#include "partitioners/methods/papers/papers.hpp"

#include <algorithm>
#include <limits>

namespace hpart
{

namespace
{

constexpr double bound_slack = 1e-12; // for the rounding of a bound

class SumOfEnergies
{
  public:
    SumOfEnergies(const AlikeFunction &function, std::int64_t size)
    {
        if (function.may_idle) add_to_hull({0, 0, 0});
        for (const auto &point : function.points) add_to_hull(point);
        for (const auto &point : function.points)
            if (is_convex(function, point.size)) convex_.push_back(point.size);
        // Points near the hull's edge at the mean come first.
        const auto mean = static_cast<double>(size) / static_cast<double>(function.copies);
        const auto at = edge_at(mean);
        slope_ = hull_.size() > 1 ? slope(hull_[at], hull_[at + 1]) : 0;
    }

    static double cost_of(const AlikePoint &point) { return point.joules; }
    bool examines_before(const AlikePoint &a, const AlikePoint &b) const { return reduced(a) < reduced(b); }
    std::int64_t most_copies(const AlikePoint &point) const
    {
        const bool convex = std::binary_search(convex_.begin(), convex_.end(), point.size);
        return convex ? std::numeric_limits<std::int64_t>::max() : 1;
    }
    static double join(double cost, std::int64_t copies, double rest)
    {
        return static_cast<double>(copies) * cost + rest;
    }
    static double limit_of_rest(double limit, double cost, std::int64_t copies)
    {
        return limit - static_cast<double>(copies) * cost;
    }
    static bool ends_at(double, double) { return false; }

    double bound(std::int64_t size, std::int64_t copies) const
    {
        if (copies == 0 || hull_.size() < 2) return 0;
        const auto mean = static_cast<double>(size) / static_cast<double>(copies);
        const auto at = edge_at(mean);
        const auto energy =
            hull_[at].joules + slope(hull_[at], hull_[at + 1]) * (mean - static_cast<double>(hull_[at].size));
        return std::max(0.0, static_cast<double>(copies) * energy * (1 - bound_slack));
    }

  private:
    static double slope(const AlikePoint &a, const AlikePoint &b)
    {
        return (b.joules - a.joules) / static_cast<double>(b.size - a.size);
    }
    double reduced(const AlikePoint &point) const { return point.joules - slope_ * static_cast<double>(point.size); }

    void add_to_hull(const AlikePoint &point)
    {
        while (hull_.size() >= 2 && slope(hull_[hull_.size() - 2], hull_.back()) >= slope(hull_.back(), point))
            hull_.pop_back();
        hull_.push_back(point);
    }

    // Index of the hull's vertex before the mean.
    std::size_t edge_at(double mean) const
    {
        const auto after = std::partition_point(hull_.begin(), hull_.end(), [&](const AlikePoint &vertex) {
            return static_cast<double>(vertex.size) <= mean;
        });
        const auto index = std::max<std::ptrdiff_t>(after - hull_.begin(), 1) - 1;
        return std::min(static_cast<std::size_t>(index), hull_.size() < 2 ? 0 : hull_.size() - 2);
    }

    static bool is_convex(const AlikeFunction &function, std::int64_t size)
    {
        const auto energy = [&](std::int64_t at) {
            if (at == 0) return function.may_idle ? 0.0 : infinity;
            const auto *point = function.find(at);
            if (point == nullptr) return infinity;
            return point->joules;
        };
        const auto twice = 2 * energy(size);
        for (const auto &smaller : function.points) {
            if (smaller.size >= size) break;
            if (smaller.joules + energy(saturating_add(size, size - smaller.size)) <= twice) return false;
        }
        return energy(0) + energy(saturating_add(size, size)) > twice;
    }

    std::vector<AlikePoint> hull_;
    std::vector<std::int64_t> convex_; // sizes
    double slope_ = 0;
};

} // namespace

Solution eopta(const PartitionProblem &problem, Control &control)
{
    const auto function = alike_function_of(problem.instance, "eopta", "heopta or exact");
    if (problem.size % function.unit != 0 || function.points.empty()) return {};
    if (problem.ties == Ties::fewest) return least_energy(problem, control);
    const auto size = problem.size / function.unit;
    Solution out;
    const SumOfEnergies rule(function, size);
    CopiesSearch<SumOfEnergies> search(function, rule, "EOPTA: searching", control);
    const auto joules = search.run(size, function.copies, infinity);
    if (joules == infinity) return out;
    out.outcome = Outcome::found;
    out.x = search.distribution(size, function.copies);
    for (auto &share : out.x) share *= function.unit;
    out.lower_bound = bound_for_double_energies(out.x, problem, control);
    return out;
}

} // namespace hpart
