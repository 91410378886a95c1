// Steps of dynamic programs along dense rows: each value is lowered to what another row and one more cost make.
#pragma once

#include "partitioners/search/simd/level.hpp"

#include <cstddef>

namespace hpart
{

// out[k] = min(out[k], row[k] + cost); out and row do not overlap.
void lower_to_sums(SimdLevel level, double *out, const double *row, double cost, std::size_t count);

// out[k] = min(out[k], max(row[k], cost)); out and row do not overlap.
void lower_to_maxima(SimdLevel level, double *out, const double *row, double cost, std::size_t count);

} // namespace hpart
