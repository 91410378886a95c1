// Problem: a graph without cycles, whose edges run from a lower to a higher node; an edge may give a processor a size x, at the load
// (t(x) + before) + after. Among the walks from the first node to the last whose sizes sum to n: the least longest load T, with the walk.
//
// At a given T, an edge's largest fitting size and the largest total best[v] from each node v on are known in one pass. best[first] >= n
// is necessary: the least T with that is a lower bound. Exact test: a walk loses best[u] - best[v] - x >= 0 at each edge (u, v), and
// sums to n exactly when it loses D = best[first] - n in all. For each node it computes the set of losses that can still follow, up
// to D less the least loss on the way there, in units of the sizes' common divisor (search/sum_set.hpp): n is a sum exactly when D is in
// the set of the first node. Both tests are monotone in T, and change only at a load of some point on some edge: bisection over the
// doubles between, each time to the next such load.
// Loads are only compared and sizes are integers: no tolerance.
// Totals that do not fit an integer count as the largest multiple of the unit that does, at least n: a walk may then lose less than
// nothing at an edge. Exact still: no walk that sums to n has more from a node on.
// Time a test: O(edges log m), and over the edges within D their points times D / 64. Memory: O(nodes), and D bits a node within D, or the
// losses themselves where these are fewer.
// Source: design of hpart.
#pragma once

