// One row of a comparison: a method's distribution of a size, predicted, and executed beside the others.
#pragma once

#include "arguments.hpp"
#include "core/numbers.hpp"
#include "file.hpp"
#include "library.hpp"
#include "meter.hpp"
#include "output.hpp"
#include "team.hpp"

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hpart_command
{

using hpart::unknown;

// The usual methods, which the optimal distribution is compared with, and self-scheduling.
constexpr std::array<const char *, 4> usual_methods = {"equal", "cpm", "fpm", "balanced"};
constexpr std::array<const char *, 4> dynamic_methods = {"fixed", "guided", "factoring", "sigmoid"};

// The goals of a comparison: time, dynamic energy, total energy.
enum Goal : std::size_t { goal_time, goal_energy, goal_total };
constexpr std::size_t goal_count = 3;

struct Cost {
    double value = unknown;
    Interval interval;
};

// The share of a distribution's time or energy that the best one saves.
struct Gain {
    double value = unknown;
    Interval interval;
    std::optional<bool> is_sure; // the two can be told apart; nothing: they are not known
    bool is_same = false;        // the two are the same distribution
};

// The gain of `best` over `other`; is_same: they are the same distribution.
Gain gain_of(const Cost &best, const Cost &other, bool is_same);

struct Execution {
    Cost time;              // over the rounds: of the largest processor time
    Cost ratio{1, {1, 1}};  // of the time to the first distribution's
    double utilisation = 0; // mean busy time of all processors over the time
    bool checked = false;
    double max_relative_error = unknown;             // of those checked
    double joules = unknown, joules_error = unknown; // dynamic, of a repetition, and its standard error
    double total_joules = unknown;
    Json queues; // of self-scheduling: the report

    bool is_distinguishable() const { return ratio.interval.low > 1 || ratio.interval.high < 1; } // from the first
};

enum class RowKind { split, least_energy, dynamic };

struct Row {
    std::string method;
    RowKind kind = RowKind::split;
    std::vector<std::int64_t> x = {};        // empty: none; dynamic: each processor's in all
    std::optional<Failure> failure = {};     // the reason why the method has none
    std::array<Cost, goal_count> costs = {}; // predicted
    std::array<Gain, goal_count> gains = {}; // of the best row by the goal, over this one
    std::optional<Execution> execution = {};
    Gain measured = {}; // in time
};

// One size of a platform, for any method.
struct Problem {
    const hpart_platform *platform;
    std::int64_t size;
    const Common &common;
    std::uint32_t calls; // whose options of --option the methods take
    bool has_energy;
    std::optional<double> base_power = {}; // nothing: total energies are not known
    ProgressBar *bar = nullptr;
};

struct Method {
    std::string name, method;                    // as the result shows it, and as the library knows it
    std::optional<std::int64_t> speed_size = {}; // of cpm
};

// Fails if the call was cancelled; true: the method has no answer for these functions.
bool has_no_answer(hpart_status status);
// The method's row. setting: of --option.
Row predict(const Problem &problem, const Method &method, std::int32_t objective, const char *setting = nullptr);
// The same among the sizes that were measured: no distribution if it is not the method's own. Throws any failure but that none exists.
Row predict_measured(const Problem &problem, const Method &method, std::int32_t objective, const Facts &facts);
// Self-scheduling, simulated with the options of --option.
Row simulate(const Problem &problem, const char *method);

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
    TimeBudget budget = TimeBudget();           // shared, after the checks, with so many later measurements:
    std::size_t later = 0;
};

// All rows' rounds.
struct Rounds {
    std::int64_t repetitions = 0, contaminated = 0; // disturbed by other work
    std::string busy, binding_warning;              // who disturbed many; processors that did not keep their cores
    std::string statistic;                          // "mean", "median"
    double confidence = unknown;
    bool is_cut_off = false;        // the time ended before each could be told apart from the first
    std::optional<Failure> failure; // after complete rounds: an interrupt, or with `energy` its measurement
    bool has_failed_energy = false;
};

// Executes the splits in rounds, so that a machine that changes its pace meanwhile changes it for all of them. Equal splits run once.
// The first one has work. A meter that fails is given up: the times are there all the same.
Rounds execute_rows(hpart_team *team, std::vector<Row> &rows, const ExecutionSettings &settings, TeamMeter &meter);
// Executes self-scheduling, with the sizes of the platform; no row where the simulation has no schedule.
void execute_dynamic(hpart_team *team, const hpart_platform *platform, std::int64_t size, std::vector<Row> &rows,
                     const ExecutionSettings &settings);

// --objective of a command that runs distributions. Sums of times have no energies.
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
