#include "partitioners/calls/constrained_call.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "partitioners/exact/exact.hpp"
#include "partitioners/methods/methods.hpp"

#include <utility>

namespace hpart
{

namespace
{

// A problem with arrangements needs method exact where its result is bounded, and has no rules beyond that.
void check_arranged(const std::string &arranged, const std::string &method, const CallKind &kind,
                    const Constraints &constraints)
{
    if (kind.ties == Ties::fewest)
        fail_argument("ties is 'fewest'; with ", arranged, " only 'deterministic' is available");
    if (!constraints.rules.is_empty())
        fail(Status::unsupported, arranged,
             " does not keep max_active, idle_processors=forbidden, energy_budget or a previous distribution",
             arranged.starts_with("communication") ? "; 'host' does" : "");
    if (method == "exact") return;
    if (kind.is_front)
        fail(Status::unsupported, "method ", in_quotes(method), " has no front with ", arranged, "; method exact does");
    if (constraints.deadline || constraints.slowdown)
        fail(Status::unsupported, "method ", in_quotes(method), " does not keep a deadline with ", arranged,
             "; method exact does");
}

// The requested communication, if any.
std::optional<Communication> communication_of(const Platform &platform, const Options &options, std::int64_t size,
                                              const std::string &method, const CallKind &kind,
                                              const Constraints &constraints)
{
    std::optional<Communication> communication;
    const auto name = options.get_text("communication");
    if (name != "none")
        communication.emplace(platform, options, size,
                              kind.objective == Objective::sum_time ? Charge::seconds : Charge::joules);
    if (communication && communication->pattern() == Pattern::any_chain && kind.objective != Objective::time)
        fail_argument("communication is 'chain-any'; it needs objective time: energies, sums of times and fronts take "
                      "'host', 'chain' and 'summa'");
    if (communication && communication->couples())
        check_arranged(text("communication ", in_quotes(name)), method, kind, constraints);
    else if (arranges(platform, nullptr, kind.objective == Objective::total_energy))
        check_arranged("total energy with nodes that can be switched off", method, kind, constraints);
    return communication;
}

Needs needs_of(Objective objective, const Options &options)
{
    if (objective == Objective::sum_time) return Needs::time_as_energy;
    return objective != Objective::time || options.is_set("energy_budget") ? Needs::time_and_energy : Needs::time;
}

constexpr double largest_sum = 1e280;

} // namespace

void check_base_power(const Platform &platform)
{
    if (!platform.has_base_power())
        fail_argument("base power is not set; total energy needs it: set it in the platform, 0 is allowed");
}

void check_summable(double sum, const char *what)
{
    if (!(sum < largest_sum))
        fail(Status::numerical, what, " are so large that their sum can be ", sum, "; it must stay below ",
             largest_sum);
}

ConstrainedCall::ConstrainedCall(const Platform &platform, const PreparedPlatform &prepared_platform,
                                 const Options &options, std::int64_t size, const std::string &method,
                                 Constraints constraints, const CallKind &kind, Control &control)
    : platform_(platform), size_(size), options_(options), kind_(kind), constraints_(std::move(constraints)),
      needs_(needs_of(kind.objective, options)), control_(control),
      communication_(communication_of(platform, options, size, method, kind, constraints_)),
      points_(platform, prepared_platform, needs_, constraints_.points, size, communication(), control)
{
    keeps_deadline_ =
        method == "exact" && !arranges(platform, communication(), kind.objective == Objective::total_energy);
    points_.set_deadline(constraints_.deadline);
}

PartitionProblem ConstrainedCall::problem() const
{
    return {.platform = platform_,
            .prepared = prepared(),
            .objective = kind_.objective == Objective::sum_time ? Objective::energy : kind_.objective,
            .size = size_,
            .ties = kind_.ties,
            .options = options_,
            .rules = constraints_.rules,
            .communication = communication(),
            .deadline = constraints_.deadline.value_or(infinity)};
}

double ConstrainedCall::largest_sum_of(const Prepared &points) const
{
    const auto &extremes = points.extremes();
    if (kind_.objective != Objective::total_energy) return extremes.joules;
    auto watts = platform_.base_power();
    for (const auto &node : platform_.nodes()) watts += node.watts;
    return extremes.joules + watts * (extremes.longest_seconds + (communication_ ? communication_->most_seconds() : 0));
}

void ConstrainedCall::check_energies() const
{
    if (needs_ == Needs::time || largest_sum_of(prepared()) < largest_sum) return;
    check_summable(largest_sum_of(points_.get()), needs_ == Needs::time_as_energy ? "the times" : "the energies");
}

void ConstrainedCall::prepare_exchanges()
{
    if (communication_) communication_->prepare_exchanges(platform_, control_.memory_limit());
}

Solution ConstrainedCall::settle_deadline()
{
    Solution fastest;
    fastest.outcome = Outcome::found;
    if (!constraints_.slowdown) return fastest;
    if (is_nothing_to_do()) {
        constraints_.deadline = 0;
        return fastest;
    }
    fastest = least_time(prepared());
    if (fastest.outcome == Outcome::none) fail_infeasible();
    const auto deadline = *constraints_.slowdown * fastest.lower_bound;
    if (fastest.outcome == Outcome::limit) {
        // The deadline may be later.
        if (!fastest.x.empty() && cost_in(problem(), fastest.x).seconds > deadline) fastest.x.clear();
        return fastest;
    }
    constraints_.deadline = deadline;
    points_.set_deadline(deadline);
    return fastest;
}

void ConstrainedCall::fail_infeasible()
{
    if (couples() && constraints_.deadline) {
        const auto least = least_time(points_.without_deadline());
        if (least.outcome != Outcome::none)
            fail(Status::infeasible, "no distribution of size ", size_, " takes at most ",
                 given_seconds(*constraints_.deadline), ", the deadline; the least time is ",
                 least.outcome == Outcome::limit ? "at least " : "", sufficient_seconds(least.lower_bound));
        constraints_.deadline.reset();
        points_.set_deadline(std::nullopt);
    }
    hpart::fail_infeasible({platform_, points_, constraints_, needs_, size_, options_, communication()}, control_);
}

Solution ConstrainedCall::least_time(const Prepared &points) const
{
    auto rules = constraints_.rules;
    rules.prefer = Prefer::least_cost;
    const PartitionProblem by_time{.platform = platform_,
                                   .prepared = points,
                                   .size = size_,
                                   .options = options_,
                                   .rules = rules,
                                   .communication = communication()};
    if (couples()) return find_partition_method("exact", Objective::time).solve(by_time, control_);
    return least_time_within_rules(by_time, control_);
}

} // namespace hpart
