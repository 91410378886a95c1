// HPOPT: x with sum x_i = n that minimises max t_i(x_i). Method `exact`.
//
// Bound: the least T at which the largest sizes of a time <= T sum to n or more (time_levels.cpp), raised to the least at which the
// common divisor of the sizes within T does not forbid n.
// Test F(T): is n a sum of one size of each processor with t <= T? Exact (sum_within_time.cpp), and monotone in T.
// The optimum is the least time T of a point with F(T): the bound most often; else by galloping from it and bisection over the
// distinct times between the last time without and the first with a distribution. Times are only compared and sums are integers: there is
// no tolerance.
// x is the distribution that the last successful test finds: a function of the instance alone. ties=fewest: energy.cpp.
// Time: O(functions log m) bounds and, on most realistic functions, one test of the same cost. Memory: O(p), and the tests' bit sets.
// Source: design of hpart; the problem is HPOPT of Khaleghzadeh's thesis.

#include "partitioners/exact/time.hpp"

#include "core/numbers.hpp"
#include "partitioners/exact/exact.hpp"
#include "partitioners/exact/sum_within_time.hpp"
#include "partitioners/exact/time_levels.hpp"
#include "partitioners/search/cost_functions.hpp"
#include "partitioners/search/least_sum.hpp"

#include <algorithm>
#include <limits>
#include <optional>

namespace hpart
{

Assignment::Assignment(const Prepared &prepared, const std::vector<std::int64_t> &sizes)
    : groups_(prepared.groups()), next_(sizes.size(), 0)
{
    const auto &function_of = prepared.instance().function_of;
    if (sizes.size() == 1) {
        x_.assign(function_of.size(), sizes.front());
        return;
    }
    x_.reserve(function_of.size());
    for (const auto f : function_of) x_.push_back(sizes[f]);
}

void Assignment::change(std::size_t f, std::int64_t change, std::int64_t copies)
{
    const auto processors = groups_.of(f);
    for (; copies > 0; --copies) x_[processors[next_[f]++]] += change;
}

TimeSteps::TimeSteps(const Prepared &prepared, const Origin &origin, std::int64_t divisor)
    : prepared_(prepared), instance_(prepared.instance()), origin_(origin), divisor_(divisor),
      goal_(origin.goal / divisor), used_(instance_.functions(), 0)
{
}

std::int64_t TimeSteps::copies(std::size_t f) const
{
    return static_cast<std::int64_t>(prepared_.groups().copies(f)) - used_[f];
}

std::span<const std::int64_t> TimeSteps::steps_of(std::size_t f) const
{
    steps_.clear();
    const auto size = origin_.sizes[f];
    const auto &function = instance_.of_function[f];
    const auto from = function.find(size);
    if (origin_.downwards) {
        for (auto k = from; k > 0; --k)
            if (!add(function.seconds[k - 1], size - function.sizes[k - 1])) break;
    } else {
        for (auto k = from + 1; k < function.count(); ++k)
            if (!add(function.seconds[k], function.sizes[k] - size)) break;
    }
    return steps_;
}

// A point of that time. False when it and all farther ones are beyond the goal.
bool TimeSteps::add(double seconds, std::int64_t distance) const
{
    if (distance > goal_ * divisor_) return false;
    if (seconds <= origin_.seconds) steps_.push_back(divisor_ == 1 ? distance : distance / divisor_);
    return true;
}

void TimeSteps::take(std::size_t f, std::int64_t step, std::int64_t copies)
{
    goal_ -= copies * step;
    used_[f] += copies;
    taken_.push_back({f, step, copies});
}

std::vector<std::int64_t> TimeSteps::sizes_after(const std::vector<TakenStep> &taken) const
{
    Assignment assignment(prepared_, origin_.sizes);
    const auto unit = origin_.downwards ? -divisor_ : divisor_;
    for (const auto &steps : {taken_, taken})
        for (const auto &step : steps) assignment.change(step.owner, unit * step.step, step.copies);
    return assignment.take();
}

namespace
{

constexpr double first_gallop = 1e-4; // of the time
constexpr double gallop_growth = 3;
constexpr double first_quick_gallop = 1e-2; // when a limit was met
constexpr double quick_gallop_growth = 10;
constexpr double most_quick_seconds = 0.04;

class TimeSearch
{
  public:
    TimeSearch(const PartitionProblem &problem, Control &control)
        : prepared_(problem.prepared), instance_(problem.instance), size_(problem.size), control_(control),
          levels_(prepared_, size_), sums_(prepared_, size_, control)
    {
    }

    Solution run(Ties ties)
    {
        Solution solution;
        const auto level = levels_.least();
        if (!level) return solution;
        bound_ = level->seconds;
        solution.outcome = outcome_of([&] {
            if (!search_from(*level)) return false;
            bound_ = best_time_;
            if (ties == Ties::fewest) best_ = fewest_within_time(prepared_, size_, levels_.at(best_time_), control_);
            return true;
        });
        if (solution.outcome == Outcome::none) return solution;
        if (best_.empty()) search_quickly();
        solution.lower_bound = bound_;
        solution.x = std::move(best_);
        return solution;
    }

