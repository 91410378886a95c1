// How much times scatter that should be alike: what of a difference may be chance.
#pragma once

namespace hpart
{

// Of logarithms of times around those of their means, over all processors; the latest weigh most.
class Noise
{
  public:
    // A repeated time: the logarithm of its ratio to the mean of `count` others.
    void add(double ratio, double count);
    // The standard deviation of one time; 0 while no time was repeated.
    double deviation() const;
    // How far the ratio of a time to the mean of so many at the same speed may be from 0 by chance.
    double of_one(double count) const;
    // The same of a ratio that is given: a mean of few is less sure.
    static double scaled(double ratio, double count);
    // What chance may add to the largest of the times of many processors, each a mean of so many.
    double of_largest(double count) const;
    // Whether times were repeated and scatter less than this.
    bool is_below(double limit) const { return residual_count_ > 0 && deviation() < limit; }

  private:
    double residuals_ = 0, residual_count_ = 0; // by amount
};

} // namespace hpart
