// The problems as the solvers get them, and their results.
#pragma once

#include "core/options.hpp"
#include "partitioners/problem/instance.hpp"
#include "partitioners/problem/prepared.hpp"
#include "partitioners/problem/requests.hpp"
#include "partitioners/search/choices.hpp"
#include "partitioners/search/resource_search.hpp"

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace hpart
{

// Constraints on a whole distribution, and the preference among the best ones.
struct Rules {
    bool all_work = false;            // the instance has no idle points
    ResourceUse most = unbounded_use; // active processors; work moved
    double most_joules = std::numeric_limits<double>::infinity();
    std::vector<std::int64_t> previous; // empty: nothing is known of it
    Prefer prefer = Prefer::least_cost;

    bool bound_uses() const { return most != unbounded_use; }
    // Nothing beyond ties=fewest.
    bool is_empty() const
    {
        return !all_work && !bound_uses() && previous.empty() && most_joules == std::numeric_limits<double>::infinity();
    }
    std::size_t preferred_resource() const { return prefer == Prefer::least_moved ? 1 : 0; }
    ResourceUse use_of(const std::vector<std::int64_t> &x) const;
};

inline const Rules no_rules{};

struct Solution {
    Outcome outcome = Outcome::none;
    std::vector<std::int64_t> x; // empty when none is known
    double lower_bound = 0;      // of the objective, proved; the objective's value when x is optimal
};

class Communication;

// The problem as every method gets it, of one distribution or of a front; filled by name.
struct PartitionProblem {
    const Platform &platform;
    const Prepared &prepared;
    Objective objective = Objective::time; // of a front: energy or total energy
    std::int64_t size = 0;                 // > 0
    Ties ties = Ties::deterministic;
    const Options &options;
    const Rules &rules = no_rules;                             // plain for every method but `exact`
    const Communication *communication = nullptr;              // null: there is none
    double deadline = std::numeric_limits<double>::infinity(); // the points may be within it already
    const Instance &instance =
        prepared.instance(); // points with a time, and with an energy unless the objective is time

    bool is_total() const { return objective_kind(objective).needs_base_power; }
};

// Tasks by processor, then by decreasing size; outcome none when no packages sum to the size.
struct PackageSchedule {
    Outcome outcome = Outcome::none;
    double makespan = 0;
    double lower_bound = 0; // proved; the makespan when it is optimal
    std::vector<ScheduleTask> tasks;
};

struct ScheduleProblem {
    const Platform &platform;
    const Prepared &prepared;
    const Instance &instance; // of `prepared`: points with a time
    std::int64_t size;
    Ties ties;
    const Options &options;
};

// Time and dynamic energy of a distribution over the usable points; the energy is NaN in an instance without energies.
Cost cost_of(const Instance &instance, const std::vector<std::int64_t> &x);

// The same with communication (may be null), and the nodes of the platform that work.
Cost cost_of(const Platform &platform, const Instance &instance, const Communication *communication,
             const std::vector<std::int64_t> &x);
// The cost of x on the problem's instance.
Cost cost_in(const PartitionProblem &problem, const std::vector<std::int64_t> &x);

// True if the method `exact` must search arrangements of the processors for these energies (exact/communication).
bool arranges(const Platform &platform, const Communication *communication, bool total);

// The objective's value of a cost.
double value_of(const PartitionProblem &problem, const Cost &cost);

// Shared by the methods for schedules: the packages that they may use, and the times of a schedule's packages.

// Keeps each processor's sizes up to the size of its highest speed x / t(x), the smallest of several: the rising part of its speed
// function, as in the WDAH thesis (4.2).
Instance rising_part(const Instance &instance);

// The sizes of each processor, without the idle point.
std::vector<std::span<const std::int64_t>> package_sizes(const Instance &instance);

// Seconds that each processor is busy: its packages' times added one by one, from the largest package to the smallest. Tasks are
// by processor, then by decreasing size.
std::vector<double> busy_seconds(const Instance &instance, const std::vector<ScheduleTask> &tasks);

// No schedule of the size is shorter, for sums of times as double gives them.
double schedule_bound(const Instance &instance, std::int64_t size);

} // namespace hpart
