// A processor's function where each size may be faster or slower by itself: what a size that was not run may take.
#pragma once

#include "adaptive/partial_function.hpp"

#include <cstdint>
#include <vector>

namespace hpart
{

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

} // namespace hpart
