// Bounds of a least sum by its relaxation, for falling bounds on the time.
#pragma once

#include "partitioners/search/break_solution.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

namespace hpart
{

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
