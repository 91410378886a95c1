// Rows executed on a team: checked once, then compared in rounds, so that a machine that changes its pace meanwhile changes it for all.
#pragma once

#include "arguments.hpp"
#include "comparison.hpp"
#include "library.hpp"
#include "meter.hpp"
#include "output.hpp"
#include "team.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace hpart_command
{

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
    double share(std::size_t parts, std::size_t left, double usual = 0) const;
    bool is_up() const { return seconds_ && std::chrono::duration<double>(Clock::now() - begin_).count() >= *seconds_; }

  private:
    using Clock = std::chrono::steady_clock;
    std::optional<double> seconds_;
    Clock::time_point begin_ = Clock::now();
};

struct ExecutionSettings {
    const Common &common;                       // --option goes to the comparison and to the measurement of energy
    bool checks;                                // first the results, of one built-in kernel
    bool simultaneous = true;                   // false: processors run in turn, and their times add up
    double most_seconds = most_seconds_a_split; // of a distribution; its energy takes 5 at most
    TimeBudget budget = TimeBudget();
    std::size_t later = 0; // measurements that share the budget's rest, after the checks
};

// All rows' rounds.
struct Rounds {
    std::int64_t repetitions = 0, contaminated = 0; // disturbed by other work
    std::string busy, binding_warning;              // who disturbed many; processors that did not keep their cores
    std::string statistic;                          // "mean", "median"
    double confidence = unknown;
    bool is_cut_off = false;        // the time ended before each could be told apart from the first
    std::optional<Failure> failure; // after complete rounds: an interrupt, or a failed measurement of energies
    bool has_failed_energy = false;
};

// Equal splits run once; the first one has work. A meter that fails is given up: the times are there all the same.
Rounds execute_rows(hpart_team *team, std::vector<Row> &rows, const ExecutionSettings &settings, TeamMeter &meter);
// Executes self-scheduling, with the sizes of the platform; no row where the simulation has no schedule.
void execute_dynamic(hpart_team *team, const hpart_platform *platform, std::int64_t size, std::vector<Row> &rows,
                     const ExecutionSettings &settings);

// --objective of a command that runs distributions. Sums of times have no energies.
constexpr bool is_of_times(const hpart::ObjectiveKind &kind) { return !kind.needs_energies; }
// Refuses sums of times. needs: "--dynamic needs".
void require_at_once(std::int32_t objective, std::string_view needs);
std::int32_t parse_time_objective(const std::string &name, const MeterArguments &meter);
// --dynamic: refuses processors that run one after another, and an application, which runs all of them.
void require_queues(std::int32_t objective, const FileTeam &team);

// The report of a call that runs packages from queues.
Json execute_queues(std::uint32_t call, const ExecutionSettings &settings,
                    const std::function<hpart_status(const hpart_options *, double *, hpart_report **)> &run);
// "12 ms (11 to 13)", and the mean over all processors, "92 %".
std::string queues_text(const Json &run);
std::string utilisation_text(const Json &run);

} // namespace hpart_command
