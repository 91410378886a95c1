// The bounds in a call's options, in the solvers' terms.
#pragma once

#include "core/progress.hpp"
#include "partitioners/problem/communication.hpp"
#include "partitioners/problem/prepared.hpp"
#include "partitioners/problem/problem.hpp"

#include <cstdint>
#include <memory>
#include <optional>

namespace hpart
{

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
