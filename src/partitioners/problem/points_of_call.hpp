// The points that one call may use: the platform's own as they were prepared, or others made for this call alone.
#pragma once

#include "partitioners/problem/constraints.hpp"
#include "partitioners/problem/prepared.hpp"

#include <memory>

namespace hpart
{

class PointsOfCall
{
  public:
    PointsOfCall(const Platform &platform, const PreparedPlatform &prepared_platform, Needs needs,
                 const PointRules &rules, std::int64_t size, Control &control)
    {
        all_ = &prepared_platform.get(platform, needs);
        if (rules.are_plain()) return;
        by_rules_ = std::make_unique<Prepared>(
            points_by(rules, platform, all_->instance(), needs, size, control.memory_limit(), control),
            all_->simd_level(), &control);
        all_ = by_rules_.get();
    }

    void keep_within(double deadline)
    {
        within_ =
            std::make_unique<Prepared>(points_within(all_->instance(), deadline), all_->simd_level(), all_->control());
    }

    const Prepared &get() const { return within_ ? *within_ : *all_; }
    const Prepared &without_deadline() const { return *all_; }

  private:
    const Prepared *all_ = nullptr;
    std::unique_ptr<Prepared> by_rules_;
    std::unique_ptr<Prepared> within_;
};

} // namespace hpart
