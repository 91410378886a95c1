// What a search of the optimum measures of a team's functions, and the file that keeps it.
#pragma once

#include "core/file_lock.hpp"
#include "measurement/energy_profile.hpp"
#include "measurement/optimize.hpp"

#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace hpart
{

class Survey
{
  public:
    // look is called again and again while something is measured; it may throw. Goes on with the request's file, if there is one.
    Survey(const Team &team, const OptimizeRequest &request, optimum::CertifiedSearch &search,
           std::function<void()> look);

    // Measures what the search asks for, and writes it to the file. Ends early when the time is up.
    void run(std::span<const optimum::Request> requests, const std::function<bool()> &is_time_up);
    // All that the search knows by now. Returns the number of points.
    std::int64_t keep_all();
    // Dynamic joules of a whole distribution: a mean of two windows.
    double joules_of(const std::vector<Slice> &slices) const;
    // By the intervals of its points.
    optimum::Interval value_of(std::span<const std::int64_t> x) const;

    const Platform &platform() const { return platform_; }
    const BatchCounts &counts() const { return counts_; }

  private:
    bool is_energy() const { return energy_.has_value(); }
    optimum::FunctionEstimate &times(std::size_t i) { return is_energy() ? times_[i] : search_.function(i); }
    void start_platform();
    void go_on(Platform found);
    void take_known(FunctionKind kind);
    void check_kernel();
    void measure_times(std::span<const optimum::Request> requests);
    void measure_energies(std::span<const optimum::Request> requests, const std::function<bool()> &is_time_up);
    void exclude(std::size_t processor, std::size_t point, const std::string &reason);
    void keep(std::size_t processor, std::size_t point);
    void write() const;

    const Team &team_;
    const OptimizeRequest &request_;
    optimum::CertifiedSearch &search_;
    std::function<void()> look_;
    std::optional<EnergyProfile> energy_;          // where the search is for the least energy
    std::vector<optimum::FunctionEstimate> times_; // then
    Platform platform_;
    BatchCounts counts_;
    std::optional<FileLock> lock_;
};

} // namespace hpart
