// HEPOPTA: all Pareto points of (max t_i(x_i), sum e_i(x_i)) over x with sum x_i = n, by branch and bound. Exact.
//
// Source: Khaleghzadeh's thesis (UCD, 2019), sections 5.2 and 5.3 and appendix D, Algorithms 5, 6 and 28-34. Time
// O(m^3 p^3 log(m p)) and memory O(n m p^2) as printed; here memory for the nodes visited, at most as many.
//
// HPOPTA finds the least time; epsilon is the energy of its distribution, above which no Pareto point lies. Each level of the tree gives a
// point to one processor, in non-decreasing order of energy, up to epsilon. Cut drops a node whose workload the processors from its
// level on cannot take with such points. A node has a Pareto set of its tails, merged from its children's: each child's tails with the
// point that leads to it. The set is saved in PMem when the node is done, and PMem answers for it from then on (ReadParetoMem). A tail tells
// its point, the tail of the child that it goes on with, and its number of active processors, the fewer of which decide between
// equal tails. BuildParetoSols reads the distributions from the root's set down.
//
// The last processor is at the root, where the thesis has the first: which processor a level belongs to is free in the algorithm, and in
// this order its sums are the sums in double from processor 0 on that the library minimises.
//
// Repairs of the printed defects: docs/background/papers.md.
// Done otherwise, with the same front: children are merged as they return, not from a list at the end; a child all of whose tails are
// dominated is passed over at once; tails above epsilon are not kept.
//
// Exact: a node dropped has tails above epsilon only, and HPOPTA's distribution is no slower than any. Sums in double do not fall
// as a term rises: of two tails the dominated one leads to no better point, for the sums as computed.

#include "core/error.hpp"
#include "core/numbers.hpp"
#include "partitioners/exact/exact.hpp"
#include "partitioners/methods/papers/papers.hpp"
#include "partitioners/methods/papers/tree.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

namespace hpart
{

namespace
{

// A tail, from a node's level on, as a linked list.
struct TailLink {
    std::uint32_t choice; // the point on the node's level
    std::uint32_t active; // processors at work
    std::uint32_t next;   // the child's tail
};

// Tails that do not dominate each other, in increasing energy and decreasing time. As a cell of PMem: none saved.
struct ParetoSet {
    const double *joules = nullptr;
    const double *seconds = nullptr;
    const TailLink *links = nullptr;
    std::size_t count = 0;
    double least_joules = infinity;
    double least_seconds = infinity;
};

// The saved values, one after another in blocks.
template <typename Value> class BlockStore
{
  public:
    explicit BlockStore(MemoryBudget &budget) : budget_(budget) {}

    const Value *save(const std::vector<Value> &values)
    {
        if (values.size() > free_) {
            free_ = std::max(block_size, values.size());
            budget_.take(free_ * sizeof(Value));
            blocks_.push_back(std::make_unique_for_overwrite<Value[]>(free_));
            next_ = blocks_.back().get();
        }
        const auto *first = next_;
        next_ = std::copy(values.begin(), values.end(), next_);
        free_ -= values.size();
        return first;
    }

  private:
    static constexpr std::size_t block_size = 1 << 13;
    MemoryBudget &budget_;
    std::vector<std::unique_ptr<Value[]>> blocks_;
    Value *next_ = nullptr;
    std::size_t free_ = 0; // in the last block
};

// MergePartialParetoes (Algorithm 33): what one node's children bring.
class MergedSet
{
  public:
    void clear()
    {
        joules_.clear();
        seconds_.clear();
        links_.clear();
    }

