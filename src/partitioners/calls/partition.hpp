// The partitioners as the C interface calls them. `prepared_measured` belongs to the platform, as it is; calls without it prepare anew.
#pragma once

#include "core/numbers.hpp"
#include "core/progress.hpp"
#include "models/platform.hpp"
#include "partitioners/problem/communication.hpp"
#include "partitioners/problem/constraints.hpp"
#include "partitioners/problem/prepared.hpp"
#include "partitioners/search/subset_sum.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace hpart
{

// Points, rules, deadline and communication, which partitions and fronts share.

// Fails if total energies lack the base power.
void check_base_power(const Platform &platform);
// Bounds multiply costs by sizes. Fails if such a sum of `what` could overflow.
void check_summable(double sum, const char *what);

struct CallKind {
    Objective objective{}; // of a front: energy or total energy
    Ties ties = Ties::deterministic;
    bool is_front = false;
};

class ConstrainedCall
{
  public:
    ConstrainedCall(const Platform &platform, const PreparedPlatform &prepared_platform,
                    const PartitionRequest &request, Control &control)
        : ConstrainedCall(platform, prepared_platform, request.options, request.size, request.method,
                          constraints_of(request, platform.count()), {request.objective, request.ties}, control)
    {
    }
    ConstrainedCall(const Platform &platform, const PreparedPlatform &prepared_platform, const FrontRequest &request,
                    Control &control)
        : ConstrainedCall(platform, prepared_platform, request.options, request.size, request.method,
                          constraints_of(request, platform.count()),
                          {request.energy == FrontEnergy::total ? Objective::total_energy : Objective::energy,
                           Ties::deterministic, true},
                          control)
    {
    }

    const Constraints &constraints() const { return constraints_; }
    // The points without communication.
    const Instance &computing() const { return points_.computing().instance(); }
    const Communication *communication() const { return communication_ ? &*communication_ : nullptr; }
    bool is_nothing_to_do() const { return size_ == 0 && !constraints_.rules.all_work; }

    // Sums of times are solved as energies, which are the times.
    PartitionProblem problem() const;

    // Before a problem with communication is solved. Throws Status::limit.
    void prepare_exchanges();
    // Fails if energies that the call needs could not be summed.
    void check_energies() const;
    // Turns a slowdown into the deadline, unless the least time is not proved. Gives a distribution that keeps it, if one is known.
    Solution settle_deadline();
    [[noreturn]] void fail_infeasible();

  private:
    ConstrainedCall(const Platform &platform, const PreparedPlatform &prepared_platform, const Options &options,
                    std::int64_t size, const std::string &method, Constraints constraints, const CallKind &kind,
                    Control &control);

    // The points of the problem: method exact keeps a deadline by itself where it searches no arrangements.
    const Prepared &prepared() const { return keeps_deadline_ ? points_.without_deadline() : points_.get(); }
    bool couples() const { return communication_ && communication_->couples(); }
    double largest_sum_of(const Prepared &points) const;
    Solution least_time(const Prepared &points) const;

    const Platform &platform_;
    std::int64_t size_ = 0;
    const Options &options_;
    CallKind kind_;
    Constraints constraints_;
    Needs needs_{};
    bool keeps_deadline_ = false;
    Control &control_;
    std::optional<Communication> communication_;
    PointsOfCall points_;
};

// Why there is no distribution, and what would be feasible.
struct Infeasible {
    const Platform &platform;
    const PointsOfCall &points;
    const Constraints &constraints; // with the deadline that was kept
    Needs needs{};
    std::int64_t size = 0;
    const Options &options;
    const Communication *communication = nullptr;
};

// Follows "no distribution of size 7" if a distribution within the named bound breaks another bound.
constexpr const char *other_bounds_kept(bool others) { return others ? " that keeps the other bounds" : ""; }

[[noreturn]] void fail_infeasible(const Infeasible &call, Control &control);
// "no distribution of size 7 exists; the nearest feasible sizes are 6 below and 8 above", and why.
[[noreturn]] void fail_infeasible(std::int64_t size, const NearestSums &nearest, std::string_view why = "");

NearestSums nearest_sums_of(const Prepared &points, std::int64_t size, Control &control);

// Throws Error: infeasible with the nearest feasible sizes, cancelled, invalid_argument for an unknown method.
Distribution partition(const Platform &measured, const PreparedPlatform &prepared_measured,
                       const PartitionRequest &request, Control &control);
Distribution partition(const Platform &platform, const PartitionRequest &request, Control &control);

// The costs of x with the options' communication: seconds, dynamic energy (NaN if x has none), and report. Throws Error: invalid_argument
// if x has a size without a time.
Distribution evaluate(const Platform &platform, std::vector<std::int64_t> x, const Options &options);

// Throws Error: infeasible, limit, cancelled.
Front compute_front(const Platform &measured, const PreparedPlatform &prepared_measured, const FrontRequest &request,
                    Control &control);
Front compute_front(const Platform &platform, const FrontRequest &request, Control &control);

// Throws Error: infeasible, limit, cancelled.
Schedule compute_schedule(const Platform &measured, const PreparedPlatform &prepared_measured,
                          const ScheduleRequest &request, Control &control);
Schedule compute_schedule(const Platform &platform, const ScheduleRequest &request, Control &control);

// A node as one processor: the node's function of HiPOPTA and of two-level distributions (front.cpp).

// One processor with time and energy of the best distribution of each workload up to the request's size. Objective time or energy.
// Throws Error: limit, cancelled, and the errors of `partition` but infeasible.
Platform aggregate(const Platform &node, const PreparedPlatform &prepared_node, PartitionRequest request,
                   Control &control);

} // namespace hpart
