// Names the first bound (deadline, energy budget, active processors, work moved) that makes the call infeasible by itself, with its least
// sufficient value under the others, as far as that is known within a second; or all bounds, if only several together do. If the size
// is no sum at all, it names the nearest ones.
#include "partitioners/calls/partition.hpp"

#include "core/error.hpp"
#include "core/numbers.hpp"
#include "core/text.hpp"
#include "models/platform_file.hpp"
#include "partitioners/exact/exact.hpp"
#include "partitioners/search/choices.hpp"
#include "partitioners/search/least_sum.hpp"

#include <algorithm>
#include <array>
#include <bitset>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>
#include <vector>

namespace hpart
{

namespace
{

enum BoundKind : std::uint8_t { deadline, energy_budget, max_active, max_moved };
using Bounds = std::bitset<4>;
constexpr std::array bound_names{"the deadline", "the energy budget", "max_active", "max_moved"};

// With the budget of a front, which is its points' and not a rule of the call.
Rules rules_of(const Constraints &constraints)
{
    auto rules = constraints.rules;
    const auto &budget = constraints.front_budget;
    if (budget && budget->energy == FrontEnergy::dynamic) rules.most_joules = budget->joules;
    return rules;
}

Bounds bounds_of(const Constraints &constraints)
{
    const auto rules = rules_of(constraints);
    Bounds set;
    set[deadline] = constraints.deadline.has_value();
    set[energy_budget] = rules.most_joules != infinity;
    set[max_active] = rules.most[0] != unbounded;
    set[max_moved] = rules.most[1] != unbounded;
    return set;
}

// A bound that would suffice.
struct Least {
    double value;
    bool is_exact = true; // else the least is not below it
};

class BoundCheck
{
  public:
    BoundCheck(const Infeasible &call, Control &control)
        : call_(call), rules_(rules_of(call.constraints)), set_(bounds_of(call.constraints)), control_(control)
    {
    }

    // Returns if the size is no sum of sizes, even without bounds. Throws Status::limit.
    void run() const
    {
        for (const auto bound : {deadline, energy_budget, max_active, max_moved}) {
            if (!set_[bound]) continue;
            const auto others = Bounds(set_).reset(bound);
            if (const auto value = least(bound, others))
                fail_at(bound, *value, other_bounds_kept(others), is_of_total_energies() ? besides_the_budget : "");
        }
        if (set_.count() < 2 || !least(deadline, {})) return;
        fail(Status::infeasible, "no distribution of size ", call_.size, " keeps ", names_of(set_),
             " together; to relax one of them is not enough. Without the others each needs at least: ", alone());
    }

    // True if these points have a distribution of that size within the rules. Throws Status::limit.
    bool is_feasible(const Prepared &points, std::int64_t size) const
    {
        if (size == 0 && !rules_.all_work) return true;
        const auto &constraints = call_.constraints;
        if (!constraints.slowdown || !constraints.front_budget) return keeps_rules(points, size);
        const auto fastest = find(Objective::time, points, constraints.rules, size);
        if (fastest.outcome == Outcome::none) return false;
        return keeps_rules(Prepared(points_within(points.instance(), *constraints.slowdown * fastest.lower_bound),
                                    points.simd_level()),
                           size);
    }

  private:
    static constexpr const char *besides_the_budget = " without the energy budget";

    // "the deadline 3 s, max_active 2": the least value of each bound, were it the only one.
    std::string alone() const
    {
        std::string values;
        for (const auto bound : {deadline, energy_budget, max_active, max_moved})
            if (const auto value = set_[bound] ? least(bound, {}) : std::nullopt)
                values += text(values.empty() ? "" : ", ", bound_names[bound], " ",
                               bound == deadline ? sufficient_seconds(value->value) : sufficient_value(value->value),
                               bound == energy_budget ? " J" : "");
        return values;
    }

    bool is_of_total_energies() const
    {
        const auto &budget = call_.constraints.front_budget;
        return budget && budget->energy == FrontEnergy::total;
    }

    bool keeps_rules(const Prepared &points, std::int64_t size) const
    {
        const auto &budget = call_.constraints.front_budget;
        const bool of_total = is_of_total_energies();
        const auto found = find(of_total ? Objective::total_energy : Objective::time, points, rules_, size);
        return found.outcome == Outcome::found && !(of_total && found.lower_bound > budget->joules);
    }

