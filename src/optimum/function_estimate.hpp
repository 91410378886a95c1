// An estimate of a processor's function from some measured sizes: an interval of each measured size, a lower bound of each other one.
// The values are times or energies.
#pragma once

#include "core/numbers.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace hpart::optimum
{

struct Interval {
    double value, low, high;
};

// The factors by which a size may be faster than its measured neighbours suggest.
struct Jaggedness {
    double of_trend;      // the power law between its two neighbours
    double of_best_speed; // the highest speed of the two nearest on either side
};

// Values in two groups: the median may be in either.
struct TwoSpeeds {
    std::int64_t count; // of all repetitions
    std::int64_t fast_count;
    double fast, slow; // the medians of the groups
};

class FunctionEstimate
{
  public:
    // Increasing sizes. quantile: the half-width of an interval in standard errors. are_printed: values may be rounded to their last
    // decimal, as printed times are.
    FunctionEstimate(std::vector<std::int64_t> sizes, double quantile, bool are_printed = true);

    const std::vector<std::int64_t> &sizes() const { return sizes_; }
    std::size_t count() const { return sizes_.size(); }

    // Adds repetitions that ran one after another. printed_step: of their values as they are printed, if they are.
    void add(std::size_t k, std::span<const double> batch, std::optional<double> printed_step = std::nullopt);
    // Adds an error to the half-width of an interval that repetitions do not reduce.
    void set_systematic_error(std::size_t k, double half_width) { points_[k].systematic_error = half_width; }
    // Adds a result of an earlier search: a median with the half-width of its interval.
    void add_known(std::size_t k, double median, double half_width, std::int64_t repetitions);

    // A size that cannot be run.
    void exclude(std::size_t k);

    // The groups, if there is a gap among the order statistics that the median is between.
    std::optional<TwoSpeeds> two_speeds(std::size_t k) const;

    bool is_excluded(std::size_t k) const { return points_[k].is_excluded; }
    bool is_measured(std::size_t k) const { return points_[k].batches > 0; }
    // False of a result of an earlier search alone.
    bool has_samples(std::size_t k) const { return !points_[k].samples.empty(); }
    std::size_t measured() const { return measured_.size(); }
    std::int64_t repetitions(std::size_t k) const { return points_[k].repetitions(); }
    // From so many repetitions on, the interval of a size holds its median whatever the distribution of the times is.
    std::int64_t certain_repetitions() const { return certain_repetitions_; }
    // True if more repetitions hardly narrow its interval: the rounding of the values is as wide.
    bool is_exhausted(std::size_t k) const;
    std::int64_t batches(std::size_t k) const { return points_[k].batches; }
    // The median of a measured size and its confidence interval.
    Interval interval(std::size_t k) const;
    // The median as measured. A dynamic energy may be measured below 0, where the function has 0.
    double measured_median(std::size_t k) const { return points_[k].measured; }
    // The value of any size by its nearest measured ones: a power law between two, constant speed beyond the last; 0 without any.
    double trend(std::size_t k) const;
    // A lower bound of the value at a size, for a function that is no more jagged.
    double lower_bound(std::size_t k, const Jaggedness &jaggedness) const;
    // The jaggedness of the measured sizes.
    Jaggedness learned_jaggedness() const;
    // Relative standard deviation of a repetition, pooled over the points.
    double deviation() const { return deviation_; }
    // The unit of the last decimal of the repetitions.
    double step() const { return step_; }

  private:
    struct Point {
        std::vector<double> samples;
        double known_median = 0, known_half_width = 0, systematic_error = 0;
        std::int64_t known_repetitions = 0;
        std::int64_t batches = 0;
        double measured = 0, median = 0, deviation = 0;
        double error_below = 0;             // of a median below 0
        double low_rank = 0, high_rank = 0; // the order statistics that the median is between; 0: too few samples
        bool is_excluded = false;
        double least_batch = 0, largest_batch = 0; // by their least repetition

        std::int64_t repetitions() const { return known_repetitions + static_cast<std::int64_t>(samples.size()); }
    };

    void count_batch(std::size_t k, double least);
    void find_ranks(Point &point) const;
    // Forgets an earlier search's result if it is outside the interval that many new repetitions have.
    static void forget_refuted(Point &point);
    // The factor by which all of a batch may be slower than another of its size; 1 if none was.
    double learned_disturbance() const;
    // The index of the first measured size that is >= sizes[k].
    std::size_t rank_of(std::size_t k) const;
    double at_best_speed(std::size_t k) const;
    double rounding_of(const Point &point) const { return point.samples.empty() || !are_printed_ ? 0 : step_ / 2; }

    std::vector<std::int64_t> sizes_;
    std::vector<Point> points_;
    std::vector<std::size_t> measured_; // increasing
    std::vector<double> differences_;   // of successive repetitions, relative
    double quantile_;
    bool are_printed_;
    std::int64_t certain_repetitions_;
    double deviation_ = 0, disturbance_ = 1, step_ = infinity;
};

} // namespace hpart::optimum
