// FPM, the functional performance model: shares x_i that all take the same time by the speed functions s_i(x), which means that the
// points (x_i, s_i(x_i)) lie on one line through the origin: x_i / s_i(x_i) = T. Geometric bisection of the line's slope 1 / T until
// the shares sum to n. Source: Lastovetsky and Reddy (2007).
//
// The speed functions are treated as the papers treat them: piecewise linear through the measured points, constant below the first,
// and of a shape that a line through the origin cuts once; where a real function is cut more often, the rightmost cut is taken, so
// that shares rise with T and the bisection ends for every input.
#include "partitioners/methods/baselines/baselines.hpp"
#include "partitioners/problem/prepared.hpp"
#include "partitioners/search/limits.hpp"

#include <algorithm>
#include <cmath>

namespace hpart
{

namespace
{

constexpr int bisections = 2200; // from the largest double to the smallest, and all bits of the fraction

class SpeedFunction
{
  public:
    SpeedFunction(const Instance &instance, std::size_t f)
        : instance_(instance), seconds_(instance.seconds), begin_(instance.function_begin(f) + 1),
          end_(instance.function_end(f))
    {
    }

    // The largest x with x / s(x) <= seconds; 0 when there is none.
    double size_within(double seconds) const
    {
        for (auto k = end_; k-- > begin_;) {
            if (seconds_[k] > seconds) continue;
            return k + 1 == end_ ? size(k) : cut(k, seconds);
        }
        // On the constant piece before the first point.
        return begin_ == end_ ? 0 : size(begin_) * (seconds / seconds_[begin_]);
    }

    double longest() const
    {
        if (begin_ == end_) return 0;
        const auto times = seconds_.subspan(begin_, end_ - begin_);
        return *std::max_element(times.begin(), times.end());
    }

  private:
    double size(std::size_t k) const { return static_cast<double>(instance_.sizes[k]); }
    double speed(std::size_t k) const { return size(k) / seconds_[k]; }

    // Between points k, fast enough, and k + 1, too slow: x = seconds s(x) with s linear.
    double cut(std::size_t k, double seconds) const
    {
        if (seconds_[k] == 0) return size(k); // of infinite speed
        const auto rise = (speed(k + 1) - speed(k)) / (size(k + 1) - size(k));
        const auto slope = 1 - seconds * rise; // positive but for rounding: the next point is too slow
        if (!(slope > 0)) return size(k);
        const auto x = seconds * (speed(k) - rise * size(k)) / slope;
        return x > size(k) ? std::min(x, size(k + 1)) : size(k);
    }

    const Instance &instance_;
    std::span<const double> seconds_;
    std::size_t begin_;
    std::size_t end_;
};

std::vector<double> shares_of_equal_time(const Prepared &prepared, std::int64_t size, Control &control)
{
    const auto &instance = prepared.instance();
    const auto &groups = prepared.groups();
    Pacer pacer(control, "finding shares of equal time");
    std::vector<SpeedFunction> functions;
    std::vector<double> shares(instance.functions());
    double high = 0;
    for (std::size_t f = 0; f < instance.functions(); ++f) {
        functions.emplace_back(instance, f);
        high = std::max(high, functions.back().longest());
    }
    const auto n = static_cast<double>(size);
    const auto sum_within = [&](double limit) {
        double sum = 0;
        for (std::size_t f = 0; f < functions.size(); ++f) {
            shares[f] = functions[f].size_within(limit);
            sum += static_cast<double>(groups.copies(f)) * shares[f];
        }
        pacer.spend(static_cast<std::int64_t>(instance.sizes.size()));
        return sum;
    };
    double low = 0;
    for (int k = 0; k < bisections; ++k) {
        const auto middle = low + (high - low) / 2;
        if (middle <= low || middle >= high) break;
        (sum_within(middle) < n ? low : high) = middle;
    }
    sum_within(high);
    std::vector<double> each;
    each.reserve(instance.processors());
    for (const auto f : instance.function_of) each.push_back(shares[f]);
    return each;
}

} // namespace

Solution fpm(const PartitionProblem &problem, Control &control)
{
    return nearest_to_shares(problem, shares_of_equal_time(problem.prepared, problem.size, control), control);
}

} // namespace hpart