  private:
    bool take(SumWithinTime::Distribution x)
    {
        if (!x) return false;
        best_ = std::move(*x);
        best_time_ = cost_of(instance_, best_).seconds;
        return true;
    }

    // None is faster.
    bool take_at_bound(SumWithinTime::Distribution x)
    {
        if (!x) return false;
        best_ = std::move(*x);
        best_time_ = bound_;
        return true;
    }

    bool test(double seconds) { return take(sums_.test(levels_.at(seconds))); }

    bool search_from(const TimeLevel &level)
    {
        if (take_at_bound(sums_.test(level))) return true;
        const auto raised = sums_.least_time_by_divisor(levels_, level);
        if (!raised) return false;
        if (*raised > bound_) {
            bound_ = *raised;
            if (test(bound_)) return true;
        }
        return gallop() && bisect();
    }

    // From the bound, which is too short, to a time that is not; `bound_` is then the last that was. False when there is none.
    bool gallop()
    {
        auto step = first_gallop;
        for (;;) {
            const auto next = next_time(bound_);
            if (next == infinity) return false;
            const auto trial = std::max(next, bound_ * (1 + step));
            if (test(trial)) return true;
            bound_ = trial;
            step *= gallop_growth;
        }
    }

    bool bisect()
    {
        std::vector<double> times;
        for (const auto &function : instance_.of_function)
            for (const auto t : function.seconds)
                if (bound_ < t && t < best_time_) times.push_back(t);
        std::sort(times.begin(), times.end());
        times.erase(std::unique(times.begin(), times.end()), times.end());
        std::size_t low = 0; // all before are too short
        for (auto high = times.size(); low < high;) {
            const auto middle = low + (high - low) / 2;
            if (test(times[middle])) {
                high = count_below(times, best_time_); // which may be less than had to be
            } else {
                low = middle + 1;
                bound_ = times[middle];
            }
        }
        return true;
    }

    double next_time(double after) const
    {
        auto next = infinity;
        for (const auto &function : instance_.of_function)
            for (const auto t : function.seconds) next = t > after && t < next ? t : next;
        return next;
    }

    // Any distribution, preferably fast, when the exact test is too hard.
    void search_quickly()
    {
        const auto begin = Clock::now();
        auto trial = bound_;
        auto step = first_quick_gallop;
        while (trial < infinity && !take(sums_.test_quickly(levels_.at(trial)))) {
            if (seconds_since(begin) > most_quick_seconds) return;
            trial = std::max(next_time(trial), trial * (1 + step));
            step *= quick_gallop_growth;
        }
    }

    const Prepared &prepared_;
    const Instance &instance_;
    std::int64_t size_;
    Control &control_;
    TimeLevels levels_;
    SumWithinTime sums_;
    double bound_ = 0; // no distribution is faster
    std::vector<std::int64_t> best_;
    double best_time_ = infinity;
};

} // namespace

Solution least_time(const PartitionProblem &problem, Control &control)
{
    return TimeSearch(problem, control).run(problem.ties);
}

double time_bound(const Prepared &prepared, std::int64_t size)
{
    const auto level = TimeLevels(prepared, size).least();
    if (!level) return std::numeric_limits<double>::infinity();
    return level->seconds;
}

double objective_bound(const PartitionProblem &problem)
{
    const auto &instance = problem.instance;
    const auto energy_bound = [&] {
        return least_sum_bound(choices_within(instance, problem.size, problem.deadline, {}, ChoiceCost::joules),
                               problem.size);
    };
    switch (problem.objective) {
    case Objective::time: return time_bound(problem.prepared, problem.size);
    case Objective::sum_time: // solved as energies
    case Objective::energy: return energy_bound();
    case Objective::total_energy: {
        const auto seconds = time_bound(problem.prepared, problem.size);
        if (seconds == std::numeric_limits<double>::infinity()) return seconds; // also without base power
        return Cost{seconds, ExactSum(energy_bound())}.total_energy(problem.platform.base_power());
    }
    }
    fail_objective(problem.objective);
}

double bound_for_double_energies(const std::vector<std::int64_t> &x, const PartitionProblem &problem, Control &control)
{
    const auto &instance = problem.instance;
    if (problem.objective == Objective::time || adds_exactly(instance.all_joules(), instance.processors()))
        return value_of(problem, cost_of(instance, x));
    const PartitionProblem plain{.platform = problem.platform,
                                 .prepared = problem.prepared,
                                 .objective = problem.objective,
                                 .size = problem.size,
                                 .options = problem.options,
                                 .deadline = problem.deadline};
    switch (problem.objective) {
    case Objective::time: break;
    case Objective::sum_time: // solved as energies
    case Objective::energy: return least_energy(plain, control).lower_bound;
    case Objective::total_energy: return least_total_energy(plain, control).lower_bound;
    }
    fail_objective(problem.objective);
}

double bound_at_limit(const PartitionProblem &problem)
{
    return problem.instance.is_quick() ? objective_bound(problem) : 0;
}

} // namespace hpart
