// The scatter of repeated times, and the differences that chance explains.
#pragma once

namespace hpart
{

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

} // namespace hpart
