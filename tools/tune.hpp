// hpart tune: what its two kinds of searches, of a distribution and of a front, share.
#pragma once

#include "arguments.hpp"
#include "meter.hpp"
#include "output.hpp"
#include "team_arguments.hpp"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace hpart_command
{

constexpr std::string_view front_goal = "front"; // the value of --objective that is no objective

struct TuneArguments {
    Common common;
    TeamArguments team;
    std::string sizes, size, output, objective = "time";
    std::optional<std::string> energy; // of a front
    std::optional<std::string> precision, confidence, budget, shares;
    bool has_no_confirmation = false;
    MeterArguments meter;
    QuietArguments quiet;

    bool is_energy() const
    {
        const auto *const kind = hpart::find_objective(objective);
        return is_front() || (kind != nullptr && kind->needs_energies);
    }
    bool is_front() const { return objective == front_goal; }
};

struct Searched {
    TeamMeter meter{MeterArguments{}}; // of an energy objective
    double seconds = 0;                // that the call took
};

// Calls the library with the team and the options; an interrupt keeps what was measured.
Searched search(const TuneArguments &arguments,
                const std::function<hpart_status(hpart_team *, const hpart_options *)> &call);

// The keys of any search but its certificate. points: of all sizes and processors; 0 if the search has no points.
void describe_search(Json &result, const Report &report, double seconds, std::size_t points);
// The line on stderr of a search that the budget ended.
void note_end_of_search(const Json &result);
// A sentence and a blank line; "" if few repetitions were disturbed.
std::string busy_text(const Json &result);
// "the budget ended first. Run it again to continue; about 73s ...": the reason, with the time for the rest.
std::string end_of_search(const Json &result);
// "Left out: 5 of the 6 sizes, ..."; "" if a split can have each.
std::string left_out_text(std::int64_t size, const std::vector<std::int64_t> &sizes, std::size_t processors);
// A line, "Assumed: no unmeasured size is over 1.3 times faster than its neighbours."; "" without an assumption.
std::string assumption_text(double jaggedness, const std::string &kind);
// The measured points and the file that has them.
std::string measured_text(const Json &result);

// --objective front.
void run_front(const TuneArguments &arguments, std::int64_t size, const std::vector<std::int64_t> &sizes);

} // namespace hpart_command
