// A model of processors if only the time of whole runs is known: the largest of their times. See one_time_model.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hpart::optimum
{

// A distribution and the seconds of its runs; none: it failed.
struct Tried {
    std::vector<std::int64_t> x = {};
    std::vector<double> seconds = {};

    bool failed() const { return seconds.empty(); }
    double mean() const; // infinite if it failed
};

class OneTimeModel
{
  public:
    explicit OneTimeModel(std::size_t processors) : processors_(processors) {}

    // Fits the functions to these runs. noise: relative deviation of a run.
    void fit(const std::vector<Tried> &tried, double noise);
    // The probability that processor i takes at most so long.
    double probability(std::size_t i, std::int64_t size, double seconds) const;
    // The probability that this processor was the slowest in the best run with this size.
    double blame(std::size_t processor, std::int64_t size) const;

  private:
    struct Known {
        std::int64_t size = 0;
        double bound = 0; // logarithm: the least time of a run with it
        double blame = 0; // that it took the bound
        double odds = 0;  // logarithm of them
        double cliff = 0; // and that it is beyond a cliff
    };
    struct Processor {
        double start = 0, slope = 0; // seconds, and seconds a unit
        double deviation = 0.05;     // of a time's logarithm
        std::int64_t largest_good = 0;
        std::vector<Known> known; // increasing sizes
    };

    void collect(const std::vector<Tried> &tried);
    double share_blame(const std::vector<Tried> &tried);
    void refit(Processor &processor, double reference) const;
    static double log_expected(const Processor &processor, std::int64_t size);
    static double survival(const Processor &processor, std::int64_t size);
    static double unseen(const Processor &processor);

    std::vector<Processor> processors_;
    double pooled_ = 0.05, noise_ = 0;
};

} // namespace hpart::optimum
