#include "adaptive/noise.hpp"

#include <cmath>

namespace hpart
{

namespace
{

// Standard deviations that are taken for chance: of one time, and of the largest mean of many processors.
constexpr double chance_of_one = 4, chance_of_largest = 2;
// Repeated times in which one weighs half as much as the last.
constexpr double kept_share = 0.99;
// Standard deviation over mean absolute residual of a normal distribution. Outliers raise it less than a root mean square.
constexpr double deviation_of_mean_residual = 1.2533;

// A deviation from a mean of n times has (n + 1) / n times the variance of one time.
double spread(double count) { return (count + 1) / count; }

} // namespace

void Noise::add(double ratio, double count)
{
    residuals_ = kept_share * residuals_ + std::abs(ratio) / std::sqrt(spread(count));
    residual_count_ = kept_share * residual_count_ + 1;
}

double Noise::deviation() const
{
    return residual_count_ > 0 ? deviation_of_mean_residual * residuals_ / residual_count_ : 0;
}

double Noise::scaled(double ratio, double count) { return std::sqrt(spread(count)) * ratio; }

double Noise::of_one(double count) const { return scaled(chance_of_one * deviation(), count); }

double Noise::of_largest(double count) const { return chance_of_largest * deviation() / std::sqrt(count); }

} // namespace hpart
