// The energy functions of a profile, beside the times.
#pragma once

#include "measurement/energy.hpp"
#include "models/platform.hpp"

#include <cstdint>
#include <functional>
#include <span>
#include <string>
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
    void prepare(Platform &platform, const std::function<void()> &before);
    // The base power of the whole team; its watts are the platform's.
    BasePower base_power() const;
    // Measurements that a point of so many processors takes.
    std::size_t measurements(std::size_t processors) const;
    // Seconds of one window for each of them.
    double least_seconds(std::size_t processors) const;
    // Measures each of the processors at this size, for at most max_seconds each.
    void measure(Platform &platform, std::span<const std::size_t> processors, std::int64_t size, double max_seconds,
                 const std::function<void()> &before);

    // Measures `count` windows of a distribution with all of the team's meters. Call prepare first.
    EnergyMeasurement windows(std::vector<Slice> slices, std::int64_t count, const std::function<void()> &before) const;

    // Fails if a meter of the machine says that a size took less than no energy.
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

} // namespace hpart
