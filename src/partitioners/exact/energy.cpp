// HEOPT: x with sum x_i = n that minimises sum e_i(x_i); with rules, among those with at most q active processors, at most w work moved,
// or no processor idle. Method `exact`.
//
// This is a least sum over the processors' points; the proofs stand with it (search/). A preference, such as the fewest active
// processors, decides among the distributions whose rounded sum is the least one, if there may be several.
// Source: design of hpart; the problem is HEOPT of Khaleghzadeh's thesis.

#include "core/error.hpp"
#include "core/numbers.hpp"
#include "partitioners/exact/exact.hpp"
#include "partitioners/exact/sum_within_time.hpp"
#include "partitioners/exact/time.hpp"
#include "partitioners/exact/time_levels.hpp"
#include "partitioners/search/least_sum.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <span>

namespace hpart
{

namespace
{
constexpr double widest_tilt = 0.05; // relative: blocks are passed over again when multipliers have gone farther
constexpr std::size_t many = 16;     // a part of all points that is not worth taking out one by one
// Starts a little above a neighbour's gap.
constexpr double gap_margin = 1.5;
constexpr double gap_decay = 0.9;
} // namespace

const CostFunctions &EnergiesWithin::within(double longest)
{
    if (longest >= prepared_.extremes().longest_seconds) return prepared_.energies();
    if (!functions_ || longest > longest_)
        begin_anew(longest);
    else if (longest < longest_)
        remove_between(longest);
    longest_ = longest;
    return *functions_;
}

void EnergiesWithin::expect(double multiplier)
{
    if (std::abs(multiplier - tilt_) <= widest_tilt * std::abs(multiplier)) return;
    tilt_ = multiplier;
    if (functions_) functions_->set_tilt(tilt_);
}

std::vector<CostPoints> EnergiesWithin::points() const
{
    std::vector<CostPoints> out;
    out.reserve(instance_.functions());
    for (std::size_t f = 0; f < instance_.functions(); ++f) {
        const auto &function = instance_.of_function[f];
        out.push_back(
            {function.sizes, std::span(joules_).subspan(instance_.first[f], function.count()), function.steps});
    }
    return out;
}

void EnergiesWithin::begin_anew(double longest)
{
    joules_.resize(instance_.points());
    functions_.emplace(prepared_.energies(), points());
    if (tilt_ == 0) tilt_ = functions_->tilt();
    const bool tilts = tilt_ != functions_->tilt(); // all blocks are then made again
    for (std::size_t f = 0; f < instance_.functions(); ++f) {
        const auto seconds = instance_.of_function[f].seconds;
        const auto own = instance_.of_function[f].joules;
        auto *joules = joules_.data() + instance_.first[f];
        of_function_.resize(seconds.size());
        std::size_t count = 0;
        constexpr std::array more = {0.0, infinity};
        for (std::size_t k = 0; k < seconds.size(); ++k) { // without branches, which nobody could predict
            const bool is_slow = seconds[k] > longest;
            of_function_[count] = k;
            count += is_slow ? 1 : 0;
            joules[k] = own[k] + more[is_slow ? 1 : 0];
        }
        if (tilts)
            functions_->update_hull(f);
        else
            functions_->update(f, std::span(of_function_).first(count));
    }
    if (tilts) functions_->set_tilt(tilt_);
}

// The points of time above `longest` that are still there.
void EnergiesWithin::remove_between(double longest)
{
    const auto &order = prepared_.slowest_first();
    const auto is_above = [&](double bound) {
        return [this, bound](const PointPlace &place) { return instance_.seconds_at(place) > bound; };
    };
    const auto begin = std::partition_point(order.begin(), order.end(), is_above(longest_));
    const auto end = std::find_if_not(begin, order.end(), is_above(longest));
    for (auto place = begin; place != end; ++place) joules_[instance_.first[place->function] + place->index] = infinity;
    if (static_cast<std::size_t>(end - begin) > joules_.size() / many) {
        functions_.emplace(points(), prepared_.simd_level(), tilt_);
        return;
    }
    going_.assign(begin, end);
    std::sort(going_.begin(), going_.end());
    for (std::size_t k = 0; k < going_.size();) {
        const auto f = going_[k].function;
        of_function_.clear();
        for (; k < going_.size() && going_[k].function == f; ++k) of_function_.push_back(going_[k].index);
        functions_->update(f, of_function_);
    }
}

Choices EnergyWithin::choices_of(double longest) const
{
    return choices_within(instance_, size_, longest, rules_.previous, ChoiceCost::joules);
}

SumOverFunctions EnergyWithin::sum_within(double longest)
{
    if (bounds_ == TimeBounds::falling) return {energies_.within(longest), instance_.function_of, size_};
    SumOverFunctions sum{prepared_.energies(), instance_.function_of, size_};
    if (longest >= prepared_.extremes().longest_seconds) return sum;
    sum.times = &prepared_.point_times();
    sum.longest = longest;
    return sum;
}

// Serves processors of one function, unless another method must decide (alike_sum.cpp). If at most q of them may be active, the
// problem has q processors: the others idle.
std::optional<LeastSum> EnergyWithin::least_of_alike(double longest) const
{
    const auto processors = static_cast<std::int64_t>(instance_.processors());
    const auto copies = std::min(processors, rules_.most[0]);
    if (rules_.most[1] != unbounded || instance_.functions() != 1) return std::nullopt;
    const auto &function = instance_.of_function.front();
    if (function.count() == 0 || (copies < processors && (copies < 1 || !function.may_idle()))) return std::nullopt;
    std::vector<std::int64_t> sizes;
    std::vector<double> joules;
    sizes.reserve(function.count());
    joules.reserve(function.count());
    for (std::size_t k = 0; k < function.count() && function.sizes[k] <= size_; ++k) {
        if (function.seconds[k] > longest) continue;
        sizes.push_back(function.sizes[k]);
        joules.push_back(function.joules[k]);
    }
    if (sizes.empty()) return LeastSum{};
    auto least = least_sum_of_alike({sizes, joules, copies, size_}, control_);
    if (least && !least->sizes.empty()) least->sizes.resize(instance_.processors());
    return least;
}

std::optional<FrontPoint> EnergyWithin::least_energy(double longest, double cap, const RelaxedSum *relaxed)
{
    if (auto alike = least_of_alike(longest)) {
        if (alike->outcome == Outcome::found && alike->cost > cap) return std::nullopt;
        return given(std::move(*alike));
    }
    if (rules_.bound_uses()) {
        const auto choices = choices_of(longest);
        return given(least_sum_within(choices, uses_of(choices, rules_.previous), size_,
                                      {Prefer::least_cost, {cap}, rules_.most}, control_));
    }
    SumQuery query;
    query.cap = cap;
    query.expected_gap = gap_margin * expected_gap_;
    query.near_multiplier = multiplier_;
    if (relaxed != nullptr) query.base = relaxed->base();
    return given(least_sum(sum_within(longest), query, control_));
}

RelaxedSum EnergyWithin::relaxed(double longest, double multiplier) const
{
    return {{prepared_.energies(), instance_.function_of, size_, &prepared_.point_times(), longest}, multiplier};
}

std::optional<FrontPoint> EnergyWithin::preferred(double longest, const CostLimit &limit)
{
    const auto choices = choices_of(longest);
    return given(least_sum_within(choices, uses_of(choices, rules_.previous), size_,
                                  {rules_.prefer, limit, rules_.most}, control_));
}

std::optional<FrontPoint> EnergyWithin::given(LeastSum least)
{
    if (least.outcome == Outcome::limit) {
        incumbent_ = std::move(least.sizes);
        incumbent_bound_ = least.lower_bound;
        fail(Status::limit,
             "the time or memory limit was reached before the least energy under a time bound was proved");
    }
    if (least.outcome == Outcome::none) return std::nullopt;
    is_only_ = least.is_only;
    expected_gap_ = std::max(least.gap, gap_decay * expected_gap_);
    if (least.multiplier) {
        multiplier_ = least.multiplier;
        energies_.expect(*multiplier_);
    }
    if (least.points.empty()) {
        const auto cost = cost_of(instance_, least.sizes);
        return FrontPoint{cost.seconds, cost.joules(), std::move(least.sizes)};
    }
    double seconds = 0;
    for (std::size_t i = 0; i < least.points.size(); ++i)
        seconds = std::max(seconds, instance_.of(i).seconds[least.points[i]]);
    return FrontPoint{seconds, least.cost, std::move(least.sizes)};
}

Solution least_energy(const PartitionProblem &problem, Control &control)
{
    EnergyWithin solver(problem.prepared, problem.size, problem.rules, control);
    Solution solution;
    solution.outcome = outcome_of([&] {
        auto least = solver.least_energy(problem.deadline);
        if (!least) return false;
        solution.lower_bound = least->joules;
        solution.x = std::move(least->x);
        // An exchange among identical processors may move less work, but has as many active ones.
        const bool is_preferred = problem.rules.prefer == Prefer::least_cost ||
                                  (problem.rules.prefer == Prefer::fewest_active && solver.is_only());
        if (!is_preferred)
            if (auto preferred = solver.preferred(problem.deadline, {least->joules, {}, least->joules}))
                solution.x = std::move(preferred->x);
        return true;
    });
    if (solution.outcome == Outcome::limit && solution.x.empty()) {
        solution.lower_bound = solver.incumbent_bound();
        solution.x = solver.incumbent();
    }
    return solution;
}

// Problem: of the distributions of n with times <= T, one with the fewest active processors. Exact.
//
// Bound: let M_i be the largest size of i within T, and q the least number of largest M_i whose sum is n or more. At least q processors
// are active. Most often these q attain it (of equal M_i the earlier functions): one of them takes less, or several do, which an exact
// test for sums decides.
// If q is not attained so, or some processor may not idle: least_sum with cost 1 for each active processor.
// Time: O(functions log functions) and a test for sums; the fallback takes least_sum.cpp's time. Source: design of hpart.

namespace
{

constexpr std::int64_t widest_goal = 1 << 16; // bits; beyond, the exact search does not take much longer

class FewestSearch
{
  public:
    FewestSearch(const Prepared &prepared, std::int64_t size, const TimeLevel &level, Control &control)
        : prepared_(prepared), instance_(prepared.instance()), size_(size), level_(level), control_(control)
    {
    }

