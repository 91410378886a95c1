// Notes about points whose mean is less reliable than its interval says.
#pragma once

#include "measurement/mean_using_t_test.hpp"
#include "models/facts.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hpart
{

// Replaces a point's notes by new ones: precision not reached, outliers, drift, serial correlation. Among many points a few have a
// small p-value by chance, so drift and correlation are reported below 0.001 only: a drift if it exceeds the requested precision, a
// correlation if it makes the interval too narrow.
void note_point(Facts &facts, std::string_view processor, std::int64_t size, const Measurement &measurement,
                std::size_t at, const StopRule &rule);

// Replaces the notes about a failure at a point, or that it has no time; removes them if reason is "".
void note_failure(Facts &facts, std::string_view processor, std::int64_t size, std::string_view reason);
// Notes that the budget ended while the point ran, after so many seconds. A noted failure stays.
void note_unfinished(Facts &facts, std::string_view processor, std::int64_t size, double seconds);

// Keeps the first doubt about printed times, "" being none.
void note_time_doubt(Facts &facts, std::string_view doubt);

// Keeps a search's result in place of an earlier one for the objective and size. A prediction does not replace a result that ran, unless
// it alone is certified.
void note_choice(Facts &facts, ChosenDistribution choice);

// Half-width of the interval over the mean, of a point whose note says that the precision was not reached.
std::optional<double> noted_precision(const Facts &facts, std::string_view processor, std::int64_t size);
// Returns the notes about failures and unfinished points. The latest is the last.
std::vector<Note> noted_failures(const Facts &facts);
// Returns the index behind the last note of that point; 0 if there is none.
std::size_t place_of_failure(const std::vector<Note> &failures, std::string_view processor, std::int64_t size);

} // namespace hpart
