// The certified optimum of a team: which distribution is the best here, within a ratio, from few measurements.
#pragma once

#include "core/options.hpp"
#include "core/progress.hpp"
#include "measurement/compare.hpp"
#include "measurement/optimize_request.hpp"
#include "measurement/resumable_file.hpp"
#include "measurement/rounds.hpp"
#include "measurement/team.hpp"
#include "optimum/certified_search.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace hpart
{

struct Rival {
    std::string method;
    std::vector<std::int64_t> x;
    std::vector<std::string> same_split = {}; // other methods that find it
    bool is_among_measured = false;           // the method took the sizes measured alone: others could not be measured
};

// The result for an application that gave one time for all processors: nothing is certified.
struct OneTimeFacts {
    std::int64_t runs = 0, distributions = 0, failed_runs = 0; // of the search
    bool is_settled = false;                                   // it ended because no other was likely to gain
};

struct Optimum : Findings {
    optimum::SearchRules rules;
    double confidence = 0;
    optimum::Certificate certificate; // of the search's distribution, the first of the rivals
    std::vector<Rival> rivals;
    std::optional<Comparison> race; // of the rivals; nothing where there is one only
    std::string race_failure;       // why there is none; empty: nothing failed
    std::size_t winner = 0;         // index of rivals
    optimum::Interval value{};      // of the winner: seconds or joules
    std::optional<double> median;   // of the winner's runs in the race
    std::optional<OneTimeFacts> one_time;
    bool is_refuted = false; // a certificate, by the runs
    std::string note;        // what the result means, and why nothing is certified
};

// Throws Error: infeasible when no sizes sum to the size, limit when the time was up before a distribution was measured.
Optimum optimize(const Team &team, const OptimizeRequest &request, Control &control);

// Its note in the file.
ChosenDistribution choice_of(const Optimum &optimum);

// The keys of hpart_team_optimize.
Report report_of(const Optimum &optimum);

// The confirmation in place: the result of a search and its baselines run against each other.

// The confirmation's share of all seconds.
inline constexpr double race_share = 0.2;

// Runs out.rivals, the search's first, and sets the winner and its value. Another rival wins only if it is better beyond doubt or,
// without a certificate, by more than the precision. budget: of the search, too. Failures and the end of the budget leave what was
// found. A run is judged by its time, unless `turn` is given.
void run_race(Optimum &out, const Team &team, const OptimizeRequest &request, const Budget &budget, const Poll &poll,
              const std::function<double(const std::vector<Slice> &)> &turn = {});

} // namespace hpart
