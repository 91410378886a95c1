// The energies of the points that are fast enough.
#pragma once

#include "partitioners/problem/prepared.hpp"
#include "partitioners/search/cost_functions.hpp"

#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

namespace hpart
{

class TimedEnergies
{
  public:
    explicit TimedEnergies(const Prepared &prepared) : prepared_(prepared), instance_(prepared.instance()) {}

    // Those of time <= longest, until the next call. A bound below the one before costs what is between them, one above it a pass over all.
    const CostFunctions &within(double longest);
    // The multiplier that the next sums will have, nearly.
    void expect(double multiplier);

  private:
    void begin_anew(double longest);
    void remove_between(double longest);
    std::vector<CostPoints> points() const;

    const Prepared &prepared_;
    const Instance &instance_;
    AlignedVector<double> joules_;           // of all points; infinite where too slow
    std::optional<CostFunctions> functions_; // once a bound has left something out
    double tilt_ = 0;
    double longest_ = std::numeric_limits<double>::infinity();
    std::vector<PointPlace> going_;        // points that become too slow
    std::vector<std::size_t> of_function_; // those of one function
};

} // namespace hpart
