// The energy functions of a profile, beside the times.
#pragma once

#include "measurement/energy.hpp"
#include "measurement/estimator.hpp"
#include "models/platform.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace hpart
{

struct EnergyRequest {
    EnergySettings settings;
    bool simultaneous = false; // false: each processor while the others are idle

    static EnergyRequest from(const Options &options);
};

class EnergyProfile
{
  public:
    // Does nothing for a team without meters. Fails when its meters do not fit the request.
    EnergyProfile(const Team &team, const EnergyRequest &request, bool times_are_simultaneous);

    bool wanted() const { return wanted_; }
    // Notes the source of the energies in a new platform, so that nobody takes an estimate for a measurement.
    void describe(Platform &platform) const;
    // Returns why a file's platform cannot be continued; "" if it can. All of its points must be above one base power; a node's is taken
    // from it.
    std::string resume(const Platform &found);
    // Measures the base power and sets it in the platform. Call it before anything runs.
    void prepare(Platform &platform, const Poll &poll);
    // The base power of the whole team; its watts are the platform's.
    BasePower base_power() const;
    // Measurements that a point of so many processors takes.
    std::size_t measurements(std::size_t processors) const;
    // Seconds of one window for each of them.
    double least_seconds(std::size_t processors) const;
    // Measures each of the processors at this size, for at most max_seconds each.
    void measure(Platform &platform, std::span<const std::size_t> processors, std::int64_t size, double max_seconds,
                 const Poll &poll);

    // Measures `count` windows of a distribution with all of the team's meters. Call prepare first.
    EnergyMeasurement windows(std::vector<Slice> slices, std::int64_t count, const Poll &poll) const;

    // Fails if the interval of an energy that is to be kept is below 0, and throws MeterFailure if the only window is.
    void require_no_less_than_nothing(std::size_t processor, std::int64_t size, const EnergyEstimate &estimate) const;

  private:
    std::string line() const;
    void keep(Platform &platform, std::size_t processor, std::int64_t size, const EnergyMeasurement &measured,
              std::size_t k) const;

    const Team &team_;
    const EnergyRequest &request_;
    const bool wanted_;
    std::vector<BasePower> bases_; // none until they are known
};

// The note of an energy with the upper end of its interval (NaN: unknown) after so many windows.
Imprecision imprecise_energy(double joules, double high, std::int64_t windows);

// The file of all samples of a call: CSV, one line a run, whole points only.

// processor,size,repetition,seconds,outlier
std::string samples_header();
// The lines of a processor's run of a size; outlier is 1 where a sample is far from the median.
std::string sample_lines(std::string_view processor, std::int64_t size, std::span<const double> seconds);

// All runs of a processor at a size, as a file of samples has them.
struct SampledRuns {
    std::string_view processor;
    std::int64_t size = 0;
    std::int64_t repetitions = 0;
    std::vector<double> seconds = {};
    bool is_cut = false; // its last line
    std::string_view lines = {};
};

// In the order of the file; the views are of the content. A last line that was cut short is left out. Status::format, naming file
// and line, when there is anything else than whole lines of points, each once. names: those that processors may have; none: any.
std::vector<SampledRuns> parse_samples(std::string_view content, const std::string &path,
                                       std::span<const std::string> names);

// The points of a continued profile.
struct SampledProfile {
    std::vector<std::string> names;
    std::vector<std::vector<std::size_t>> groups; // processors that are measured together
    Statistic statistic = Statistic::mean;
    // The time of a point that is done: that statistic of its samples.
    std::function<std::optional<double>(std::size_t processor, std::int64_t size)> time;
};

// Appends to a file whose earlier points are kept. Lines are written after the file of the platform: a kill at any moment leaves
// whole points, and behind them at most lines of a cut point. Points without lines are measured again.
class SamplesFile
{
  public:
    // Starts the file anew with the points of the continued profile, if any. Lines belong to a point if their mean is its time, for all
    // processors that are measured together. A last point of the file that is unknown or cut is dropped. Status::format, without a
    // change of the file, if other content is not of the profile.
    SamplesFile(std::string path, const std::optional<SampledProfile> &resumed);
    bool has(std::size_t processor, std::int64_t size) const { return points_.contains({processor, size}); }
    // All runs of a point.
    void add(std::span<const std::size_t> processors, std::int64_t size, std::string_view lines);
    // Returns when the lines of the added points are on the disk.
    void write_added();

  private:
    std::string lines_to_keep(std::string_view content, const SampledProfile &resumed);

    std::string path_, added_;
    std::set<std::pair<std::size_t, std::int64_t>> points_; // in the file or added
};

} // namespace hpart
