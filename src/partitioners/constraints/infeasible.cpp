// The first bound that alone is to blame is named, with the least that it would have to allow where the others are kept: deadline, energy
// budget, active processors, work moved; else the sizes themselves.
#include "partitioners/constraints/infeasible.hpp"

#include "core/checked.hpp"
#include "core/error.hpp"
#include "models/platform_table.hpp"
#include "partitioners/constraints/within_rules.hpp"
#include "partitioners/sums/least_sum_within.hpp"

#include <limits>

namespace hpart
{

namespace
{

constexpr auto any_size = std::numeric_limits<std::int64_t>::max();
constexpr auto any_time = std::numeric_limits<double>::infinity();

// Least value of an objective over those points; nothing where there is none or it was not proved.
std::optional<double> least(const Infeasible &call, const Prepared &prepared, Objective objective, Rules rules,
                            Control &control, Work &work)
{
    rules.prefer = Prefer::least_cost;
    const Question question{call.platform, prepared, prepared.instance(), objective, call.size, Ties::deterministic,
                            call.options,  rules};
    const auto solution = objective == Objective::time ? least_time_within_rules(question, control, work)
                                                       : least_energy_within_rules(question, control, work);
    if (solution.outcome != Outcome::found) return std::nullopt;
    return solution.lower_bound;
}

void blame_deadline(const Infeasible &call, Control &control, Work &work)
{
    if (!call.constraints.deadline) return;
    const auto seconds =
        least(call, call.points.without_deadline(), Objective::time, call.constraints.rules, control, work);
    const auto &rules = call.constraints.rules;
    if (seconds)
        fail(Status::infeasible, "no distribution of size ", call.size,
             that_keeps_others(rules.most_joules != any_time || rules.bound_uses() || rules.all_work),
             " takes at most ", *call.constraints.deadline, " seconds, the deadline; the least time is ", *seconds,
             " seconds");
}

void blame_budget(const Infeasible &call, Control &control, Work &work)
{
    if (call.constraints.rules.most_joules == any_time) return;
    auto rules = call.constraints.rules;
    rules.most_joules = any_time;
    const auto joules = least(call, call.points.get(), Objective::energy, rules, control, work);
    if (joules)
        fail(Status::infeasible, "no distribution of size ", call.size,
             that_keeps_others(rules.bound_uses() || rules.all_work), " needs at most ",
             call.constraints.rules.most_joules, " joules, the energy budget; the least energy is ", *joules,
             " joules");
}

void blame_use(const Infeasible &call, Control &control, Work &work)
{
    const auto &rules = call.constraints.rules;
    const auto choices = choices_within(call.points.get().instance(), call.size, any_time);
    const auto uses = uses_of(choices, rules.previous);
    const auto least_use = [&](std::size_t resource, Use most) -> std::optional<std::int64_t> {
        most[resource] = any_amount;
        const auto found = least_use_within(choices, uses, call.size, resource, most, control, work);
        if (found.outcome != Outcome::found) return std::nullopt;
        return static_cast<std::int64_t>(found.cost);
    };
    if (rules.most[0] != any_amount)
        if (const auto active = least_use(0, rules.most))
            fail(Status::infeasible, "no distribution of size ", call.size,
                 that_keeps_others(call.constraints.deadline || rules.most[1] != any_amount || rules.all_work),
                 " has at most ", rules.most[0], " active processors, max_active; the fewest are ", *active);
    if (rules.most[1] != any_amount)
        if (const auto moved = least_use(1, any_use))
            fail(Status::infeasible, "no distribution of size ", call.size,
                 that_keeps_others(call.constraints.deadline || rules.all_work), " moves at most ", rules.most[1],
                 ", max_moved; the least is ", *moved);
}

// Without the idle points sizes are counted from each processor's smallest.
NearestSums nearest_at_work(Choices choices, std::int64_t size, Control &control)
{
    NearestSums none;
    none.determined = true;
    std::int64_t smallest = 0;
    for (std::size_t i = 0; i < choices.classes(); ++i) {
        if (choices.count(i) == 0) return none;
        const auto first = choices.sizes_of(i).front();
        for (auto k = choices.first[i]; k < choices.first[i + 1]; ++k) choices.sizes[k] -= first;
        smallest = saturating_add(smallest, first);
    }
    if (smallest > size) {
        if (smallest < any_size) none.above = smallest;
        return none;
    }
    auto nearest = nearest_sums(choices, size - smallest, control);
    for (auto *side : {&nearest.below, &nearest.above})
        if (*side) *side = saturating_add(**side, smallest);
    return nearest;
}

bool is_bounded(const Constraints &constraints)
{
    const auto &rules = constraints.rules;
    return constraints.deadline || rules.most_joules != any_time || rules.bound_uses();
}

bool has_times_alone(const Platform &platform)
{
    std::size_t points = 0;
    for (std::int64_t i = 0; i < platform.count(); ++i) points += platform.points(i).count();
    return points > 0 && !has_energies(platform);
}

std::string why_these_sizes(const Infeasible &call)
{
    const auto &rules = call.constraints.points;
    std::string why;
    if (rules.block > 1) why += text("; sizes are multiples of block, which is ", rules.block);
    if (rules.all_work) why += "; idle is 'forbidden': every processor must have work";
    if (is_bounded(call.constraints)) why += "; the bounds of the call are not looked at in these";
    if (call.needs != Needs::time && has_times_alone(call.platform))
        return why + ": no processor has an energy at any size, only times";
    if (!why.empty() || call.points.without_deadline().records().largest_size > 0) return why;
    return call.needs == Needs::time ? ": no processor has a size within its limits that has a time"
                                     : ": no processor has a size within its limits that has both a time and an energy";
}

} // namespace

void fail_infeasible(const Infeasible &call, Control &control, Work &work)
{
    try {
        blame_deadline(call, control, work);
        blame_budget(call, control, work);
        blame_use(call, control, work);
    } catch (const Error &error) {
        if (error.status() != Status::limit) throw;
    }
    const auto choices = choices_within(call.points.without_deadline().instance(), any_size, any_time);
    const auto nearest = call.constraints.points.all_work ? nearest_at_work(choices, call.size, control)
                                                          : nearest_sums(choices, call.size, control);
    fail_infeasible(call.size, nearest, why_these_sizes(call));
}

void fail_infeasible(std::int64_t size, const NearestSums &nearest, std::string_view why)
{
    if (!nearest.determined)
        fail(Status::infeasible, "no distribution of size ", size,
             " exists; the nearest feasible sizes could not be determined within the limits", why);
    const auto side = [](std::optional<std::int64_t> sum, const char *where) {
        return sum ? text(*sum, " ", where) : text("none ", where);
    };
    fail(Status::infeasible, "no distribution of size ", size, " exists; the nearest feasible sizes are ",
         side(nearest.below, "below"), " and ", side(nearest.above, "above"), why);
}

} // namespace hpart
