// Synthetic series of the tests of statistics: a tenth of them in a usual run.
#pragma once

#include "support/random.hpp"

#include <cmath>

namespace hpart
{

inline int series_of(int whole) { return support::is_long_run() ? whole : whole / 10; }

// Three standard errors of a share near p.
inline double margin_of(double p, int whole) { return 3 * std::sqrt(p * (1 - p) / series_of(whole)); }

} // namespace hpart
