// The measurements of a team's functions for a search of the optimum, and the file that keeps them.
#pragma once

#include "core/error.hpp"
#include "core/file.hpp"
#include "core/progress.hpp"
#include "measurement/energy_profile.hpp"
#include "measurement/optimize_request.hpp"
#include "measurement/resumable_file.hpp"
#include "optimum/search.hpp"

#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace hpart
{

// The sizes that a processor could not run.
struct FailedSizes {
    std::int64_t count = 0, first = 0;
    std::string reason; // of the first
};

class Survey
{
  public:
    // Goes on with the request's file, if there is one.
    Survey(const Team &team, const OptimizeRequest &request, optimum::Search &search, const Poll &poll);

    // Measures what the search asks for, and writes it to the file. Ends early when the budget is up.
    void run(std::span<const optimum::Request> requests, const Budget &budget);
    // All that the search knows by now. Returns the number of points.
    std::int64_t keep_all();
    // Writes what the search found.
    void keep_choice(const ChosenDistribution &choice);
    // The joules of a whole distribution that the search is for: a mean of two windows. A meter of one processor's work alone makes them
    // repetitions of its point.
    double joules_of(const std::vector<Slice> &slices);

    const Platform &platform() const { return platform_; }
    const BatchCounts &counts() const { return counts_; }
    const std::vector<FailedSizes> &failed() const { return failed_; } // by processor
    // Sizes that ran when poll threw, without one repetition: "GPU size 6400 after 9.1 s"; "" if nothing.
    const std::string &unfinished() const { return unfinished_; }
    std::int64_t known_points() const { return known_points_; } // of the request's file
    bool has_file() const { return has_file_; }                 // that another call can continue

  private:
    bool is_energy() const { return energy_.has_value(); }
    bool is_in_turn() const { return !request_.is_simultaneous() && team_.application() == nullptr; }
    BatchCounts run_step(std::span<Batch> step);
    void note_unfinished(std::span<const Batch> step, double seconds);
    optimum::FunctionEstimate &times(std::size_t i) { return search_.function(i, FunctionKind::time); }
    void start_platform();
    void go_on(Platform found);
    void take_known(FunctionKind kind);
    void check_kernel();
    void measure_times(std::span<const optimum::Request> requests, const Budget &budget);
    std::vector<Batch> take_step(std::vector<std::deque<Batch>> &left) const;
    void measure_energies(std::span<const optimum::Request> requests, const Budget &budget);
    void add_energies(const std::vector<Slice> &slices, const EnergyMeasurement &measured);
    void exclude(std::size_t processor, std::size_t point, const std::string &reason);
    void keep(std::size_t processor, std::size_t point);
    // The file begins with a point of each processor: a command line with a slip leaves none that the corrected one would have to continue.
    void write();

    const Team &team_;
    const OptimizeRequest &request_;
    optimum::Search &search_;
    const Poll &poll_;
    std::optional<EnergyProfile> energy_;  // where the search is for energies
    std::vector<std::int64_t> last_sizes_; // that each processor measured; 0: none
    Platform platform_;
    BatchCounts counts_;
    std::vector<BatchCounts> counts_of_each_; // processor
    std::vector<FailedSizes> failed_;
    std::string unfinished_;
    std::int64_t known_points_ = 0;
    Clock::time_point written_ = {};
    bool has_file_ = false;
    std::optional<FileLock> lock_;
};

} // namespace hpart
