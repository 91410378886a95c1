// Comments of a platform about points whose mean is less reliable than its interval says.
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

// Replaces a point's comments by new ones: precision not reached, outliers, drift, serial correlation. Among many points a few have a
// small p-value by chance, so drift and correlation are reported below 0.001 only: a drift if it exceeds the requested precision, a
// correlation if it makes the interval too narrow.
void note_point(std::vector<std::string> &comments, std::string_view processor, std::int64_t size,
                const Measurement &measurement, std::size_t at, const StopRule &rule);

// Replaces the comments about a failure at a point, or that it has no time; removes them if reason is "".
void note_failure(std::vector<std::string> &comments, std::string_view processor, std::int64_t size,
                  std::string_view reason);
// Notes that the budget ended while the point ran, after so many seconds. A noted failure stays.
void note_unfinished(std::vector<std::string> &comments, std::string_view processor, std::int64_t size, double seconds);

// Keeps the first doubt about printed times, "" being none.
void note_time_doubt(std::vector<std::string> &comments, std::string_view doubt);
std::string noted_time_doubt(const std::vector<std::string> &comments);

// Keeps a search's result for a size in place of an earlier one: "chosen time 1600 = 600,1000 ran 0.0541 certified 0.05".
inline constexpr std::string_view chosen_key = " chosen ";
struct ChosenDistribution {
    std::string_view objective;
    std::int64_t size = 0;
    std::vector<std::int64_t> x;
    double value = 0;                // seconds or joules
    bool has_run = false;            // else the value is predicted
    std::optional<double> certified; // the precision
};
void note_choice(std::vector<std::string> &comments, const ChosenDistribution &choice);

// Half-width of the interval over the mean, of a point whose comment says that the precision was not reached.
std::optional<double> noted_precision(const std::vector<std::string> &comments, std::string_view processor,
                                      std::int64_t size);
// True if a comment says that the precision of the point's time or energy was not reached.
bool is_noted_imprecise(const std::vector<std::string> &comments, std::string_view processor, std::int64_t size);
// Returns the comments about failures and unfinished points. The latest is the last.
std::vector<std::string> noted_failures(std::vector<std::string> comments);
// Returns the index behind the comment of that point; 0 if there is none.
std::size_t place_of_failure(const std::vector<std::string> &comments, std::string_view processor, std::int64_t size);

} // namespace hpart
