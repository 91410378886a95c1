// The method `exact` of each problem, and the bounds.
#pragma once

#include "core/progress.hpp"
#include "partitioners/problem/prepared.hpp"
#include "partitioners/problem/problem.hpp"
#include "partitioners/search/break_solution.hpp"
#include "partitioners/search/cost_functions.hpp"
#include "partitioners/search/least_sum.hpp"
#include "partitioners/search/resource_search.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace hpart
{

Solution least_time(const PartitionProblem &problem, Control &control);
// Among the distributions within the rules' uses; the preferred one of them.
Solution least_energy(const PartitionProblem &problem, Control &control);
Solution least_total_energy(const PartitionProblem &problem, Control &control);

// HEPOPT: the Pareto front of time and dynamic energy, in increasing time; empty when there is no distribution.
// Throws Status::limit.
std::vector<FrontPoint> exact_front(const PartitionProblem &problem, Control &control);

// Several packages a processor, one after another: least makespan. Throws Status::limit.
PackageSchedule exact_schedule(const ScheduleProblem &problem, Control &control);

// A lower bound of the objective, in one pass.
double objective_bound(const PartitionProblem &problem);
// A lower bound for the report of a method that adds energies in double and found x: the value of x if such sums are exact, else the
// exact optimum's.
double bound_for_double_energies(const std::vector<std::int64_t> &x, const PartitionProblem &problem, Control &control);
// The bound after a limit: 0 where the pass itself would overrun it.
double bound_at_limit(const PartitionProblem &problem);

// The least time at which the sizes that are fast enough could sum to `size` or more; infinity when they never do. No
// distribution is faster.
double time_bound(const Prepared &prepared, std::int64_t size);

// Least time of the distributions within the rules' uses and energy; the preferred one of them.
Solution least_time_within_rules(const PartitionProblem &problem, Control &control);

// All totals up to a limit as options without costs, one class a processor. Throws Status::limit.
Choices schedule_choices(const Instance &instance, std::int64_t limit, Control &control);

// The points of an exact dynamic front, in increasing time, that are not dominated once their energies are rounded: the dynamic energy,
// or base power x time + dynamic energy.
std::vector<FrontPoint> rounded_front(std::vector<FrontPoint> front, const Instance &instance,
                                      std::optional<double> base_power);

// The dynamic energies for which power x seconds + energy, rounded, is within the total.
CostLimit energy_within_total(double power, double seconds, double total);

// At most `count` (>= 2) points of a front in increasing time: its two ends, then again and again the point farthest from all chosen,
// by the Euclidean distance when time and energy of the whole front each span 1; of equally far ones the faster.
std::vector<FrontPoint> spread_points(std::vector<FrontPoint> front, std::int64_t count);

// The fewest points of a front in increasing time such that every point (t, e) of it has a kept one (t', e') with t' <= (1 + eps) t and
// e' <= (1 + eps) e; and the two ends.
std::vector<FrontPoint> cover_points(std::vector<FrontPoint> front, double eps);

// Pareto points of the dynamic front of energies <= budget, with both ends, such that every such point is covered in the same sense, without
// the whole front; empty when there is no distribution, the one of least energy when the budget is below it. Throws Status::limit.
std::vector<FrontPoint> covering_front(const PartitionProblem &problem, double eps, double budget, Control &control);

// These are for processors that exchange messages and nodes that can be switched off (exact/communication).

// Method `exact` for energy and total energy where arranges() is true.
Solution least_arranged_energy(const PartitionProblem &problem, Control &control);

// The front of time and energy, or total energy; the energies are rounded. Empty if there is no distribution. Throws Status::limit.
std::vector<FrontPoint> arranged_front(const PartitionProblem &problem, Control &control);

// Method `exact` under the patterns chain, any_chain and summa of problem.communication.
Solution least_coupled_time(const PartitionProblem &problem, Control &control);

// Least dynamic energy under a bound on the time: the step from one Pareto point to the next.

// The energies of the points that are fast enough.
class EnergiesWithin
{
  public:
    explicit EnergiesWithin(const Prepared &prepared) : prepared_(prepared), instance_(prepared.instance()) {}

    // The functions of the points of time <= longest, until the next call. A bound below the last one costs the points between
    // them; a bound above it costs a pass over all points.
    const CostFunctions &within(double longest);
    // The multiplier that the next sums will have, nearly.
    void expect(double multiplier);

  private:
    void begin_anew(double longest);
    void remove_between(double longest);
    std::vector<CostPoints> points() const;

    const Prepared &prepared_;
    const Instance &instance_;
    AlignedVector<double> joules_;           // of all points; infinite where too slow
    std::optional<CostFunctions> functions_; // once a bound has left something out
    double tilt_ = 0;
    double longest_ = std::numeric_limits<double>::infinity();
    std::vector<PointPlace> going_;        // points that become too slow
    std::vector<std::size_t> of_function_; // points of one function that go
};

// The bounds on the time to come.
enum class TimeBounds : std::uint8_t {
    some,   // any: the prepared functions serve
    falling // each a little below the one before it, as along a front: functions of their own follow them
};

class EnergyWithin
{
  public:
    EnergyWithin(const Prepared &prepared, std::int64_t size, const Rules &rules, Control &control,
                 TimeBounds bounds = TimeBounds::some)
        : prepared_(prepared), instance_(prepared.instance()), energies_(prepared), size_(size), rules_(rules),
          control_(control), bounds_(bounds)
    {
    }

    // A distribution of least energy within the rules' uses, of time <= longest and energy <= cap; nothing if there is none.
    // Throws Status::limit; `incumbent` then has a distribution if one is known.
    std::optional<FrontPoint> least_energy(double longest, double cap = std::numeric_limits<double>::infinity(),
                                           const RelaxedSum *relaxed = nullptr);
    // The relaxation over the points of a time <= longest, at a multiplier.
    RelaxedSum relaxed(double longest, double multiplier) const;
    // One of an energy within the limit, of least use of the resource that the rules prefer.
    std::optional<FrontPoint> preferred(double longest, const CostLimit &limit);

    // That of the relaxation that was solved last, or one to begin with.
    double multiplier() const { return multiplier_.value_or(prepared_.energies().tilt()); }
    const std::vector<std::int64_t> &incumbent() const { return incumbent_; }
    double incumbent_bound() const { return incumbent_bound_; } // no distribution has less energy
    // True if every other distribution than the one found last costs more, but for exchanges among identical processors: proved.
    bool is_only() const { return is_only_; }

  private:
    Choices choices_of(double longest) const;
    SumOverFunctions sum_within(double longest);
    std::optional<LeastSum> least_of_alike(double longest) const;
    std::optional<FrontPoint> given(LeastSum least);

    const Prepared &prepared_;
    const Instance &instance_;
    EnergiesWithin energies_;
    std::int64_t size_;
    const Rules &rules_;
    Control &control_;
    TimeBounds bounds_;
    double expected_gap_ = 0;
    std::optional<double> multiplier_;
    std::vector<std::int64_t> incumbent_;
    double incumbent_bound_ = 0;
    bool is_only_ = false;
};

} // namespace hpart
