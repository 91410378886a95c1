// Runs several distributions in turns, until each is distinguishable from the first or known to be equally fast.
#pragma once

#include "measurement/estimator.hpp"
#include "measurement/measure.hpp"
#include "measurement/team.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hpart
{

enum class CompareEnd : std::uint8_t { distinguishable, precision, max_repetitions, max_seconds, cancelled };
std::string_view compare_end_name(CompareEnd end);

struct Ratio {
    double value = 1, low = 1, high = 1;
    bool is_distinguishable() const { return low > 1 || high < 1; }
};

struct Comparison {
    std::size_t best = 0; // of the least mean
    std::vector<Estimate> estimates;
    std::vector<Ratio> ratios; // of each mean to the first; with medians: the medians of the rounds' ratios
    std::int64_t repetitions = 0;
    CompareEnd end = CompareEnd::precision;
    std::vector<double> samples; // round by round, one per distribution
    std::vector<double> utilisation =
        {}; // one per distribution: mean busy time of all processors over the mean of the longest
    std::vector<std::string> broken = {}; // one per distribution: what its processors did that did not keep their cores
    std::int64_t contaminated = 0;        // runs that the system disturbed, of all distributions
    std::string busy = {};                // who disturbed more than a third of the runs
};

// Seconds of one run of a distribution.
using Turn = std::function<double(std::size_t distribution)>;

// Each round runs all once, in random order. Looks after rule.min_repetitions rounds and each time there are half as many more;
// stops when every ratio's interval leaves out 1 or is as narrow as rule.precision, or at the rule's limits.
// report: after each round, of the first distribution.
Comparison compare(const StopRule &rule, std::size_t distributions, const Turn &turn, const ElapsedSeconds &elapsed,
                   const MeanReport &report = {});

struct CompareSettings {
    StopRule rule;
    std::int64_t warmup = 1;
    bool simultaneous = true;
    CountersOf counters = {}; // none: runs are not judged
};

// Before each turn the team's kernels are prepared anew and run `warmup` times. `slices` has one entry per distribution. Not
// simultaneous: processors run one after another and their times add up; an application runs its own processors as it likes.
Comparison compare(const Team &team, const std::vector<std::vector<Slice>> &slices, const CompareSettings &settings,
                   const Poll &poll);

} // namespace hpart