#include "core/numbers.hpp"
#include "core/progress.hpp"
#include "partitioners/exact/time_levels.hpp"
#include "partitioners/problem/communication.hpp"
#include "partitioners/search/choices.hpp"
#include "partitioners/search/sum_set.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace hpart
{

// Which sizes of a processor keep within a time when its exchanges come on top.

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

// An edge without a processor gives nothing.
struct WalkEdge {
    static constexpr std::size_t nobody = std::numeric_limits<std::size_t>::max();
    std::size_t to = 0;
    std::size_t processor = nobody;
    double before = 0;
    double after = 0;
    std::size_t next = nobody; // the processor that it exchanges with afterwards
    std::size_t node = nobody; // that it switches on
};

struct Walk {
    double longest = 0;
    std::vector<std::pair<std::size_t, std::int64_t>> given; // processor, size

    // The sizes of all processors.
    std::vector<std::int64_t> sizes(std::size_t processors) const
    {
        std::vector<std::int64_t> x(processors, 0);
        for (const auto &[processor, size] : given) x[processor] = size;
        return x;
    }
};

// Graph: nodes(), and for_each_edge(node, visit), in the same order each time. The total is at least 1.
template <typename Graph> class WalkSearch
{
  public:
    WalkSearch(const Graph &graph, const Instance &instance, const FittingSizes &fitting, std::int64_t total,
               Control &control)
        : graph_(graph), pacer_(control, "arranging processors"), fitting_(fitting), total_(total),
          memory_bytes_(control.memory_limit()), counters_(control.counters)
    {
        for (const auto &function : instance.of_function) unit_ = common_divisor(unit_, function.sizes, 0);
        largest_total_ = any_total - any_total % unit_;
        if (static_cast<std::int64_t>(graph.nodes()) > memory_bytes_ / bytes_of_node) fail_memory(memory_bytes_);
    }

    // The walk of the least longest load in [low, high); nothing when there is none. No walk has less than `low`, which rises while
    // this is being proved.
    std::optional<Walk> least_load(double &low, double high)
    {
        if (!(low < high) || !may_reach(before(high))) return std::nullopt;
        for (auto top = at_most_; low < top;) {
            const auto middle = halfway(low, top);
            if (may_reach(middle))
                top = at_most_;
            else
                low = next_;
        }
        std::optional<Walk> best;
        for (double step = 0; low < high;) {
            const auto limit = best ? halfway(low, high) : std::min(low + step, before(high));
            if (auto found = walk_within(limit)) {
                best = std::move(found);
                high = best->longest;
            } else {
                low = next_;
                step = std::max(3 * step, first_step * low);
            }
        }
        if (best) low = best->longest;
        return best;
    }

    // Any walk of loads <= limit.
    std::optional<Walk> walk_within(double limit)
    {
        ++counters_.sum_tests;
        if (total_ % unit_ != 0 || !may_reach(limit)) return std::nullopt;
        excess_ = best_.front() - total_;
        measure_losses(limit);
        collect_losses(limit);
        std::optional<Walk> walk;
        const auto *losses = losses_of_.front();
        if (losses != nullptr && losses->has(excess_ / unit_)) walk = walk_losing(excess_, limit);
        losses_.clear(); // their memory is another search's
        return walk;
    }

    // The largest load of a point within the limit, and the least above it.
    std::pair<double, double> loads_about(double limit)
    {
        may_reach(limit);
        return {at_most_, next_};
    }

  private:
    static constexpr std::int64_t unreachable = -1;
    static constexpr auto any_total = std::numeric_limits<std::int64_t>::max();
    static constexpr std::int64_t bytes_of_node = 32;
    static constexpr double first_step = 1e-4; // above the bound, where it is not the optimum

    static double before(double value) { return std::nextafter(value, 0.0); }
    std::size_t last() const { return graph_.nodes() - 1; }
    bool takes_part(std::size_t node) const { return left_[node] >= 0 && best_[node] >= 0; }
    std::int64_t loss(std::size_t from, const WalkEdge &edge, std::int64_t size) const
    {
        return best_[from] - best_[edge.to] - size;
    }

    // Sets best_ and, of the loads of all points, the largest within the limit and the least above it.
    bool may_reach(double limit)
    {
        at_most_ = 0;
        next_ = std::numeric_limits<double>::infinity();
        best_.assign(graph_.nodes(), unreachable);
        best_[last()] = 0;
        for (auto node = last(); node-- > 0;) {
            std::int64_t edges = 0;
            graph_.for_each_edge(node, [&](const WalkEdge &edge) {
                ++edges;
                std::int64_t size = 0;
                if (edge.processor != WalkEdge::nobody) {
                    const auto fit = fitting_.fit(edge.processor, edge.before, edge.after, limit);
                    at_most_ = std::max(at_most_, fit.at_most);
                    next_ = std::min(next_, fit.next);
                    size = fit.largest;
                }
                if (size >= 0 && best_[edge.to] >= 0)
                    best_[node] = std::max(best_[node], std::min(largest_total_, saturating_add(size, best_[edge.to])));
            });
            pacer_.spend(work_of_edge * edges);
        }
        return best_.front() >= total_;
    }

    // Computes for each node the excess left after the least loss on the way to it.
    void measure_losses(double limit)
    {
        left_.assign(graph_.nodes(), unreachable);
        left_.front() = excess_;
        for (std::size_t node = 0; node < last(); ++node) {
            if (!takes_part(node)) continue;
            std::int64_t edges = 0;
            graph_.for_each_edge(node, [&](const WalkEdge &edge) {
                ++edges;
                if (best_[edge.to] < 0) return;
                const auto size = largest(edge, limit);
                if (size >= 0)
                    left_[edge.to] = std::max(left_[edge.to], saturating_add(left_[node], -loss(node, edge, size)));
            });
            pacer_.spend(work_of_edge * edges);
        }
    }

    std::int64_t largest(const WalkEdge &edge, double limit) const
    {
        if (edge.processor == WalkEdge::nobody) return 0;
        return fitting_.fit(edge.processor, edge.before, edge.after, limit).largest;
    }

    // Calls visit(size, loss) for each size of the edge that loses no more than `most`, until it returns false.
    template <typename Visit>
    void visit_sizes(std::size_t node, const WalkEdge &edge, std::int64_t most, double limit, const Visit &visit) const
    {
        if (edge.processor == WalkEdge::nobody) {
            const auto lost = loss(node, edge, 0);
            if (lost <= most) visit(0, lost);
            return;
        }
        const auto high = best_[node] - best_[edge.to];
        // Below the largest total nothing that fits is more.
        fitting_.visit_between(edge.processor, std::max<std::int64_t>(1, saturating_add(high, -most)),
                               best_[node] < largest_total_ ? high : total_, edge.before, edge.after, limit,
                               [&](std::int64_t size) { return visit(size, high - size); });
    }

    // Collects for each node that takes part the losses that may follow.
    void collect_losses(double limit)
    {
        losses_.clear();
        losses_of_.assign(graph_.nodes(), nullptr);
        auto bytes_left = memory_bytes_ - bytes_of_node * static_cast<std::int64_t>(graph_.nodes());
        const auto begin =
            bytes_of_bits() <= std::min(bytes_left, few_bytes) ? SumSet::Begin::as_bits : SumSet::Begin::as_list;
        for (auto node = graph_.nodes(); node-- > 0;) {
            if (!takes_part(node)) continue;
            const auto most = left_[node];
            auto &losses = losses_.emplace_back(most / unit_, begin, bytes_left);
            losses_of_[node] = &losses;
            ++counters_.states;
            if (node == last()) {
                losses.add_zero();
                continue;
            }
            graph_.for_each_edge(node, [&](const WalkEdge &edge) {
                const auto *next = losses_of_[edge.to];
                if (next == nullptr) return;
                visit_sizes(node, edge, most, limit, [&](std::int64_t, std::int64_t lost) {
                    losses.add_shifted(*next, lost / unit_, pacer_);
                    return true;
                });
                pacer_.spend(fitting_.most_points());
            });
            losses.settle(pacer_);
            bytes_left -= losses.bytes();
            if (bytes_left < 0) fail_memory(memory_bytes_);
        }
    }

    // Memory if all nodes that take part kept their losses as rows of bits.
    std::int64_t bytes_of_bits() const
    {
        std::int64_t bytes = 0;
        for (std::size_t node = 0; node < graph_.nodes(); ++node)
            if (takes_part(node)) bytes = saturating_add(bytes, SumSet::bytes_of_bits(left_[node] / unit_));
        return bytes;
    }

    Walk walk_losing(std::int64_t rest, double limit)
    {
        Walk walk;
        for (std::size_t node = 0; node < last();) {
            bool gone = false;
            std::size_t to = node;
            graph_.for_each_edge(node, [&](const WalkEdge &edge) {
                if (gone || losses_of_[edge.to] == nullptr) return;
                pacer_.spend(fitting_.most_points());
                visit_sizes(node, edge, rest, limit, [&](std::int64_t size, std::int64_t lost) {
                    const auto next = checked_add(rest, -lost);
                    if (!next || !losses_of_[edge.to]->has(*next / unit_)) return true;
                    gone = true;
                    to = edge.to;
                    rest = *next;
                    if (edge.processor != WalkEdge::nobody) give(walk, edge, size);
                    return false;
                });
            });
            if (!gone) fail(Status::internal, "a walk of the sizes found ends before its last processor");
            node = to;
        }
        return walk;
    }

    void give(Walk &walk, const WalkEdge &edge, std::int64_t size) const
    {
        walk.given.emplace_back(edge.processor, size);
        walk.longest = std::max(walk.longest, load(fitting_.seconds(edge.processor, size), edge.before, edge.after));
    }

    static constexpr std::int64_t work_of_edge = 8;
    static constexpr std::int64_t few_bytes = 1 << 26; // of bits that are used at once

    const Graph &graph_;
    Pacer pacer_;
    const FittingSizes &fitting_;
    std::int64_t total_;
    std::int64_t memory_bytes_;
    SearchCounters &counters_;
    std::int64_t unit_ = 0;
    std::int64_t largest_total_ = 0;
    double at_most_ = 0;
    double next_ = 0;
    std::int64_t excess_ = 0;
    std::vector<std::int64_t> best_; // the largest total from a node on
    std::vector<std::int64_t> left_; // what may be lost from a node on
    std::deque<SumSet> losses_;
    std::vector<const SumSet *> losses_of_; // by node
};

} // namespace hpart
