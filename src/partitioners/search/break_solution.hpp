// The convex relaxation of a least sum, solved: a multiplier and the break solution, which is nearly best and the base of what follows.
#pragma once

#include "core/numbers.hpp"
#include "partitioners/search/cost_functions.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace hpart
{

// Choose one point of each class's function so that the sizes sum to the target.
struct SumOverFunctions {
    const CostFunctions &functions;
    std::span<const std::uint32_t> function_of; // of each class; no function is without one
    std::int64_t target;
    const PointTimes *times = nullptr; // null: all points are there
    double longest = infinity;         // points of longer times are absent

    std::size_t classes() const { return function_of.size(); }
    bool is_absent(std::size_t f, std::size_t k) const { return times != nullptr && times->of(f)[k] > longest; }
};

// The base point of one class.
struct BasePoint {
    std::size_t point;
    std::int64_t size;
    double cost;
};

struct BreakSolution {
    double multiplier = 0;
    std::vector<BasePoint> points; // a hull vertex of each class, of least cost - multiplier x size up to rounding
    std::int64_t residual = 0;     // target - their sizes
    // A class whose next vertex is as good, if any: taking it overshoots the target.
    struct BreakClass {
        std::size_t owner;
        BasePoint next;
    };
    std::optional<BreakClass> break_class;
    bool is_only = false; // proved: no other choice sums to the target, and the residual is 0

    // Cost - multiplier x size.
    double reduced(const BasePoint &point) const { return point.cost - multiplier * static_cast<double>(point.size); }
};

// Nothing when the target is below the smallest sum, above the largest, or some class has no point.
// `near`: a multiplier to begin with.
std::optional<BreakSolution> find_break_solution(const SumOverFunctions &sum, std::optional<double> near);

// The relaxation of a sum with times, by functions.
struct LeastPoints {
    double multiplier = 0;
    std::vector<std::uint32_t> points; // of each function: of least cost - multiplier x size, up to rounding
    std::vector<std::int64_t> copies;
    std::vector<std::uint32_t> low; // points, together below the target
    std::vector<std::uint32_t> high;
    bool is_only = false; // as in a break solution
};

// Nothing as above. `known`: the points at `near`, if they are known.
std::optional<LeastPoints> find_least_points(const SumOverFunctions &sum, std::optional<double> near,
                                             std::span<const std::uint32_t> known = {});
BreakSolution break_solution_of(const SumOverFunctions &sum, const LeastPoints &least);

// Bounds of a least sum by its relaxation, for falling bounds on the time.

class RelaxedSum
{
  public:
    // The relaxation of a sum with times at a multiplier.
    RelaxedSum(const SumOverFunctions &sum, double multiplier);
    // The same with another bound on the time, at the same multiplier.
    RelaxedSum within(double longest) const;
    // The same at the multiplier of the highest bound; nothing when the target is out of reach.
    std::unique_ptr<RelaxedSum> renewed() const;

    double longest() const { return sum_.longest; }
    double multiplier() const { return least_.multiplier; }
    // The break solution at this multiplier; nothing unless renewed() made this.
    std::optional<BreakSolution> base() const;
    // No choice costs less.
    double bound() const;
    // Leaves points of longer times out. Another multiplier may then have a higher bound.
    void shorten(double longest);

  private:
    RelaxedSum(const SumOverFunctions &sum, LeastPoints least);
    double reduced(std::size_t f) const;
    void add(double term);
    void add_all();
    bool find_point(std::size_t f);
    void find_all(double longest);

    SumOverFunctions sum_;
    LeastPoints least_;
    bool has_base_ = false;
    double value_ = 0;     // the bound but for rounding
    double magnitude_ = 0; // of all terms that were added
    std::size_t terms_ = 0;
};

} // namespace hpart
