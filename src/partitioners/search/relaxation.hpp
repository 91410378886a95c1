// The convex relaxation of "least sum of costs over one option of each class, sizes summing to a target": each class's cost
// replaced by its lower convex hull. Bounds, a multiplier and a first solution come from the hulls' edges in order of slope.
#pragma once

#include "core/progress.hpp"
#include "partitioners/search/choices.hpp"
#include "partitioners/search/core.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace hpart
{

// An edge of a function's lower hull, from smaller to larger size. Each copy of the function has it.
struct Edge {
    double slope; // does not fall along a function
    std::int64_t size;
    double cost;
    std::size_t function;
    std::int64_t copies;
};

class Relaxation
{
  public:
    // Sizes of each class begin at 0; target is between 0 and the sum of the largest.
    Relaxation(const Choices &choices, std::int64_t target);

    const std::vector<Edge> &edges() const { return edges_; } // by slope
    double multiplier() const { return multiplier_; }         // slope at the target
    double bound() const { return bound_; }                   // least cost of the relaxation at the target
    // Sizes when all edges before the one at the target are taken, and what they leave.
    const std::vector<std::int64_t> &base() const { return base_; }
    std::int64_t residual() const { return residual_; }
    // Relative error that covers all roundings here and in sums over the classes: see relaxation.cpp.
    double rounding() const { return rounding_; }
    // Absolute error, in addition, of slopes near the smallest double.
    double underflow() const { return underflow_; }

  private:
    void add_hull(const Choices &choices, std::size_t f, std::int64_t copies, std::vector<std::size_t> &hull);
    void find_base(const Choices &choices, std::int64_t target);

    std::vector<Edge> edges_;
    std::vector<std::int64_t> base_;
    double multiplier_ = 0;
    double bound_ = 0;
    std::int64_t residual_ = 0;
    double rounding_ = 0;
    double underflow_ = 0;
};

// Tells which options a choice may have whose sum of costs is at most a cap. With f_i = min of cost - multiplier x size
// over the options of class i, a choice costs multiplier x target + sum f_i + sum of the reduced costs of its options: an option whose
// reduced cost alone passes the cap is in none.
class CoreFilter
{
  public:
    CoreFilter(const Choices &choices, std::int64_t target, const Relaxation &relaxation, double cap);
    // An option of function f.
    bool keeps(std::size_t f, std::size_t option) const
    {
        // Written so that a NaN, from costs near the largest double, drops nothing.
        return !((reduced(option) - least_[f]) * (1 - rounding_) > spare_);
    }

  private:
    double reduced(std::size_t option) const
    {
        return choices_.costs[option] - multiplier_ * static_cast<double>(choices_.sizes[option]);
    }

    const Choices &choices_;
    double multiplier_;
    double rounding_;
    double spare_;
    std::vector<double> least_; // reduced cost, a function
};

// Lower bounds of the costs of some of the classes, as a function of the size that they must sum to.
class SuffixBound
{
  public:
    SuffixBound(const Choices &choices, const Relaxation &relaxation)
        : choices_(choices), relaxation_(relaxation), left_(choices.copies())
    {
    }

    // The bounds are for the classes left; after a change, rebuild() prepares them.
    void leave_out(std::size_t f, std::int64_t copies) { left_[f] -= copies; }
    void rebuild();

    // Asked for sizes that do not rise from one call to the next; begin with start().
    struct Value {
        double cost;
        double magnitude; // sum of the absolute values that made it
    };
    void start() { at_ = sizes_.size() - 1; }
    Value at_most(std::int64_t size);

  private:
    const Choices &choices_;
    const Relaxation &relaxation_;
    std::vector<std::int64_t> left_;  // copies of each function
    std::vector<std::int64_t> sizes_; // breakpoints
    std::vector<Value> values_;
    std::vector<double> slopes_;
    std::size_t at_ = 0;
};

// A first choice that sums to the target at little more than the relaxation's cost. Sizes of each class begin at 0. Empty when none was
// found, which proves nothing.
std::vector<std::int64_t> first_choice(const Choices &choices, const Relaxation &relaxation, const Control &control);

// A choice of least cost on one level: all of its points have the least cost at a slope, as whole edges of hulls have.

// A choice of the core that sums to the target, of the least exact cost; of several, the smallest size of the last class, then of
// the class before it, and so on. Nothing where there is no such choice on one level, or its sums are not evenly spaced.
std::optional<std::vector<BasePoint>> level_choice(const SumOverFunctions &sum, const BreakSolution &base,
                                                   const Core &core);

} // namespace hpart