    // The child's tails with the point that leads to it, up to the energy `most`.
    void merge(const ParetoSet &child, const TreePoint &point, std::uint32_t choice, double most)
    {
        const auto least_joules = child.least_joules + point.key;
        if (least_joules > most) return;
        auto at = static_cast<std::size_t>(std::lower_bound(joules_.begin(), joules_.end(), least_joules) -
                                           joules_.begin()); // the first of that energy or more
        if (at > 0 && seconds_[at - 1] <= std::max(child.least_seconds, point.seconds)) return;
        for (std::size_t k = 0; k < child.count; ++k) {
            const auto joules = child.joules[k] + point.key;
            if (joules > most) return;
            while (at < joules_.size() && joules_[at] < joules) ++at;
            if (at == 0 || seconds_[at - 1] > std::max(child.seconds[k], point.seconds)) {
                const TailLink link{choice, child.links[k].active + (point.size > 0 ? 1U : 0U),
                                    static_cast<std::uint32_t>(k)};
                insert(at, joules, std::max(child.seconds[k], point.seconds), link);
                // The child's further tails would take the same time and more energy.
                if (child.seconds[k] <= point.seconds) return;
            } else {
                // Dominated, as are the further tails that are no faster.
                const auto seconds = seconds_[at - 1];
                if (point.seconds >= seconds) return;
                while (k + 1 < child.count && child.seconds[k + 1] >= seconds) ++k;
            }
        }
    }

    ParetoSet as_set() const
    {
        if (joules_.empty()) return {};
        return {joules_.data(), seconds_.data(), links_.data(), joules_.size(), joules_.front(), seconds_.back()};
    }

    ParetoSet save(BlockStore<double> &costs, BlockStore<TailLink> &links) const
    {
        auto set = as_set();
        set.joules = costs.save(joules_);
        set.seconds = costs.save(seconds_);
        set.links = links.save(links_);
        return set;
    }

  private:
    // A tail that none before `at`, the first of its energy or more, dominates.
    void insert(std::size_t at, double joules, double seconds, TailLink link)
    {
        if (at < joules_.size() && joules_[at] == joules) {
            if (seconds_[at] < seconds) return;
            if (seconds_[at] == seconds) {
                if (link.active < links_[at].active) links_[at] = link;
                return;
            }
        }
        auto end = at; // of those that it dominates
        while (end < seconds_.size() && seconds_[end] >= seconds) ++end;
        replace(joules_, at, end, joules);
        replace(seconds_, at, end, seconds);
        replace(links_, at, end, link);
    }

    template <typename Value> static void replace(std::vector<Value> &values, std::size_t at, std::size_t end, Value by)
    {
        const auto place = values.begin() + static_cast<std::ptrdiff_t>(at);
        if (at == end) {
            values.insert(place, by);
            return;
        }
        *place = by;
        values.erase(place + 1, values.begin() + static_cast<std::ptrdiff_t>(end));
    }

    std::vector<double> joules_;
    std::vector<double> seconds_;
    std::vector<TailLink> links_;
};

class HepoptaSearch : TreeWalk<HepoptaSearch, ParetoSet>
{
    friend TreeWalk;

  public:
    HepoptaSearch(const Tree &tree, std::int64_t size, double epsilon, Control &control)
        : TreeWalk(tree, size, control, "HEPOPTA: searching the tree"), epsilon_(epsilon), costs_(budget_),
          links_(budget_), sets_(tree.levels())
    {
        thresholds_.lower_to(std::nextafter(epsilon, infinity));
    }

    // In increasing time.
    std::vector<FrontPoint> run()
    {
        walk();
        std::vector<FrontPoint> front;
        const auto set = sets_[0].as_set();
        for (auto k = set.count; k-- > 0;)
            front.push_back({set.seconds[k], set.joules[k], distribution_of(set.links[k])});
        return front;
    }

  private:
    // ReadParetoMem (Algorithm 31): PMem has nodes that are done only.
    bool read_memory(std::size_t level, std::int64_t /*workload*/, const ParetoSet &set)
    {
        ++counters_.recalled;
        merge(level - 1, set);
        return false;
    }

    void finalise(std::size_t level, std::int64_t workload)
    {
        const auto set = sets_[level].save(costs_, links_);
        sets_[level].clear();
        memory_.at(level, workload) = set;
        merge(level - 1, set);
    }

