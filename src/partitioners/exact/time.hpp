// Distributions of times <= T as steps from the largest (or smallest) sizes within T: what the tests of HPOPT have in common.
#pragma once

#include "partitioners/problem/prepared.hpp"
#include "partitioners/search/subset_sum.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace hpart
{

// The start of the steps and the distance to the target.
struct Origin {
    double seconds;
    std::vector<std::int64_t> sizes; // of each function, a size within the time
    bool downwards;
    std::int64_t goal; // negative: even the smallest sizes are too large
};

// Sizes of the processors: the size of their function, but another size for its first few processors.
class Assignment
{
  public:
    Assignment(const Prepared &prepared, const std::vector<std::int64_t> &sizes);

    // The next so many processors of function f change by that.
    void change(std::size_t f, std::int64_t change, std::int64_t copies);
    std::vector<std::int64_t> take() { return std::move(x_); }

  private:
    const Groups &groups_;
    std::vector<std::size_t> next_;
    std::vector<std::int64_t> x_;
};

// The steps from an origin in units of their common divisor, made when they are asked for. One class a function.
class TimeSteps : public StepSource
{
  public:
    TimeSteps(const Prepared &prepared, const Origin &origin, std::int64_t divisor);

    std::int64_t goal() const override { return goal_; }
    std::size_t classes() const override { return instance_.functions(); }
    std::int64_t copies(std::size_t f) const override;
    std::span<const std::int64_t> steps_of(std::size_t f) const override;

    // `copies` copies of function f change by `step` units.
    void take(std::size_t f, std::int64_t step, std::int64_t copies);
    // So many are left out, at the origin.
    void leave_out(std::size_t f, std::int64_t copies) { used_[f] += copies; }

    std::vector<std::int64_t> sizes_after(const std::vector<TakenStep> &taken) const;

  private:
    bool add(double seconds, std::int64_t distance) const;

    const Prepared &prepared_;
    const Instance &instance_;
    const Origin &origin_;
    std::int64_t divisor_;
    std::int64_t goal_;
    std::vector<std::int64_t> used_; // copies of each function
    std::vector<TakenStep> taken_;
    mutable std::vector<std::int64_t> steps_;
};

// True if the function has that size with a time <= seconds.
inline bool is_within(const FunctionPoints &function, std::int64_t size, double seconds)
{
    const auto k = function.find(size);
    return k < function.count() && function.seconds[k] <= seconds;
}

} // namespace hpart
