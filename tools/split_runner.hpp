// Distributions executed on a team: checked once, then compared in rounds, so that a machine that changes its pace meanwhile
// changes it for all of them.
#pragma once

#include "arguments.hpp"
#include "library.hpp"
#include "meter.hpp"
#include "output.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace hpart_command
{

struct Execution {
    double seconds = 0; // mean over the rounds of the largest processor time
    Interval interval;  // of the mean
    double ratio = 1;   // of the mean to the first distribution's
    Interval ratio_interval{1, 1};
    std::int64_t repetitions = 0;
    double utilisation = 0; // mean busy time of all processors over the time
    bool checked = false;
    double max_relative_error = std::numeric_limits<double>::quiet_NaN(); // of those checked
    std::string binding_warning;                                          // of processors that did not keep their cores
    std::int64_t contaminated = 0;                                        // runs of all that other work disturbed
    std::string busy;                                                     // who did, if they were many
    bool is_cut_off = false; // the time ended before each could be told apart from the first
    // Dynamic, of a repetition, and its standard error; NaN without a meter.
    double joules = std::numeric_limits<double>::quiet_NaN();
    double joules_error = std::numeric_limits<double>::quiet_NaN();

    bool is_distinguishable() const { return ratio_interval.low > 1 || ratio_interval.high < 1; } // from the first
};

// The first split against another one, by measured times.
enum class Comparison { same, faster, slower, undecided, scattered };
// ratio: of the other's time to the first one's. is_same: the two are the same distribution.
Comparison compare(const Interval &ratio, bool is_same);

constexpr double most_seconds_a_split = 15;

// Each split runs twice, whatever the budget is: a program that hangs ends after so many seconds at least.
inline constexpr double least_timeout = 1;

// The time of a call, which its parts share one after another.
class TimeBudget
{
  public:
    // Nothing: each part takes its usual time.
    explicit TimeBudget(std::optional<double> seconds = std::nullopt) : seconds_(seconds) {}
    // Seconds for the next `parts` of the `left` that are to come: their share of the rest, or the usual time.
    double share(std::size_t parts, std::size_t left, double usual) const;
    bool is_given() const { return seconds_.has_value(); }
    bool is_up() const { return seconds_ && std::chrono::duration<double>(Clock::now() - begin_).count() >= *seconds_; }

  private:
    using Clock = std::chrono::steady_clock;
    std::optional<double> seconds_;
    Clock::time_point begin_ = Clock::now();
};

// One entry per distribution, in their order. Those that occur twice run once, and empty ones do not run; the first one has work.
// --option goes to the comparison and to the measurement of energy, whichever knows it. A meter that fails is given up: the times
// are there all the same. most_seconds: of the comparison, a distribution, and of the energy (5 at most), unless --option max_seconds says it.
// simultaneous: false: processors run in turn, and their times add up.
// late: takes an interrupt after complete rounds, or a failure of the energy measurement, which then ends without its other joules.
// budget: shares the rest of it after the checks with `later` more measurements.
std::vector<Execution> execute_splits(hpart_team *team, const std::vector<std::vector<std::int64_t>> &distributions,
                                      bool has_reference, const Common &common, TeamMeter &meter, bool simultaneous,
                                      double most_seconds = most_seconds_a_split,
                                      std::optional<Failure> *late = nullptr, const TimeBudget &budget = TimeBudget(),
                                      std::size_t later = 0);

// The failure of a measurement after the comparison, which is written first.
Failure late_failure(const char *measurement, const Failure &failure);

// --objective of a command that runs distributions. Sums of times have no energies.
std::int32_t parse_time_objective(const std::string &name, const MeterArguments &meter);

} // namespace hpart_command
