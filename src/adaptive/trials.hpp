// Trials where each size may be faster or slower by itself: distributions that are likely to take less than the best that was run.
#pragma once

#include "adaptive/partial_function.hpp"
#include "core/progress.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace hpart
{

// The scatter of repeated times, and the differences that chance explains.

// Deviation of the logarithms of times over their means, of all processors; the latest weigh most.
class Noise
{
  public:
    // A repeated time: the logarithm of its ratio to the mean of `count` others.
    void add(double ratio, double count);
    // The standard deviation of one time; 0 while no time was repeated.
    double deviation() const;
    // The largest logarithm of the ratio of one time to the mean of `count` others that chance explains.
    double of_one(double count) const;
    // Scales a deviation for a mean of `count` times: the mean of few is less certain.
    static double scaled(double ratio, double count);
    // The share that chance may add to the largest of many processors' means of `count` times.
    double of_largest(double count) const;
    // True when times were repeated and their deviation is below the limit.
    bool is_below(double limit) const { return residual_count_ > 0 && deviation() < limit; }

  private:
    double residuals_ = 0, residual_count_ = 0; // by amount
};

// Distributions over time functions that never fall.

struct SizeBounds {
    std::int64_t smallest = 0;
    std::int64_t largest = 0;
};

// The distribution of least time with bounds[i].smallest <= x[i] <= bounds[i].largest, whose sums must enclose the size: each
// processor gets the largest size that it can do in the same time, found by bisection. O(p log(points) log(precision)).
std::vector<std::int64_t> level(const std::vector<MonotoneCurve> &curves, const std::vector<SizeBounds> &bounds,
                                std::int64_t size);

// Returns the distribution within the bounds that moves least from `current` and takes at most `seconds`, or the time that the
// bounds force. Ties: the distribution that level would choose. Such a distribution must exist.
std::vector<std::int64_t> move_least(const std::vector<MonotoneCurve> &curves, std::vector<SizeBounds> bounds,
                                     double seconds, const std::vector<std::int64_t> &current, std::int64_t size);

// The largest time.
double seconds_of(const std::vector<MonotoneCurve> &curves, const std::vector<std::int64_t> &x);

// Work that has another place in `to` than in `from`.
std::int64_t moved_between(const std::vector<std::int64_t> &from, const std::vector<std::int64_t> &to);

// A processor's function where each size may be faster or slower by itself: what a size that was not run may take.

// Variances of the logarithm of speed.
struct Variances {
    double walk;   // of the trend, for sizes unlike by a factor of e
    double jitter; // of each size by itself
};

// The logarithm of a time or a speed.
struct LogTime {
    double mean, variance;
};

// The logarithm of the speed is a random walk along the logarithm of the size, and a jitter of each size by itself: a Kalman filter,
// and the smoother of Rauch, Tung and Striebel (1965). Beyond the sizes that were run the speed stays.
class Trend
{
  public:
    // noise: relative deviation of a time. Only of a function that is known.
    Trend(const PartialFunction &function, Variances variances, double noise);

    // The time at a size >= 1, with its jitter.
    LogTime at(std::int64_t size) const;
    // The log-likelihood of the times under these variances. Outliers weigh less (Student's t).
    double log_likelihood() const { return log_likelihood_; }

  private:
    struct State {
        double place, mean, variance;
    };
    LogTime log_speed(double place) const;

    std::vector<State> states_;
    Variances variances_;
    double log_likelihood_ = 0;
};

// Posterior means of the variances, given the times of all functions.
Variances learned_variances(const std::vector<const PartialFunction *> &functions, double noise);

struct TrialRequest {
    std::vector<const PartialFunction *> functions; // all known
    std::vector<SizeBounds> bounds;
    std::vector<std::int64_t> origin; // the sizes of trials are steps off these
    std::vector<std::int64_t> best;   // that was run
    double seconds = 0;               // of the best one
    std::vector<std::int64_t> current;
    double horizon = 0;   // iterations in which a gain counts
    double price = 0;     // of a trial, in iterations
    double move_cost = 0; // seconds for a unit that moves
    double noise = 0;     // relative deviation of a time
};

// The limits of the exact partitions of an update, which runs between two iterations of a solver.
Control limits_of_update();

// The distribution whose trial promises most; none when no trial pays.
std::optional<std::vector<std::int64_t>> choose_trial(const TrialRequest &request);

} // namespace hpart
