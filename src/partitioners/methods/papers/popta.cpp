// POPTA: POPT, x with sum x_i = n that minimises max t(x_i) over p identical processors. Exact.
//
// Source: Lastovetsky and Reddy, "New model-based methods and algorithms for performance and energy optimization of data parallel
// applications on homogeneous multicore clusters" (IEEE TPDS 28, 2017), as printed by Reddy and Lastovetsky, "Parallel data
// partitioning algorithms ..." (IEEE Access 6, 2018), section IV.A, Algorithms 1 and 2. Time O(m^2 p^2), memory O(n p^2) as
// printed; here memory for the subproblems visited, at most n p.
//
// Kernel: the points at or above the mean size n / p (line B) are examined in non-decreasing order of time, up to the best time known
// (line E); each is given to r = 1, 2, ... processors and the rest of the workload to the processors left, by the same kernel with
// the best time as its line E. Results are memorised by (workload, processors). It ends as soon as the rest takes no longer than the
// point, since all further points are no faster.
//
// Repairs of the printed defects: docs/background/papers.md. Here a rest is bounded by the best time known, not by the point's
// time, and the memory is indexed by the workload and keeps the bound below which there is nothing.
//
// Exact: in every distribution of n over p some processor has a size at or above the mean. Take that point and one copy: the rest is
// a distribution of n - x over p - 1 processors, no slower than the whole. All such points faster than the best are examined.
#include "core/error.hpp"
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

struct LongestTime {
    static double cost_of(const AlikePoint &point) { return point.seconds; }
    static bool examines_before(const AlikePoint &a, const AlikePoint &b) { return a.seconds < b.seconds; }
    static std::int64_t most_copies(const AlikePoint &) { return std::numeric_limits<std::int64_t>::max(); }
    static double join(double cost, std::int64_t, double rest) { return std::max(cost, rest); }
    static double limit_of_rest(double limit, double, std::int64_t) { return limit; }
    static bool ends_at(double cost, double best) { return cost >= best; }
    static double bound(std::int64_t, std::int64_t) { return 0; }
};

struct LoadEqual {
    std::vector<std::int64_t> x; // empty when the function lacks a size
    double seconds = infinity;
};

LoadEqual load_equal(const AlikeFunction &function, std::int64_t size)
{
    LoadEqual out;
    const auto share = size / function.copies;
    const auto larger = size % function.copies;
    const auto *below = function.find(share);
    const auto *above = larger > 0 ? function.find(share + 1) : below;
    if (above == nullptr || (below == nullptr && !(share == 0 && function.may_idle))) return out;
    out.seconds = std::max(above->seconds, below == nullptr ? 0 : below->seconds);
    out.x.assign(static_cast<std::size_t>(function.copies), share);
    std::fill_n(out.x.begin(), larger, share + 1);
    return out;
}

} // namespace

Solution popta(const PartitionProblem &problem, Control &control)
{
    const auto function = alike_function_of(problem.instance, "popta", "hpopta or exact");
    if (problem.size % function.unit != 0) return {};
    if (problem.ties == Ties::fewest) return least_time(problem, control);
    const auto size = problem.size / function.unit;
    auto equal = load_equal(function, size);
    Solution out;
    try {
        const LongestTime rule;
        CopiesSearch<LongestTime> search(function, rule, "POPTA: searching", control);
        const auto seconds = search.run(size, function.copies, equal.seconds);
        out.x = seconds < infinity ? search.distribution(size, function.copies) : std::move(equal.x);
        out.lower_bound = std::min(seconds, equal.seconds);
        out.outcome = out.x.empty() ? Outcome::none : Outcome::found;
    } catch (const Error &error) {
        if (error.status() != Status::limit) throw;
        out = {Outcome::limit, std::move(equal.x), bound_at_limit(problem)};
    }
    for (auto &share : out.x) share *= function.unit;
    return out;
}

} // namespace hpart
