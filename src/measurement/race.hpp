// The confirmation in place: the result of a search and its baselines run against each other.
#pragma once

#include "measurement/optimize.hpp"

#include <functional>

namespace hpart
{

// The confirmation's share of all seconds.
inline constexpr double race_share = 0.2;

// Runs out.rivals, the search's first, and sets the winner and its value. Another rival wins only if it is better beyond doubt or,
// without a certificate, by more than the precision. spent: the seconds of the search. Failures and the end of the budget leave
// what was found. A run is judged by its time, unless `turn` is given.
void run_race(Optimum &out, const Team &team, const OptimizeRequest &request, double spent,
              const std::function<void()> &look, const std::function<double(const std::vector<Slice> &)> &turn = {});

} // namespace hpart
