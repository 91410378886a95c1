// Points, rules, deadline and communication, which partitions and fronts share.
#pragma once

#include "core/doubles.hpp"
#include "partitioners/problem/communication.hpp"
#include "partitioners/problem/constraints.hpp"
#include "partitioners/problem/points_of_call.hpp"
#include "partitioners/problem/solution.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace hpart
{

struct CallKind {
    Needs needs{};
    bool by_time = false;
    bool total = false; // energies with the base power
    bool is_front = false;
    Ties ties = Ties::deterministic;
    Charge charge = Charge::joules;
};

class ConstrainedCall
{
  public:
    template <typename Request>
    ConstrainedCall(const Platform &platform, const PreparedPlatform &prepared_platform, const Request &request,
                    const CallKind &kind, Control &control)
        : ConstrainedCall(platform, prepared_platform, request.options, request.size, request.method,
                          constraints_of(request, platform.count()), kind, control)
    {
    }

    const Constraints &constraints() const { return constraints_; }
    // Those of the problem: method exact keeps a deadline by itself where it searches no arrangements.
    const Prepared &prepared() const { return keeps_deadline_ ? points_.without_deadline() : points_.get(); }
    const Prepared &within_deadline() const { return points_.get(); }
    // The points without communication.
    const Instance &computing() const { return points_.computing().instance(); }
    const Communication *communication() const { return communication_ ? &*communication_ : nullptr; }
    bool is_nothing_to_do() const { return size_ == 0 && !constraints_.rules.all_work; }

    PartitionProblem problem(Objective objective, Ties ties) const;

    // Before a problem with communication is solved. Throws Status::limit.
    void prepare_exchanges();
    // Turns a slowdown into the deadline, unless the least time is not proved. Gives a distribution that keeps it, if one is known.
    Solution settle_deadline();
    [[noreturn]] void fail_infeasible();

  private:
    ConstrainedCall(const Platform &platform, const PreparedPlatform &prepared_platform, const Options &options,
                    std::int64_t size, const std::string &method, Constraints constraints, const CallKind &kind,
                    Control &control);

    bool couples() const { return communication_ && communication_->couples(); }
    double deadline() const { return constraints_.deadline.value_or(infinity); }
    Solution least_time(const Prepared &points) const;

    const Platform &platform_;
    std::int64_t size_ = 0;
    const Options &options_;
    Constraints constraints_;
    Needs needs_{};
    bool keeps_deadline_ = false;
    Control &control_;
    std::optional<Communication> communication_;
    PointsOfCall points_;
};

} // namespace hpart