    double allowed(BoundKind bound) const
    {
        switch (bound) {
        case deadline: return *call_.constraints.deadline;
        case energy_budget: return rules_.most_joules;
        case max_active: return static_cast<double>(rules_.most[0]);
        case max_moved: break;
        }
        return static_cast<double>(rules_.most[1]);
    }

    Rules rules_with(Bounds kept) const
    {
        auto rules = rules_;
        if (!kept[energy_budget]) rules.most_joules = infinity;
        if (!kept[max_active]) rules.most[0] = unbounded;
        if (!kept[max_moved]) rules.most[1] = unbounded;
        return rules;
    }

    // The least value of the bound that makes the call feasible under the other bounds; nothing if none does.
    std::optional<Least> least(BoundKind bound, Bounds kept) const
    {
        const auto &points = kept[deadline] ? call_.points.get() : call_.points.without_deadline();
        const auto rules = rules_with(kept);
        if (bound == max_active || bound == max_moved) return least_use(bound == max_active ? 0 : 1, points, rules);
        const auto solution = find(bound == deadline ? Objective::time : Objective::energy, points, rules, call_.size);
        if (solution.outcome == Outcome::none) return std::nullopt;
        return Least{solution.lower_bound};
    }

    [[noreturn]] static void fail_at_limit()
    {
        fail(Status::limit, "the limit was reached before the bound to blame was found");
    }

    Solution find(Objective objective, const Prepared &points, Rules rules, std::int64_t size) const
    {
        rules.prefer = Prefer::least_cost;
        const PartitionProblem problem{.platform = call_.platform,
                                       .prepared = points,
                                       .objective = objective,
                                       .size = size,
                                       .options = call_.options,
                                       .rules = rules};
        auto solution = solve(problem);
        if (solution.outcome == Outcome::limit) fail_at_limit();
        return solution;
    }

    Solution solve(const PartitionProblem &problem) const
    {
        switch (problem.objective) {
        case Objective::time: return least_time_within_rules(problem, control_);
        case Objective::sum_time: // solved as energies
        case Objective::energy: return least_energy(problem, control_);
        case Objective::total_energy: return least_total_energy(problem, control_);
        }
        fail_objective(problem.objective);
    }

    std::optional<Least> least_use(std::size_t resource, const Prepared &points, Rules rules) const
    {
        if (rules.most_joules != infinity) {
            rules.prefer = resource == 0 ? Prefer::fewest_active : Prefer::least_moved;
            EnergyWithin solver(points, call_.size, rules, control_);
            const auto found = solver.preferred(infinity, {rules.most_joules});
            if (!found) return std::nullopt;
            return Least{static_cast<double>(rules.use_of(found->x)[resource])};
        }
        const auto choices = choices_within(points.instance(), call_.size, infinity, rules.previous);
        const auto found =
            least_use_within(choices, uses_of(choices, rules.previous), call_.size, resource, rules.most, control_);
        if (found.outcome == Outcome::limit) {
            const auto bound = resource == 0 ? max_active : max_moved;
            const auto use = std::ceil(found.lower_bound);
            if (use <= allowed(bound)) fail_at_limit();
            return Least{use, false};
        }
        if (found.outcome == Outcome::none) return std::nullopt;
        return Least{found.cost};
    }

    // The budget of a front's total energies is not among the bounds that were tried.
    std::string other_bounds_kept(Bounds others) const
    {
        if (!is_of_total_energies()) return hpart::other_bounds_kept(others.any() || rules_.all_work);
        auto names = names_of(others);
        if (rules_.all_work) names += text(names.empty() ? "" : " and ", "idle_processors=forbidden");
        return names.empty() ? names : " that keeps " + names;
    }

    static std::string names_of(Bounds set)
    {
        std::string names;
        for (const auto bound : {deadline, energy_budget, max_active, max_moved})
            if (set[bound]) names += text(names.empty() ? "" : " and ", bound_names[bound]);
        return names;
    }

    [[noreturn]] void fail_at(BoundKind bound, Least found, std::string_view that_keeps, std::string_view more) const
    {
        const auto least = found.value;
        const auto whom = text("no distribution of size ", call_.size, that_keeps);
        switch (bound) {
        case deadline:
            fail(Status::infeasible, whom, " takes at most ", given_seconds(allowed(bound)),
                 ", the deadline; the least time is ", sufficient_seconds(least), more);
        case energy_budget:
            fail(Status::infeasible, whom, " needs at most ", given_value(allowed(bound)),
                 " J, the energy budget; the least energy is ", sufficient_value(least), " J", more);
        case max_active:
            fail(Status::infeasible, whom, " has at most ", pluralise(rules_.most[0], "active processor"),
                 ", max_active; ", found.is_exact ? "the fewest are " : "no fewer suffice than ",
                 static_cast<std::int64_t>(least), more);
        case max_moved: break;
        }
        fail(Status::infeasible, whom, " moves at most ", rules_.most[1], ", max_moved; the least is ",
             found.is_exact ? "" : "at least ", static_cast<std::int64_t>(least), more);
    }

