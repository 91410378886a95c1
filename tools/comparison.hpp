// One row of a comparison: a method's distribution of a size, predicted, and as execution.hpp executes it beside the others.
#pragma once

#include "arguments.hpp"
#include "core/numbers.hpp"
#include "core/objectives.hpp"
#include "file.hpp"
#include "library.hpp"
#include "output.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
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
// The goal that an objective minimises.
constexpr Goal goal_of(hpart::Objective objective)
{
    switch (objective) {
    case hpart::Objective::time:
    case hpart::Objective::sum_time: break;
    case hpart::Objective::energy: return goal_energy;
    case hpart::Objective::total_energy: return goal_total;
    }
    return goal_time;
}

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

// The points of a front as rows, with the intervals of its report; of a search's front the medians.
std::vector<Row> front_rows(const hpart_front *front, std::size_t processors);
// energy: the heading of its column.
std::string front_table(const std::vector<Row> &rows, const std::vector<std::string> &names, const std::string &energy);
// The keys NAME_low and NAME_high.
void set_interval(Json &json, const std::string &name, const Interval &interval);

} // namespace hpart_command
