// The platform file that a profile or a search of the optimum writes as it measures. A later call that measures the same processors in the
// same way continues it.
#pragma once

#include "core/file.hpp"
#include "measurement/estimator.hpp"
#include "measurement/team.hpp"
#include "models/facts.hpp"
#include "models/platform.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hpart
{

// Notes about points whose mean is less reliable than its interval says.

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

// Each write synchronises the file.
inline constexpr double least_seconds_between_writes = 0.2;

// Returns a platform without points, with the facts of their measurement.
Platform platform_of(const Team &team, bool simultaneous, Statistic statistic);

// Two calls that went on with one file would each write over what the other has measured. Nothing is locked where the file is no regular
// one. Fails when another process has it.
void lock_file(const std::string &path, std::optional<FileLock> &held);

// Throws: the file cannot be continued.
[[noreturn]] void refuse_file(const std::string &path, const std::string &reason);

// Reads the file; nothing if it is missing or empty. Fails unless it was measured as the platform will be.
std::optional<Platform> read_to_continue(const std::string &path, const Platform &platform);

// True if one of its points must be measured again: it does not name this machine with its kernels, or the team's programs and devices as
// they are now, or it names no kernel.
bool is_to_be_checked(const Platform &platform, const Team &team);
// The share of its time by which a repeated point may differ: as asked, else 0.25, or 0.05 after a change of the machine, a program or a
// device, whose times differ by more than noise. Infinite: no point is repeated.
double tolerance_of(const Platform &platform, const Team &team, std::optional<double> asked);
// Names this machine too, and the team's programs and devices, after the check.
void note_origin(Platform &platform, const Team &team);

// The middle one of the sizes that all these processors have. The smallest barely distinguish kernels; the largest take longest.
std::optional<std::int64_t> size_to_check(const std::vector<std::vector<std::int64_t>> &sizes);

// A point of a file that is measured again.
struct RepeatedPoint {
    std::string_view processor;
    std::int64_t size;
    double before, now;
    double half_width; // of either's interval, in all
};

// The repeated point must agree within the tolerance.
void require_agreement(const std::string &path, const Platform &platform, const RepeatedPoint &point, double tolerance);

} // namespace hpart