    void merge(std::size_t level, const ParetoSet &child)
    {
        sets_[level].merge(child, *path_[level].point, choice(level), epsilon_);
    }

    // A child with one tail, that point and nothing after it. An idle one counts as a node too.
    void complete(std::size_t level, const TreePoint &point)
    {
        if (point.size == 0) ++counters_.nodes;
        const TailLink link{0, point.size > 0 ? 1U : 0U, 0};
        merge(level - 1, {&point.key, &point.seconds, &link, 1, point.key, point.seconds});
    }

    // BuildParetoSols (Algorithm 34), of one of the root's tails.
    std::vector<std::int64_t> distribution_of(TailLink link)
    {
        built_ = link;
        recall(0, size_);
        keep_path();
        return best_;
    }

    std::uint32_t saved_choice(std::size_t level, std::int64_t workload)
    {
        if (level > 0) built_ = memory_.known(level, workload).links[built_.next];
        return built_.choice;
    }

    double epsilon_;
    BlockStore<double> costs_;
    BlockStore<TailLink> links_;
    std::vector<MergedSet> sets_; // of each node on the path
    TailLink built_{};            // of the solution that is built: its tail so far
};

} // namespace

std::vector<FrontPoint> search_front(const Instance &instance, std::int64_t size, Control &control,
                                     std::vector<std::int64_t> &fastest)
{
    const Tree by_time(instance, instance.processors(), TreeKey::seconds, LevelOrder::first_processor_at_root);
    auto first = search_fastest(by_time, size, control);
    fastest = std::move(first.x);
    if (first.outcome == Outcome::none) return {};
    if (first.outcome == Outcome::limit)
        fail(Status::limit, "the time or memory limit was reached before the least time was proved");
    const auto cost = cost_of(instance, fastest);
    if (instance.processors() == 1) return {{cost.seconds, cost.joules(), fastest}};
    const Tree tree(instance, instance.processors(), TreeKey::joules, LevelOrder::last_processor_at_root);
    // The search adds energies in double, in its own order.
    const auto rounding = static_cast<double>(instance.processors()) * std::numeric_limits<double>::epsilon();
    return HepoptaSearch(tree, size, cost.joules() * (1 + rounding), control).run();
}

std::vector<FrontPoint> hepopta(const PartitionProblem &problem, Control &control)
{
    std::vector<std::int64_t> fastest;
    return search_front(problem.instance, problem.size, control, fastest);
}

// HTPOPTA: the Pareto points of (max t_i(x_i), total energy), total energy being base power x time + sum e_i(x_i). Exact.
//
// Source: Khaleghzadeh's thesis (UCD, 2019), sections 5.4 and 5.5 and appendix E, Algorithm 7. Time and memory are HEPOPTA's.
//
// The front is a part of HEPOPTA's (Proposition E.2.1): its points with their total energies, without the dominated ones. That filter is
// what every front of total energy ends with (exact/front.cpp). As a partition by total energy the method gives the front's point of
// least total energy, which is the least of all (Proposition E.2.2), the fastest if there are several.
//
// Exact: the product and the sum in double do not fall as time or energy rise, so a point dominated in time and dynamic energy is
// never better in time and total energy, as computed.

Solution htpopta(const PartitionProblem &problem, Control &control)
{
    Solution solution;
    try {
        auto front = rounded_front(search_front(problem.instance, problem.size, control, solution.x), problem.instance,
                                   problem.platform.base_power());
        if (front.empty()) return solution;
        if (problem.ties == Ties::fewest) return least_total_energy(problem, control);
        solution.outcome = Outcome::found;
        solution.x = std::move(front.back().x); // energies fall as times rise
        solution.lower_bound = bound_for_double_energies(solution.x, problem, control);
    } catch (const Error &error) {
        if (error.status() != Status::limit) throw;
        solution.outcome = Outcome::limit;
        solution.lower_bound = objective_bound(problem);
    }
    return solution;
}

} // namespace hpart
