// Problem: of the choices whose sum of costs is within a limit, one of the least sum of uses of a resource; of these the least cost, and of
// equals the choice of core_program.hpp.
//
// Costs are whole numbers (whole_core.cpp). Let C be the largest sum within the limit, and x a choice of the least cost + b x use for a
// charge b >= 0. If cost(x) <= C and cost(x) + b > C, x is the answer: a choice of less use and a cost <= C would have a smaller
// charged sum. The first charge is above C - the least cost, so that x is the answer if it is within the limit. Else the next charges are
// the slopes between the last choice within the limit and the last one above it, whose charged sums are then equal: it ends when no
// other choice is better there.
// Nothing of it is a heuristic, but it may end without an answer: where uses of a whole step of that slope are between the two.
// Time: a dynamic program over the core for each charge, one most often. Source: design of hpart; Lagrangian relaxation of the limit.
#include "partitioners/search/least_sum.hpp"

#include "core/numbers.hpp"
#include "partitioners/search/core.hpp"
#include "partitioners/search/core_program.hpp"
#include "partitioners/search/whole_core.hpp"

#include <algorithm>
#include <cmath>

namespace hpart
{

namespace
{

constexpr int most_charges = 8;
constexpr double largest_sum = 0x1p53 - 1; // of whole numbers

class LeastUseSearch
{
  public:
    LeastUseSearch(const SumOverFunctions &sum, std::span<const std::int64_t> uses,
                   std::span<const std::size_t> first_use, const CostLimit &limit, Control &control)
        : sum_(sum), uses_(uses), first_use_(first_use), limit_(limit), control_(control)
    {
    }

    std::optional<LeastSum> run()
    {
        if (!collect()) return std::nullopt;
        auto above = solve(slack_);
        if (!above) return std::nullopt;
        if (is_answer(*above, slack_)) return taken(*above);
        if (above->is_within) return std::nullopt;
        auto within = solve(0);
        if (!within || !within->is_within) return std::nullopt;
        for (int k = 2; k < most_charges; ++k) {
            const auto saved = within->use - above->use;
            if (saved <= 0) return std::nullopt;
            if (saved == 1) return taken(*within); // what uses less is no better than `above`, and not within the limit
            const auto charge = std::floor((above->cost - within->cost) / saved);
            auto found = solve(charge);
            if (!found) return std::nullopt;
            if (is_answer(*found, charge)) return taken(*found);
            const auto charged = [&](const Found &choice) { return choice.cost + charge * choice.use; };
            if (charged(*found) == charged(*within) && is_answer(*within, charge)) return taken(*within);
            auto &side = found->is_within ? within : above;
            if (found->use == side->use) return std::nullopt;
            side = std::move(found);
        }
        return std::nullopt;
    }

  private:
    struct Found {
        std::vector<BasePoint> points;
        double cost;    // whole, of the core
        double use;     // of the core
        bool is_within; // the limit
    };

    // All points of the choices within the limit, as whole numbers.
    bool collect()
    {
        auto base = find_break_solution(sum_, std::nullopt);
        if (!base || base->is_only) return false;
        base_ = std::move(*base);
        double base_deficit = 0;
        collect_core(sum_, base_, 0, true, base_deficit);
        if (base_deficit == infinity) return false;
        const auto bound = reduced_bound_of(sum_, base_);
        const auto allowed = limit_.cap() - bound.value;
        const auto margin = core_margin(sum_.classes(), bound, std::max(0.0, allowed));
        if (!(allowed + 2 * margin >= 0 && allowed < infinity)) return false;
        const auto cap = std::max(0.0, allowed) + 6 * margin;
        core_ = collect_core(sum_, base_, cap, false, base_deficit);
        const auto slack = limit_.cap() - std::max(limit_.least * (1 - 2 * unit_roundoff), bound.value - 2 * margin);
        double most_use = 0;
        for (std::size_t c = 0; c < core_.owners.size(); ++c) {
            std::int64_t most = 0;
            for (const auto &point : core_.of(c)) most = std::max(most, use_of(c, point));
            most_use += static_cast<double>(most);
        }
        const auto spare = std::max(slack, 0.0) * (1 + 2 * unit_roundoff) * (most_use + 1);
        auto whole = whole_core(base_, core_, cap + spare);
        if (!whole) return false;
        slack_ = std::ceil(std::max(slack, 0.0) * whole->per_cost) + 2;
        whole_ = std::move(*whole);
        most_sum_ = whole_.cap + 3 * (most_use + 1);
        return most_sum_ < largest_sum;
    }

