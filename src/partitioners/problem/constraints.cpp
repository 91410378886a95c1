#include "partitioners/problem/constraints.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "partitioners/problem/communication.hpp"

#include <algorithm>
#include <functional>
#include <limits>

namespace hpart
{

namespace
{

// Work moved is summed in double.
constexpr std::int64_t largest_exact = std::int64_t{1} << 53;

Interpolation interpolation_of(const Options &options)
{
    const auto kind = options.get_text("interpolate");
    if (kind == "linear") return Interpolation::linear;
    return kind == "akima" ? Interpolation::akima : Interpolation::none;
}

void read_previous(const Options &options, std::int64_t size, std::int64_t processors, Rules &rules)
{
    const auto most_moved = options.find_int("max_moved");
    if (most_moved && options.previous().empty())
        fail_option("max_moved", " is ", *most_moved,
                    " but there is no previous distribution to move work from; give that too");
    if (options.previous().empty()) return;
    const auto count = static_cast<std::int64_t>(options.previous().size());
    if (count != processors)
        fail_argument("the previous distribution has ", pluralise(count, "size"), "; the platform has ",
                      pluralise(processors, "processor"));
    if (size > largest_exact)
        fail(Status::unsupported, "size is ", size, "; with a previous distribution it must be at most ",
             largest_exact);
    rules.previous = options.previous();
    rules.most[1] = most_moved.value_or(unbounded);
}

// The options that both calls have.
Constraints read(const Options &options, std::int64_t size, std::int64_t processors)
{
    Constraints out;
    out.points.block = options.get_int("block");
    out.points.all_work = options.get_text("idle_processors") == "forbidden";
    out.points.interpolation = interpolation_of(options);
    out.rules.all_work = out.points.all_work;
    const auto most_active = options.find_int("max_active").value_or(processors);
    if (most_active < processors) out.rules.most[0] = most_active;
    read_previous(options, size, processors, out.rules);
    out.deadline = options.find_double("deadline");
    out.slowdown = options.find_double("slowdown");
    if (out.deadline && out.slowdown)
        fail_argument("a deadline and a slowdown are both set; each is a bound on the time: give one");
    return out;
}

void check_method(const Rules &rules, const std::string &method)
{
    if (method == "exact" || rules.is_empty()) return;
    fail(Status::unsupported, "method ", in_quotes(method),
         " does not keep max_active, idle_processors=forbidden, an energy budget or a previous distribution; method "
         "exact does");
}

void check_objective(const Constraints &constraints, const Options &options, Objective objective)
{
    const bool is_longest_time = objective_kind(objective).is_longest_time();
    if (is_longest_time && (constraints.deadline || constraints.slowdown))
        fail_option(constraints.deadline ? "deadline" : "slowdown", " needs objective ",
                    list_objectives(std::not_fn(&ObjectiveKind::is_longest_time), &ObjectiveKind::name));
    if (!is_longest_time && options.is_set("energy_budget"))
        fail_option("energy_budget", " needs objective time; give the others a deadline instead");
}

} // namespace

Constraints constraints_of(const PartitionRequest &request, std::int64_t processors)
{
    auto out = read(request.options, request.size, processors);
    out.rules.most_joules =
        request.options.find_double("energy_budget").value_or(std::numeric_limits<double>::infinity());
    check_objective(out, request.options, request.objective);
    check_method(out.rules, request.method);
    const bool fewest = request.ties == Ties::fewest;
    if (fewest && !out.rules.previous.empty() && out.rules.most[1] == unbounded)
        fail_option("ties", " is 'fewest' and there is a previous distribution; each decides among equal optima: "
                            "give one, or bound what is moved by 'max_moved'");
    if (fewest)
        out.rules.prefer = Prefer::fewest_active;
    else if (!out.rules.previous.empty())
        out.rules.prefer = Prefer::least_moved;
    return out;
}

Constraints constraints_of(const FrontRequest &request, std::int64_t processors)
{
    auto out = read(request.options, request.size, processors);
    check_method(out.rules, request.method);
    if (!out.rules.previous.empty()) out.rules.prefer = Prefer::least_moved;
    if (const auto joules = request.options.find_double("energy_budget")) out.front_budget = {*joules, request.energy};
    return out;
}

} // namespace hpart
