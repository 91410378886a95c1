// Rows of one size are runs: their mean and its 95 % confidence interval count.
#pragma once

#include <span>

namespace hpart
{

struct MeanOfRuns {
    double mean, low, high;
};

// Student's interval; its lower end is at least 0. At least two values, none negative.
MeanOfRuns mean_of_runs(std::span<const double> values);

} // namespace hpart
