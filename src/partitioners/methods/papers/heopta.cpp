// HEOPTA: x with sum x_i = n that minimises sum e_i(x_i), by branch and bound. Exact.
//
// Source: Khaleghzadeh's thesis (UCD, 2019), chapter 4 and appendix C, Algorithms 3, 4 and 21-27. Time O(m^3 p^3) and memory
// O(p (m + n)) as printed; here memory for the nodes visited, at most as many.
//
// Each level of the tree gives a point to one processor, in non-decreasing order of energy. Only points below epsilon, the energy of
// the best distribution known, are examined. Cut drops a node whose workload the processors from its level on cannot take with such
// points. ProcessSolution adds up a distribution's energy from the last level to the root, saves the best tail of each node in Mem and
// lowers epsilon. A node whose points are all done is final, and Mem answers for it (ReadMemory); there is no Backtrack here.
//
// The last processor is at the root, where the thesis has the first: which processor a level belongs to is free in the algorithm, and in
// this order its sums are the sums in double from processor 0 on that the library minimises.
//
// Repairs of the printed defects: docs/background/papers.md.
// Done otherwise, with the same effect: a node keeps its best tail itself until it is final, then it is saved; a tail from Mem brings its
// energy, only a new best distribution is read in full; ProcessSolution stops at the first node that has a better tail, since that one
// was carried on to the root when it was found.
// The rule of fewest active processors for equal energies (Algorithm 25, lines 19-33) is kept. It sees only the first best tail of
// each node, so it need not find the fewest of all; ties=fewest is a second, exact solve.
//
// Exact: a point or node is dropped only if every distribution through it costs epsilon or more; a final node has the least energy
// of its workload, or that is epsilon or more. Sums in double do not fall as a term rises: this holds for them as computed.

#include "core/numbers.hpp"
#include "partitioners/exact/exact.hpp"
#include "partitioners/methods/papers/copies_search.hpp"
#include "partitioners/methods/papers/papers.hpp"
#include "partitioners/methods/papers/tree.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace hpart
{

namespace
{

// The end of a distribution, from a node's level on.
struct Tail {
    double joules = infinity; // infinity: none
    std::uint32_t choice = 0; // the point on the node's level
    std::uint32_t active = 0; // processors at work
};

class HeoptaSearch : TreeWalk<HeoptaSearch, Tail>
{
    friend TreeWalk;

  public:
    HeoptaSearch(const Tree &tree, std::int64_t size, Control &control)
        : TreeWalk(tree, size, control, "HEOPTA: searching the tree"), tails_(tree.levels())
    {
    }

    Solution run()
    {
        Solution solution;
        take_load_equal();
        solution.outcome = outcome_of([&] {
            walk();
            return !best_.empty();
        });
        solution.x = std::move(best_);
        return solution;
    }

  private:
    double epsilon() const { return thresholds_.bound(); }

    void take_load_equal()
    {
        if (!takes_load_equal()) return;
        double joules = 0;
        for (auto level = tree_.levels(); level-- > 0;) {
            joules += path_[level].point->key;
            best_active_ += path_[level].point->size > 0 ? 1 : 0;
        }
        thresholds_.lower_to(joules);
    }

    void complete(std::size_t level, const TreePoint &point)
    {
        process(level, {point.key, 0, point.size > 0 ? 1U : 0U});
    }

    // ReadMemory (Algorithm 24): Mem has final nodes only.
    bool read_memory(std::size_t level, std::int64_t /*workload*/, Tail tail)
    {
        ++counters_.recalled;
        if (tail.joules < epsilon()) process(level, tail);
        return false;
    }

    void finalise(std::size_t level, std::int64_t workload)
    {
        memory_.at(level, workload) = std::exchange(tails_[level], {});
    }

    // ProcessSolution and Save (Algorithms 25, 26): a tail for the child, on that level, of the path's last node.
    void process(std::size_t child, Tail tail)
    {
        for (auto level = child; level-- > 0;) {
            const auto &point = *path_[level].point;
            tail = {tail.joules + point.key, choice(level), tail.active + (point.size > 0 ? 1 : 0)};
            if (tail.joules > epsilon() || tail.joules > tails_[level].joules) return;
            if (tail.joules < tails_[level].joules) tails_[level] = tail;
        }
        const bool better = tail.joules < epsilon();
        if (!better && (best_.empty() || tail.active >= best_active_)) return;
        auto left = size_;
        for (std::size_t level = 0; level < child; ++level) left -= path_[level].point->size;
        recall(child, left);
        keep_path();
        best_active_ = tail.active;
        if (better) thresholds_.lower_to(tail.joules);
    }

    std::vector<Tail> tails_; // of each node on the path the best: its own cell of Mem until it is final
    std::uint32_t best_active_ = 0;
};

} // namespace

Solution heopta(const PartitionProblem &problem, Control &control)
{
    const Tree tree(problem.instance, problem.instance.processors(), TreeKey::joules,
                    LevelOrder::last_processor_at_root);
    auto solution = HeoptaSearch(tree, problem.size, control).run();
    if (solution.outcome == Outcome::found && problem.ties == Ties::fewest) return least_energy(problem, control);
    solution.lower_bound = solution.outcome == Outcome::found ? bound_for_double_energies(solution.x, problem, control)
                                                              : bound_at_limit(problem);
    return solution;
}

// EOPTA: EOPT, x with sum x_i = n that minimises sum e(x_i) over p identical processors. Exact but for rounding: energies are added
// in the order of the search, so that where sums are not exact another distribution may have a last bit less.
//
// Source: Lastovetsky and Reddy (IEEE TPDS 28, 2017), as told by Reddy and Lastovetsky (IEEE Access 6, 2018), section IV.B: "code
// structure similar to POPTA", sums in place of maxima, and convex points in place of the points between the lines B and E. No
// pseudo-code is printed; this is POPTA's kernel (hpopta.cpp) with those changes. Time O(m^2 p^2).
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