    std::optional<std::vector<std::int64_t>> attain_bound()
    {
        for (const auto &function : instance_.of_function)
            if (!function.may_idle()) return std::nullopt;
        if (!choose_largest()) return std::nullopt;
        return attain();
    }

  private:
    std::int64_t copies(std::size_t f) const { return static_cast<std::int64_t>(prepared_.groups().copies(f)); }

    // The q processors: chosen_[f] of each function. False when their sum does not fit.
    bool choose_largest()
    {
        std::vector<std::size_t> order(instance_.functions());
        std::iota(order.begin(), order.end(), std::size_t{0});
        std::stable_sort(order.begin(), order.end(),
                         [&](auto a, auto b) { return level_.largest[a] > level_.largest[b]; });
        chosen_.assign(instance_.functions(), 0);
        auto missing = size_;
        for (const auto f : order) {
            if (missing <= 0) break;
            const auto largest = level_.largest[f];
            if (largest == 0) return false;
            chosen_[f] = std::min(copies(f), (missing - 1) / largest + 1);
            const auto taken = checked_mul(chosen_[f], largest);
            if (!taken) return false;
            missing -= *taken;
        }
        excess_ = -missing;
        return true;
    }

    // From their largest sizes: one of them takes less, or several do.
    Steps steps_down() const
    {
        if (excess_ == 0) return std::vector<TakenStep>{};
        for (std::size_t f = 0; f < chosen_.size(); ++f)
            if (chosen_[f] > 0 && is_within(instance_.of_function[f], level_.largest[f] - excess_, level_.seconds))
                return std::vector<TakenStep>{{f, excess_, 1}};
        if (excess_ > widest_goal) return std::nullopt;
        const Origin origin{level_.seconds, level_.largest, true, excess_};
        TimeSteps steps(prepared_, origin, 1);
        for (std::size_t f = 0; f < chosen_.size(); ++f) steps.leave_out(f, copies(f) - chosen_[f]);
        return find_steps_by_bits(steps, control_, prepared_.simd_level());
    }

