// A processor's time function as far as it is known: the sizes that it has run, built from the iterations' own times (Clarke,
// Lastovetsky, Rychkov, "Dynamic load balancing of parallel computational iterative routines on highly heterogeneous HPC
// platforms", Parallel Processing Letters 21(2), 2011).
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace hpart
{

// A time function that never falls, between a few points: the prediction of a partial function for all sizes.

struct Knot {
    std::int64_t size;
    double seconds;
};

// Linear between the knots, of constant speed above the last, as in Clarke, Lastovetsky, Rychkov 2011. Below the first the time falls
// linearly to the fixed cost, or to 0 where no cost is known.
class MonotoneCurve
{
  public:
    // Knots by increasing size >= 1, their seconds positive and never falling; one at least.
    explicit MonotoneCurve(std::vector<Knot> knots);
    static MonotoneCurve of_speed(double sizes_per_second);

    double seconds(std::int64_t size) const;
    // The largest size <= most that takes no longer; 0 when there is none.
    std::int64_t largest_within(double seconds, std::int64_t most) const;
    // At its last knot.
    double speed() const { return static_cast<double>(knots_.back().size) / knots_.back().seconds; }

  private:
    std::vector<Knot> knots_;
    double fixed_ = 0; // seconds of any size above 0
};

// Integers that doubles have exactly.
inline constexpr std::int64_t largest_size = std::int64_t{1} << 53;
// Replaces times below the clock's resolution.
inline constexpr double least_seconds = 1e-9;
// Replaces longer times: products and sums of such are finite.
inline constexpr double longest_seconds = 1e100;

struct Observation {
    std::int64_t size;
    double seconds;         // mean of the times at this size, the latest ones weighing more
    double count;           // of times in the mean, as far as they still weigh
    std::int64_t iteration; // of the latest
};

class PartialFunction
{
  public:
    bool is_known() const { return !observations_.empty(); }
    const std::vector<Observation> &observations() const { return observations_; } // by increasing size
    // Null when the size was not run.
    const Observation *find(std::int64_t size) const;

    // Replaces the function by one measured elsewhere, by increasing size.
    void set(std::vector<Observation> observations) { observations_ = std::move(observations); }
    // A new size weighs as much as `count` times.
    void add(std::int64_t size, double seconds, std::int64_t iteration, double count = 1);
    // The processor now takes `seconds` at a size that it has run: scales all points that are no newer by the same factor.
    void rescale(std::int64_t size, double seconds, std::int64_t iteration);
    // True when a smaller size took longer, or a larger one less, by more than the factor.
    bool contradicts(std::int64_t size, double seconds, double factor) const;
    // Multiplies every time. The times no longer count as measured.
    void scale(double factor);
    void remove(std::int64_t size);
    // Keeps the sizes that ran more than once, at the same speed.
    void forget_single_times();
    // A size that was not run forgets nothing.
    void forget_all_but(std::int64_t size);

    // Isotonic regression: where a larger size took less time than a smaller one, both get their mean. Older times weigh less.
    // The function must be known.
    MonotoneCurve curve(std::int64_t iteration) const;

  private:
    std::vector<Observation>::iterator position(std::int64_t size);
    void drop_oldest();

    std::vector<Observation> observations_;
};

} // namespace hpart