    const Infeasible &call_;
    Rules rules_;
    Bounds set_;
    Control &control_;
};

// For what the message names: a second, within the limits of the call.
Control hint_control(Control &control)
{
    constexpr double most_seconds = 1;
    return {std::make_shared<const ProgressCallback>([&control](double, const char *what) {
                check_time(control);
                control.report_progress(-1, what);
                return 0;
            }),
            most_seconds, control.memory_limit()};
}

bool has_bounds_beside_deadline(const Infeasible &call)
{
    return bounds_of(call.constraints).reset(deadline).any() || call.constraints.front_budget;
}

// No size above it keeps max_active and max_moved.
std::int64_t largest_size_by_uses(const Infeasible &call)
{
    const auto &points = call.points.get();
    const auto &[most_active, most_moved] = call.constraints.rules.most;
    const auto &previous = call.constraints.rules.previous;
    std::vector<std::int64_t> sizes;
    for (const auto f : points.instance().function_of) {
        const auto &of_function = points.instance().of_function[f].sizes;
        sizes.push_back(of_function.empty() ? 0 : of_function.back());
    }
    const auto sum_of = [&](std::int64_t first) {
        return std::accumulate(sizes.begin(), sizes.end(), first, [](auto a, auto b) { return saturating_add(a, b); });
    };
    auto largest = unbounded;
    if (most_moved != unbounded) {
        auto kept = sizes;
        for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i] = std::min(sizes[i], previous[i]);
        largest = sum_of(most_moved);
        sizes = std::move(kept);
    }
    if (most_active < static_cast<std::int64_t>(sizes.size())) {
        std::sort(sizes.begin(), sizes.end(), std::greater<>());
        sizes.resize(static_cast<std::size_t>(most_active));
        largest = std::min(largest, sum_of(0));
    }
    return largest;
}

// From the nearest sums outwards to sizes that keep all bounds, a few on each side.
void keep_bounds(NearestSums &nearest, const Infeasible &call, Control &hints)
{
    constexpr int most_tried = 128;
    const auto &points = call.points.get();
    const BoundCheck check(call, hints);
    const auto go_on = [&](SumBeside &side, const auto &next) {
        const auto found = within_limits([&] {
            for (int tried = 0; side.sum && tried < most_tried; ++tried) {
                if (check.is_feasible(points, *side.sum)) return true;
                side = next(*side.sum);
            }
            return side.is_none;
        });
        if (!found.value_or(false)) side = {};
    };
    const auto below = [&](std::int64_t size) { return nearest_sums_of(points, size, hints).below; };
    const auto largest = largest_size_by_uses(call);
    if (nearest.below.sum && largest < *nearest.below.sum) nearest.below = below(largest + 1);
    go_on(nearest.below, below);
    if (largest <= call.size) nearest.above = {.is_none = true};
    go_on(nearest.above, [&](std::int64_t size) { return nearest_sums_of(points, size, hints).above; });
}

// Those that keep the bounds of the call.
NearestSums nearest_sizes(const Infeasible &call, Control &control)
{
    const auto &rules = call.constraints.points;
    auto hints = hint_control(control);
    auto nearest = nearest_sums_of(call.points.get(), call.size, hints);
    // Interpolated points end at the next multiple of the block: of larger sizes not all are known.
    const auto next = saturating_mul(call.size / rules.block + 1, rules.block);
    if (call.constraints.deadline && rules.interpolation != Interpolation::none &&
        nearest.above.sum.value_or(unbounded) > next)
        nearest.above = {};
    if (has_bounds_beside_deadline(call)) keep_bounds(nearest, call, hints);
    return nearest;
}

// The sum of the largest sizes that any point has.
std::int64_t largest_sum_of(const Platform &platform)
{
    std::int64_t sum = 0;
    for (std::int64_t i = 0; i < platform.count(); ++i)
        if (const auto &sizes = platform.points(i).sizes; !sizes.empty()) sum = saturating_add(sum, sizes.back());
    return sum;
}

bool would_do_interpolated(const Infeasible &call, Control &control)
{
    if (largest_sum_of(call.platform) < call.size) return false;
    constexpr std::int64_t most_bytes = 1 << 24;
    constexpr double longest = 2; // seconds to build and prepare so many points, which no limit ends
    if (control.seconds_left() < longest) return false;
    auto rules = call.constraints.points;
    if (rules.interpolation != Interpolation::none || call.options.is_set("interpolate")) return false;
    rules.interpolation = Interpolation::linear;
    const bool has_bounds =
        has_bounds_beside_deadline(call) || call.constraints.deadline || call.communication != nullptr;
    if (!has_bounds && surely_allow(rules, call.platform, call.needs, call.size)) return true;
    auto hints = hint_control(control);
    const auto fits = within_limits([&] {
        const auto &usable = call.points.get();
        auto points = points_by(rules, call.platform, usable.instance(), call.needs, call.size,
                                std::min(most_bytes, hints.memory_limit()), hints);
        if (call.communication != nullptr && call.communication->has_own_costs())
            points = call.communication->with_own_costs(points);
        if (call.constraints.deadline) points = points_within(points, *call.constraints.deadline);
        return BoundCheck(call, hints).is_feasible(Prepared(std::move(points), usable.simd_level()), call.size);
    });
    return fits.value_or(false);
}

bool has_times_alone(const Platform &platform)
{
    std::size_t points = 0;
    for (std::int64_t i = 0; i < platform.count(); ++i) points += platform.points(i).count();
    return points > 0 && !has_energies(platform);
}

// True if the processor has, at any size, a value that the call needs.
bool has_function(const Infeasible &call, std::int64_t processor)
{
    const auto &points = call.platform.points(processor);
    for (std::size_t k = 0; k < points.count(); ++k)
        if (!std::isnan(points.seconds[k]) && (call.needs != Needs::time_and_energy || !std::isnan(points.joules[k])))
            return true;
    return false;
}

std::string why_these_sizes(const Infeasible &call)
{
    const auto &rules = call.constraints.points;
    std::string why;
    if (rules.block > 1) why += text("; sizes are multiples of block, which is ", rules.block);
    if (rules.all_work) why += "; idle_processors is 'forbidden': every processor must have work";
    for (std::int64_t i = 0; rules.all_work && i < call.platform.count(); ++i)
        if (!has_function(call, i))
            why += text(", and processor ", in_quotes(call.platform.processor(i).name), " has no ",
                        call.needs != Needs::time_and_energy ? "time" : "time and energy at any one size");
    if (has_bounds_beside_deadline(call))
        why += "; these keep the bounds of the call";
    else if (call.constraints.deadline)
        why += "; these keep the deadline";
    if (call.needs == Needs::time_and_energy && has_times_alone(call.platform))
        return why + ": no processor has an energy at any size, only times";
    if (!why.empty() || call.points.without_deadline().records().largest_size > 0) return why;
    return call.needs != Needs::time_and_energy
               ? ": no processor has a size within its limits that has a time"
               : ": no processor has a size within its limits that has both a time and an energy";
}

} // namespace

