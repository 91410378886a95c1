// Self-scheduling beside static splits: simulated on the functions, and executed.
#pragma once

#include "arguments.hpp"
#include "library.hpp"
#include "output.hpp"
#include "team.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace hpart_command
{

constexpr std::array<const char *, 4> dynamic_methods = {"fixed", "guided", "factoring", "sigmoid"};

// --dynamic: refuses processors that run one after another, and an application, which runs all of them.
void require_queues(std::int32_t objective, const FileTeam &team);

struct DynamicRow {
    std::string method;
    std::string reason;             // why it has no schedule
    std::vector<std::int64_t> rows; // of each processor
    double predicted = 0;
    Interval predicted_interval;
};

// Simulates with the options of --option.
DynamicRow simulate_dynamic(const hpart_platform *platform, std::int64_t size, const char *method,
                            const Common &common);

// The queues of a schedule on a team: hpart_team_run_schedule. check: of one built-in kernel.
Json execute_schedule(hpart_team *team, const hpart_schedule *schedule, bool check, const Common &common);
// The methods on a team, with the sizes of its platform; nothing where the simulation has no schedule. most_seconds: of each, unless
// --option max_seconds says it.
std::vector<Json> execute_dynamic(hpart_team *team, const hpart_platform *platform, std::int64_t size, bool check,
                                  const std::vector<DynamicRow> &rows, const Common &common, double most_seconds);

Json dynamic_json(const std::vector<DynamicRow> &rows, const std::vector<Json> &runs);
// A table for people.
std::string dynamic_text(const std::vector<std::string> &names, const std::vector<DynamicRow> &rows,
                         const std::vector<Json> &runs);
// "makespan 12 ms (11 to 13 ms), measured; utilisation 92 %"
std::string schedule_run_text(const Json &run);

} // namespace hpart_command
