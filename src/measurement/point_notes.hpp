// What a platform's comments say of points whose mean is worth less than it looks.
#pragma once

#include "measurement/mean_using_t_test.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hpart
{

// Replaces what comments say of a point by what its samples tell now: precision not reached, outliers, drift, serial correlation.
// Of many points a few have a small p-value by chance: drift and correlation are told from 0.001 on, a drift where it is more than
// the precision asked for, a correlation where it makes the interval too narrow.
void note_point(std::vector<std::string> &comments, std::string_view processor, std::int64_t size,
                const Measurement &measurement, std::size_t at, const StopRule &rule);

// Replaces what comments say of a failure at a point, by none where reason is "".
void note_failure(std::vector<std::string> &comments, std::string_view processor, std::int64_t size,
                  std::string_view reason);

// Half-width of the interval over the mean, of a point whose comment says that the precision was not reached.
std::optional<double> noted_precision(const std::vector<std::string> &comments, std::string_view processor,
                                      std::int64_t size);

} // namespace hpart
