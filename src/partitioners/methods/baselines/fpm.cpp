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
    explicit SpeedFunction(const FunctionPoints &function)
        : sizes_(function.sizes.subspan(1)), seconds_(function.seconds.subspan(1)) // without the idle point
    {
    }

    // The largest x with x / s(x) <= seconds; 0 when there is none.
    double size_within(double seconds) const
    {
        for (auto k = seconds_.size(); k-- > 0;) {
            if (seconds_[k] > seconds) continue;
            return k + 1 == seconds_.size() ? size(k) : cut(k, seconds);
        }
        // On the constant piece before the first point.
        return seconds_.empty() ? 0 : size(0) * (seconds / seconds_[0]);
    }

    double longest() const { return seconds_.empty() ? 0 : *std::max_element(seconds_.begin(), seconds_.end()); }

  private:
    double size(std::size_t k) const { return static_cast<double>(sizes_[k]); }
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

    std::span<const std::int64_t> sizes_;
    std::span<const double> seconds_;
};

std::vector<double> shares_of_equal_time(const Prepared &prepared, std::int64_t size, Control &control)
{
    const auto &instance = prepared.instance();
    const auto &groups = prepared.groups();
    Pacer pacer(control, "finding shares of equal time");
    std::vector<SpeedFunction> functions;
    std::vector<double> shares(instance.functions());
    double high = 0;
    for (const auto &function : instance.of_function) {
        functions.emplace_back(function);
        high = std::max(high, functions.back().longest());
    }
    const auto n = static_cast<double>(size);
    const auto sum_within = [&](double limit) {
        double sum = 0;
        for (std::size_t f = 0; f < functions.size(); ++f) {
            shares[f] = functions[f].size_within(limit);
            sum += static_cast<double>(groups.copies(f)) * shares[f];
        }
        pacer.spend(static_cast<std::int64_t>(instance.points()));
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