void fail_infeasible(const Infeasible &call, Control &control)
{
    auto hints = hint_control(control);
    try {
        BoundCheck(call, hints).run();
    } catch (const Error &error) {
        if (error.status() != Status::limit) throw;
        fail(Status::infeasible, "no distribution of size ", call.size,
             " keeps the bounds of the call; which of them to relax was not determined within a second");
    }
    const auto nearest = nearest_sizes(call, control); // first: interpolation may use up the time limit
    auto why = why_these_sizes(call);
    if (would_do_interpolated(call, control)) why += text("; option interpolate=linear allows size ", call.size);
    fail_infeasible(call.size, nearest, why);
}

void fail_infeasible(std::int64_t size, const NearestSums &nearest, std::string_view why)
{
    if (!nearest.below.is_known() && !nearest.above.is_known())
        fail(Status::infeasible, "no distribution of size ", size,
             " exists; the nearest feasible sizes could not be determined within the limits", why);
    const auto side = [&](const SumBeside &beside, const char *where) {
        if (beside.sum) return text(*beside.sum, " ", where);
        return text(beside.is_none ? "none " : "an unknown one ", where);
    };
    fail(Status::infeasible, "no distribution of size ", size, " exists; the nearest feasible sizes are ",
         side(nearest.below, "below"), " and ", side(nearest.above, "above"), why);
}

} // namespace hpart
