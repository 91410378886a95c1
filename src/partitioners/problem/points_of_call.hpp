// The points that one call may use: the platform's own as they were prepared, or others made for this call alone.
#pragma once

#include "partitioners/problem/communication.hpp"
#include "partitioners/problem/constraints.hpp"
#include "partitioners/problem/prepared.hpp"

#include <memory>
#include <optional>

namespace hpart
{

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
