// The bounds in a call's options, in the solvers' terms.
#pragma once

#include "core/objectives.hpp"
#include "core/options.hpp"
#include "core/progress.hpp"
#include "partitioners/problem/communication.hpp"
#include "partitioners/problem/instance.hpp"
#include "partitioners/problem/prepared.hpp"
#include "partitioners/search/choices.hpp"
#include "partitioners/search/resource_search.hpp"

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace hpart
{

// Requests to the partitioners, and their results.

enum class Ties : std::uint8_t { deterministic, fewest };

struct PartitionRequest {
    Objective objective = Objective::time;
    std::int64_t size = 0;
    std::string method = "exact";
    Ties ties = Ties::deterministic;
    Options options{}; // what the method itself wants to know
    bool wants_utilisation = true;
    bool wants_joules = true; // else the energy of a least time is not looked up
};

struct Distribution {
    bool feasible = false;      // x is a distribution of the size; false only when the limit was reached first
    bool limit_reached = false; // x is the best known, not proved optimal
    std::vector<std::int64_t> x;
    double seconds = 0; // the largest, or the sum with sum_time
    double joules = 0;  // dynamic, or total for that objective; NaN where a processor used has no energy value
    Report report;
};

struct FrontPoint {
    double seconds;
    double joules;
    std::vector<std::int64_t> x;
};

struct Front {
    std::vector<FrontPoint> points; // increasing time, decreasing energy
    Report report;
};

enum class FrontEnergy : std::uint8_t { dynamic, total };

struct FrontRequest {
    std::int64_t size = 0;
    FrontEnergy energy = FrontEnergy::dynamic;
    std::string method = "exact";
    Options options{};
};

struct ScheduleTask {
    std::int64_t processor;
    std::int64_t size;
    std::int64_t repeats;
};

struct Schedule {
    double makespan = 0;
    std::vector<std::string> processors; // their names
    std::vector<ScheduleTask> tasks;
    Report report;
};

struct ScheduleRequest {
    std::int64_t size = 0;
    std::string method = "exact";
    Ties ties = Ties::deterministic;
    Options options{};
};

// Results of the solvers of the three objectives and of the baselines.

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

// Bounds the energy of a front's points.
struct FrontBudget {
    double joules;
    FrontEnergy energy;
};

struct Constraints {
    PointRules points;
    Rules rules;
    std::optional<double> deadline; // seconds
    std::optional<double> slowdown; // of the least time: the deadline
    std::optional<FrontBudget> front_budget;
};

// Checks the bounds alone, against each other and against the objective. Fails with a sentence that names the conflict.
Constraints constraints_of(const PartitionRequest &request, std::int64_t processors);
Constraints constraints_of(const FrontRequest &request, std::int64_t processors);

// The points that one call may use: the platform's own as they were prepared, or others made for this call alone.

class PointsOfCall
{
  public:
    PointsOfCall(const Platform &platform, const PreparedPlatform &prepared_platform, Needs needs,
                 const PointRules &rules, std::int64_t size, const Communication *communication, Control &control)
    {
        all_ = &prepared_platform.get(platform, needs);
        if (!rules.is_empty()) {
            by_rules_ = std::make_unique<Prepared>(
                points_by(rules, platform, all_->instance(), needs, size, control.memory_limit(), control),
                all_->simd_level(), &control);
            all_ = by_rules_.get();
        }
        computing_ = all_;
        if (communication == nullptr || !communication->has_own_costs()) return;
        with_own_costs_ = std::make_unique<Prepared>(communication->with_own_costs(all_->instance()),
                                                     all_->simd_level(), all_->control());
        all_ = with_own_costs_.get();
    }

    void set_deadline(std::optional<double> deadline)
    {
        deadline_ = deadline;
        within_.reset();
    }

    // Those within the deadline, copied when they are first asked for.
    const Prepared &get() const
    {
        if (!deadline_) return *all_;
        if (!within_)
            within_ = std::make_unique<Prepared>(points_within(all_->instance(), *deadline_), all_->simd_level(),
                                                 all_->control());
        return *within_;
    }
    const Prepared &without_deadline() const { return *all_; }
    // Without communication, and without a deadline.
    const Prepared &computing() const { return *computing_; }

  private:
    const Prepared *all_ = nullptr;
    const Prepared *computing_ = nullptr;
    std::unique_ptr<Prepared> with_own_costs_;
    std::unique_ptr<Prepared> by_rules_;
    std::optional<double> deadline_;
    mutable std::unique_ptr<Prepared> within_;
};

} // namespace hpart