    std::int64_t use_of(std::size_t c, const CorePoint &point) const
    {
        return uses_[first_use_[sum_.function_of[core_.owners[c]]] + point.point];
    }

    // Least cost + charge x use. Nothing where dense layers do not serve.
    std::optional<Found> solve(double charge)
    {
        auto charged = whole_.core;
        auto cap = most_sum_;
        for (std::size_t c = core_.owners.size(); c-- > 0;) { // copies share a list
            const auto begin = core_.first[core_.list_of[c]];
            const auto points = core_.of(c);
            auto least = infinity;
            for (std::size_t k = 0; k < points.size(); ++k) {
                auto &value = charged.points[begin + k].reduced;
                value = whole_.core.points[begin + k].reduced + charge * static_cast<double>(use_of(c, points[k]));
                least = std::min(least, value);
            }
            for (std::size_t k = 0; k < points.size(); ++k) charged.points[begin + k].reduced -= least;
            cap -= least;
        }
        CoreProgram program({sum_, base_}, charged, cap, 0, CoreOrder::of_classes);
        if (!program.is_possible() || program.is_sparse() ||
            program.least_bytes() > static_cast<double>(control_.memory_limit()))
            return std::nullopt;
        auto answer = program.run(control_);
        if (!answer) return std::nullopt;
        const bool is_within = limit_.allows(cost_of(answer->points));
        Found found{std::move(answer->points), 0, 0, is_within};
        for (std::size_t c = 0; c < core_.owners.size(); ++c) {
            const auto point = found.points[core_.owners[c]].point;
            const auto points = core_.of(c);
            const auto at = std::find_if(points.begin(), points.end(), [&](const auto &p) { return p.point == point; });
            const auto k = static_cast<std::size_t>(at - points.begin());
            found.cost += whole_.core.points[core_.first[core_.list_of[c]] + k].reduced;
            found.use += static_cast<double>(use_of(c, *at));
        }
        return found;
    }

    static ExactSum cost_of(const std::vector<BasePoint> &points)
    {
        ExactSum cost;
        for (const auto &point : points) cost.add(point.cost);
        return cost;
    }

    // Properties of a choice of the least charged sum.
    bool is_answer(const Found &found, double charge) const
    {
        if (!found.is_within) return false;
        auto beyond = cost_of(found.points);
        beyond.add(charge / whole_.per_cost);
        return !limit_.allows(beyond);
    }

    static LeastSum taken(const Found &found)
    {
        LeastSum out;
        out.outcome = Outcome::found;
        for (const auto &point : found.points) out.sizes.push_back(point.size);
        out.cost = cost_of(found.points).rounded();
        out.lower_bound = out.cost;
        return out;
    }

    const SumOverFunctions &sum_;
    std::span<const std::int64_t> uses_;
    std::span<const std::size_t> first_use_;
    const CostLimit &limit_;
    Control &control_;
    BreakSolution base_;
    Core core_;
    WholeCore whole_;
    double slack_ = 0;    // above C - the least cost
    double most_sum_ = 0; // of charged sums that matter, but for the charges
};

} // namespace

std::optional<LeastSum> least_use_by_core(const Choices &choices, const std::vector<std::int64_t> &uses,
                                          std::int64_t target, const CostLimit &limit, Control &control)
{
    const CostFunctions functions(cost_points_of(choices), best_simd_level());
    const SumOverFunctions sum{functions, choices.function_of, target};
    return LeastUseSearch(sum, uses, choices.first, limit, control).run();
}

} // namespace hpart
