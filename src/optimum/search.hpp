// The part of a certified search that its goals share: functions that are estimated, bounds of each size, the next measurements.
#pragma once

#include "core/progress.hpp"
#include "models/platform.hpp"
#include "optimum/function_estimate.hpp"
#include "partitioners/calls/partition.hpp"

#include <array>
#include <cstdint>
#include <set>
#include <span>
#include <tuple>
#include <vector>

namespace hpart::optimum
{

struct SearchRules {
    Objective objective = Objective::time; // of a front: energy or total_energy
    std::int64_t size = 0;
    double precision = 0.05;
    double quantile = 1.645;               // of the normal distribution, one-sided
    double jaggedness = 0;                 // 0: learned
    bool all_sizes = false;                // measures every size: no jaggedness is assumed
    std::int64_t max_repetitions = 100000; // of a point
};

// The limits of an exact solution between two measurements.
Control limits_of_solution();
// Fails with Status::limit if it has none.
Distribution require_found(Distribution found);

// A measurement that a processor is to do next.
struct Request {
    std::size_t processor = 0;
    std::size_t point = 0; // an index of its sizes
    std::int64_t repetitions = 0;
    FunctionKind kind = FunctionKind::time;
};

class Search
{
  public:
    Search(const Search &) = delete;
    Search &operator=(const Search &) = delete;
    virtual ~Search() = default;

    const SearchRules &rules() const { return rules_; }
    std::size_t processors() const { return times_.size(); }
    const FunctionEstimate &function(std::size_t i, FunctionKind kind) const { return functions(kind)[i]; }
    FunctionEstimate &function(std::size_t i, FunctionKind kind)
    {
        return kind == FunctionKind::time ? times_[i] : energies_[i];
    }
    // The function of the objective; the energy function if both count.
    const FunctionEstimate &function(std::size_t i) const { return function(i, kind()); }
    FunctionEstimate &function(std::size_t i) { return function(i, kind()); }
    FunctionKind kind() const { return needs_energies(rules_.objective) ? FunctionKind::energy : FunctionKind::time; }
    std::size_t index_of(std::size_t processor, std::int64_t size) const;
    // The points of sizes that a distribution can have, increasing: no other ones need to be measured.
    const std::vector<std::size_t> &possible_points(std::size_t processor) const { return possible_[processor]; }
    // A size that cannot be run.
    void exclude(std::size_t processor, std::size_t point);
    // Sets the node's base power for total energies. Its error does not shrink.
    void set_base_power(double watts, double half_width);
    // The time or energy of a distribution of measured sizes.
    Interval value_of(std::span<const std::int64_t> x, Objective objective) const;

    // The medians of the times measured. with_trends: of the other sizes, too, the times that their neighbours suggest.
    Platform times(bool with_trends) const;

    // The next measurements: a processor's in their order, different processors' at the same time. None: the search has ended. An
    // energy is asked for with the time of its point, if that is not known.
    std::vector<Request> next();
    // Some interval is wider than its values' rounding, and its point may have no more repetitions.
    bool is_at_max_repetitions() const;
    // The largest that is assumed; 1: none.
    double jaggedness() const { return jaggedness_; }

  protected:
    using Point = std::tuple<std::size_t, std::size_t, FunctionKind>; // processor and index of its size
    using Points = std::set<Point>;

    // Sizes of each processor, increasing and positive; those above the size are left out. Fails when no sizes sum to the size.
    // deciding: the functions that have bounds.
    Search(const std::vector<std::vector<std::int64_t>> &sizes, SearchRules rules, std::vector<FunctionKind> deciding);

    // Solves again with the current bounds.
    virtual void look() = 0;
    virtual Points points_that_decide() const = 0;
    // The largest value of a size that may matter.
    virtual double largest_first_value() const = 0;
    // Adds measurements that keep the processors busy.
    virtual void fill_time(std::vector<Request> &requests) const = 0;

    void update();
    // With the lower, or the upper, bounds as values.
    Platform platform(bool is_lower) const;
    bool is_measured(std::size_t i, std::size_t k) const;
    // Adds the points of x for which `is_wanted` is true.
    template <typename IsWanted>
    void add_points(Points &points, std::span<const std::int64_t> x, FunctionKind kind, const IsWanted &is_wanted) const
    {
        for (std::size_t i = 0; i < x.size(); ++i)
            if (const auto k = index_of(i, x[i]); x[i] > 0 && is_wanted(i, k)) points.insert({i, k, kind});
    }
    // Points of x that were never measured; those that were measured in fewer batches than a certificate takes.
    void add_unmeasured(Points &points, std::span<const std::int64_t> x) const;
    void add_measured_once(Points &points, std::span<const std::int64_t> x) const;
    // Points of x whose times may be above the goal.
    void add_open_times(Points &points, std::span<const std::int64_t> x, double goal) const;
    // Points of x that keep the upper bound of a sum most above the goal.
    void add_open_terms(Points &points, std::span<const std::int64_t> x) const;
    // Processors without a request run their part of x, to keep the load realistic.
    void accompany(std::vector<Request> &requests, const std::vector<std::int64_t> &x) const;
    double expected_value(const Request &request) const;
    void ask(std::vector<Request> &requests, std::size_t i, std::size_t k, FunctionKind kind,
             std::int64_t repetitions) const;

    struct Bounds {
        std::vector<double> low, high; // high is infinite where a size is not measured
    };
    const std::vector<Bounds> &bounds(FunctionKind kind) const { return bounds_[static_cast<std::size_t>(kind)]; }
    const std::vector<FunctionEstimate> &functions(FunctionKind kind) const
    {
        return kind == FunctionKind::time ? times_ : energies_;
    }
    double first_value(std::size_t i, std::size_t k) const;
    bool may_be_faster(std::size_t i, std::size_t k, double most) const;

    // Options of the partitioners. Their messages suggest no interpolation: a search has none.
    static Options options();

    // Two repetitions: if one is a spike, the other shows it.
    static constexpr std::int64_t first_repetitions = 2;

  private:
    void find_possible(const std::vector<std::vector<std::int64_t>> &sizes);
    Distribution solve_times(const Platform &platform) const;
    std::vector<std::int64_t> solve_trends();
    std::vector<Request> first_distribution();
    std::vector<Request> first_sizes();
    std::vector<Request> first_sizes_again() const;

    SearchRules rules_;
    std::vector<FunctionKind> deciding_;
    std::vector<FunctionEstimate> times_, energies_;
    std::vector<std::vector<std::size_t>> possible_; // points, by processor
    std::array<std::vector<Bounds>, 2> bounds_;      // of kinds
    double base_power_ = 0, base_half_width_ = 0;
    double jaggedness_ = 1;
    int first_steps_ = 0;
    std::vector<Request> first_sizes_;
};

} // namespace hpart::optimum