    std::optional<std::vector<std::int64_t>> attain()
    {
        const auto taken = steps_down();
        if (!taken) return std::nullopt;
        const std::vector<std::int64_t> idle(instance_.functions(), 0);
        Assignment assignment(prepared_, idle);
        for (const auto &step : *taken) {
            assignment.change(step.owner, level_.largest[step.owner] - step.step, step.copies);
            chosen_[step.owner] -= step.copies;
        }
        for (std::size_t f = 0; f < chosen_.size(); ++f) assignment.change(f, level_.largest[f], chosen_[f]);
        return assignment.take();
    }

    const Prepared &prepared_;
    const Instance &instance_;
    std::int64_t size_;
    const TimeLevel &level_;
    Control &control_;
    std::vector<std::int64_t> chosen_;
    std::int64_t excess_ = 0;
};

} // namespace

std::vector<std::int64_t> fewest_within_time(const Prepared &prepared, std::int64_t size, const TimeLevel &level,
                                             Control &control)
{
    if (auto x = FewestSearch(prepared, size, level, control).attain_bound()) return std::move(*x);
    const auto &instance = prepared.instance();
    const auto choices = choices_where(
        instance, size,
        [&](const FunctionPoints &function, std::size_t k) { return function.seconds[k] <= level.seconds; },
        [](const FunctionPoints &function, std::size_t k, std::size_t) { return function.sizes[k] == 0 ? 0.0 : 1.0; });
    auto fewest = least_sum(choices, size, {}, control);
    if (fewest.outcome != Outcome::found)
        fail(Status::limit, "the fewest active processors were not determined within the limits");
    return std::move(fewest.sizes);
}

} // namespace hpart
