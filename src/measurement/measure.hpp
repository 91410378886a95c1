// The measurement and the execution of one distribution by a team.
#pragma once

#include "core/options.hpp"
#include "core/progress.hpp"
#include "measurement/mean_using_t_test.hpp"
#include "measurement/team_run.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace hpart
{

// The counters to judge a run by. earlier: this process's threads before the run's own were started.
using CountersOf =
    std::function<std::unique_ptr<Counters>(const Team &team, const TeamRun &run, const std::set<pid_t> &earlier)>;

// The share that is done, and the present value: "60.2 ms +- 3 % after 57 runs". May throw.
using ProgressReport = std::function<void(double fraction, const std::string &what)>;

struct MeasureSettings {
    StopRule rule;
    std::int64_t warmup = 1;
    std::string samples;      // a file for all samples; "": none
    CountersOf counters = {}; // none: repetitions are not judged
    ProgressReport progress = {};

    // With this machine's counters, without a report of progress.
    static MeasureSettings from(const Options &options);
};

// The estimates are of the processors that have rows, in order. before_repetition is called from this thread between the
// repetitions. It is called during them only where it can interrupt them: it would disturb kernels of this process.
Measurement measure(const Team &team, std::vector<Slice> slices, const MeasureSettings &settings,
                    const std::function<void()> &before_repetition);

struct Execution {
    std::vector<double> seconds;                                    // one per processor, 0 where idle
    std::vector<std::pair<std::string, std::vector<double>>> parts; // of a run in parts: seconds of each, as `seconds`
    std::optional<Check> check;
};

// Fails unless the team has one built-in kernel, whose results have a reference.
void require_reference(const Team &team);
// Compares consecutive slices from row 0. Status::numerical: they are wrong.
Check check_slices(const BuiltinKernel &checker, std::span<const SliceResult> slices);

// Fails with Status::numerical when the check finds the result wrong.
Execution execute(const Team &team, std::span<const std::int64_t> x, std::int64_t warmup, bool check, Control &control);

// The keys of hpart_team_measure; arrays have an entry for each of the processors, 0 for those that are not active.
Report report_of(const Measurement &measurement, const StopRule &rule, std::span<const std::size_t> active,
                 std::size_t processors);

} // namespace hpart
