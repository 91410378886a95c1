// Times of the points of cost functions: bounds on the time then leave points out without a copy of the functions.
#pragma once

#include "partitioners/search/cost_functions.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace hpart
{

class PointTimes
{
  public:
    // Those of each function's points.
    explicit PointTimes(std::vector<std::span<const double>> seconds) : seconds_(std::move(seconds))
    {
        constexpr auto block = CostFunctions::block_points;
        for (const auto times : seconds_) {
            for (std::size_t k = 0; k < times.size(); k += block)
                least_.push_back(*std::ranges::min_element(times.subspan(k, std::min(block, times.size() - k))));
            first_.push_back(least_.size());
        }
    }

    std::span<const double> of(std::size_t f) const { return seconds_[f]; }
    // The least of each block of function f.
    const double *of_blocks(std::size_t f) const { return least_.data() + first_[f]; }

  private:
    std::vector<std::span<const double>> seconds_;
    std::vector<std::size_t> first_{0}; // block of each function
    std::vector<double> least_;
};

} // namespace hpart
