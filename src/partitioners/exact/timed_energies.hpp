// The energies of the points that are fast enough.
#pragma once

#include "core/aligned.hpp"
#include "partitioners/prepared.hpp"
#include "partitioners/sums/cost_functions.hpp"

#include <cstddef>
#include <limits>
#include <vector>

namespace hpart
{

class TimedEnergies
{
  public:
    explicit TimedEnergies(const Prepared &prepared);

    // Those of time <= longest, until the next call. A bound below the one before costs what is between them, one above it a copy of all.
    const CostFunctions &within(double longest);

  private:
    void begin_anew();
    void remove(std::vector<std::size_t> &points);

    const Prepared &prepared_;
    const Instance &instance_;
    AlignedVector<double> joules_; // infinite where too slow
    CostFunctions functions_;
    double longest_ = std::numeric_limits<double>::infinity();
    std::size_t removed_ = 0; // of the points by falling time
    std::vector<std::size_t> going_;
};

} // namespace hpart
