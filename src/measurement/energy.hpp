// Dynamic energy of a distribution: what a team's meters read while it runs, less what the idle machine would have taken.
//
// E_D = E_T - P_S T a repetition (Khaleghzadeh's thesis, 2019). A window of the meters takes as many repetitions as make it long
// enough for them, and windows are repeated until the mean is known (mean_using_t_test). The base power's standard error is the
// same in all windows and cannot be averaged away: it is added to the interval.
#pragma once

#include "core/error.hpp"
#include "core/progress.hpp"
#include "energy/tally.hpp"
#include "measurement/estimator.hpp"
#include "measurement/team_run.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace hpart
{

// A meter failed in a window: this energy is not known, the next may be.
class MeterFailure final : public Error
{
  public:
    using Error::Error;
};

struct EnergySettings {
    StopRule rule; // its precision is the energy's
    std::int64_t warmup = 1;
    std::optional<double> base_power;   // watts; of a node's meter only
    std::optional<double> base_seconds; // in which it is measured

    static EnergySettings from(const Options &options);
};

// One meter's energy of a repetition.
struct EnergyEstimate {
    double joules = 0; // dynamic
    double low = 0, high = 0;
    double scatter = 0;         // standard error of the mean over the windows
    double base_half_width = 0; // of the interval: what the base power's error alone makes
    double seconds = 0;
    double total_joules = 0;
    BasePower base;

    // Standard error of the joules, from the windows' scatter and the base power's error.
    double standard_error() const;
    // True if the interval is within the precision. Never true of an energy <= 0.
    bool is_precise(double precision) const { return high - joules <= precision * joules; }
};

struct EnergyMeasurement {
    std::vector<EnergyEstimate> estimates; // one per meter of the run
    std::int64_t windows = 0;
    std::int64_t repetitions = 0; // in all windows
    StopReason reason = StopReason::precision;
    bool precise = true;           // the intervals, base power's errors included, are as narrow as asked for
    std::vector<double> samples;   // window by window, one per meter
    std::int64_t contaminated = 0; // windows in which disks, the network, paging or fans took energy
    std::string busy = {};         // who did; "" if nobody
};

// Fails unless the team has a meter of the node or one for each of its processors.
void require_meters(const Team &team);

// The base power of each of the team's meters: the setting, else what the meter knows already, else measured now, while the
// team does nothing.
std::vector<BasePower> base_powers(const Team &team, const EnergySettings &settings, const Poll &poll);

// Half the width of the base power's confidence interval, in watts.
double half_width_of(const BasePower &base, double confidence);

// One estimate for the node's meter, or one for each processor that has rows, in order. bases: of base_powers().
EnergyMeasurement measure_energy(const Team &team, std::vector<Slice> slices, const EnergySettings &settings,
                                 std::span<const BasePower> bases, const Poll &poll);

// "counter", "estimated": of all meters, each once.
std::string energy_method(const Team &team);
// "rapl": likewise.
std::string energy_meter(const Team &team);

// Adds the keys of hpart_team_measure to the report. Numbers for the node's meter; arrays with an entry per processor, 0 where
// idle, for meters of processors.
void add_energy(Report &report, const Team &team, const EnergyMeasurement &measurement,
                std::span<const std::size_t> active);

} // namespace hpart
