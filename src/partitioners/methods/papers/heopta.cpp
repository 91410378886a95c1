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
#include "partitioners/methods/papers/papers.hpp"
#include "partitioners/methods/papers/tree_walk.hpp"

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

} // namespace hpart
