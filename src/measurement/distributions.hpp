// The distributions of statistics that measuring needs: by GSL, or by Boost.Math where there is no GSL.
#pragma once

#include <cstdint>

namespace hpart
{

// Without either library all of them fail with Status::unsupported.

// The p-quantile of Student's t, 0 < p < 1, degrees >= 1.
double t_quantile(double p, std::int64_t degrees);
// The probability that Student's t is above the value.
double t_upper_tail(double value, double degrees);
double chi_squared_upper_tail(double value, double degrees);
// The probability that a standard normal variable is at most the value.
double normal_p(double value);
// The probability of at most so many heads in throws >= 1 of a fair coin.
double coin_p(std::int64_t heads, std::int64_t throws);

} // namespace hpart
