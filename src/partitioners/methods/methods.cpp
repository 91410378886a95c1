#include "partitioners/methods/methods.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "partitioners/exact/exact.hpp"
#include "partitioners/methods/baselines/baselines.hpp"
#include "partitioners/methods/papers/papers.hpp"
#include "partitioners/problem/communication.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace hpart
{

namespace
{

Solution exact(const PartitionProblem &problem, Control &control)
{
    const bool is_arranged = arranges(problem.platform, problem.communication, problem.is_total());
    switch (problem.objective) {
    case Objective::time:
        if (is_arranged) return least_coupled_time(problem, control);
        return problem.rules.is_empty() ? least_time(problem, control) : least_time_within_rules(problem, control);
    case Objective::sum_time: // solved as energies
    case Objective::energy:
        return is_arranged ? least_arranged_energy(problem, control) : least_energy(problem, control);
    case Objective::total_energy:
        return is_arranged ? least_arranged_energy(problem, control) : least_total_energy(problem, control);
    }
    fail_objective(problem.objective);
}

std::vector<FrontPoint> front(const PartitionProblem &problem, Control &control)
{
    return arranges(problem.platform, problem.communication, problem.is_total()) ? arranged_front(problem, control)
                                                                                 : exact_front(problem, control);
}

constexpr std::array partition_methods{
    PartitionMethod{"exact", serves_all, exact},                  // the optimum of the objective
    PartitionMethod{"hpopta", serves_time, hpopta},               // branch and bound by time
    PartitionMethod{"heopta", serves_energy, heopta},             // branch and bound by energy
    PartitionMethod{"htpopta", serves_total_energy, htpopta},     // the least total energy of its front
    PartitionMethod{"data-locality", serves_time, data_locality}, // greedy, with what an exchange costs
    PartitionMethod{"hipopta", serves_time, hipopta}, // identical nodes: their function by hpopta, popta between them
    PartitionMethod{"popta", serves_time, popta},     // identical processors: memoised search by time
    PartitionMethod{"eopta", serves_energy, eopta},   // identical processors: memoised search by energy
    PartitionMethod{"paraleph", serves_time | serves_energy, paraleph}, // identical processors: dynamic program
    PartitionMethod{"equal", serves_all, equal},                        // the same share for all
    PartitionMethod{"cpm", serves_all, cpm},                            // shares in proportion to a constant speed
    PartitionMethod{"fpm", serves_all, fpm}, // shares of equal time by geometric bisection of the speed functions
    PartitionMethod{"smooth-fpm", serves_all, smooth_fpm}, // least time by polynomial trend lines of the speeds
    PartitionMethod{"balanced", serves_all, balanced},     // least spread of the active processors' times
};

constexpr std::array front_methods{
    FrontMethod{"exact", serves_all, front},
    FrontMethod{"hepopta", serves_energy, hepopta},       // branch and bound with Pareto sets
    FrontMethod{"htpopta", serves_total_energy, hepopta}, // its filter for total energy
    FrontMethod{"aleph", serves_all, aleph},              // identical processors: memoised fronts
};

template <SelfMethod method> PackageSchedule self_scheduled_by(const ScheduleProblem &problem, Control &control)
{
    return self_scheduled(method, problem, control);
}

constexpr std::array schedule_methods{
    ScheduleMethod{"exact", exact_schedule},
    ScheduleMethod{"wdah", wdah},                                    // branch and cut with a backtrack limit
    ScheduleMethod{"wdah-heuristic", wdah_heuristic},                // its first schedule
    ScheduleMethod{"fixed", self_scheduled_by<SelfMethod::fixed>},   // self-scheduling, simulated: packages of one size
    ScheduleMethod{"guided", self_scheduled_by<SelfMethod::guided>}, // shares of the rest
    ScheduleMethod{"factoring", self_scheduled_by<SelfMethod::factoring>}, // batches of half the rest
    ScheduleMethod{"sigmoid", self_scheduled_by<SelfMethod::sigmoid>},     // by the speeds seen
};

template <typename Methods, typename Fits>
const auto &find(const Methods &methods, const std::string &name, std::string_view what, Fits fits)
{
    std::vector<std::string_view> names;
    std::string valid;
    bool is_of_another = false;
    for (const auto &method : methods) {
        if (!fits(method)) {
            is_of_another = is_of_another || method.name == name;
            continue;
        }
        if (method.name == name) return method;
        names.push_back(method.name);
        valid += text(valid.empty() ? "" : ", ", method.name);
    }
    fail_argument("method is ", in_quotes(name), is_of_another ? ", which has another objective; " : "; ",
                  is_of_another ? what : did_you_mean(name, names, what), " has the methods ", valid);
}

} // namespace

const PartitionMethod &find_partition_method(const std::string &name, Objective objective)
{
    const auto &kind = objective_kind(objective);
    return find(partition_methods, name, text("partition by ", kind.name),
                [&](const PartitionMethod &method) { return (method.serves & serves(kind.solved_as)) != 0; });
}

const FrontMethod &find_front_method(const std::string &name, FrontEnergy energy)
{
    const bool total = energy == FrontEnergy::total;
    return find(front_methods, name, total ? "a front of total energy" : "a front of dynamic energy",
                [&](const FrontMethod &method) {
                    return (method.serves & (total ? serves_total_energy : serves_energy)) != 0;
                });
}

const ScheduleMethod &find_schedule_method(const std::string &name)
{
    return find(schedule_methods, name, "a schedule", [](const ScheduleMethod &) { return true; });
}

} // namespace hpart
