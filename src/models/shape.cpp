// Problem: report the properties of a discrete function t(x), the speed s(x) = C(x) / t(x) and the energy e(x) that methods for smooth
// shapes assume.
// Cost: O(points).
// Source: the functional performance model has the conditions on s (Lastovetsky and Reddy 2007; Khaleghzadeh's thesis 2019, section
// 2.3.1): s falls monotonically, or up to some size it rises, concave, and from there on it falls; and a line through the origin
// cuts it at most once there, that is s(x) / x falls strictly (where s falls, it does anyway). Variation is Lastovetsky's and Reddy
// Manumachu's, equation 1 of "Parallel Data Partitioning Algorithms for Optimization of Data-Parallel Applications on Modern
// Extreme-Scale Multicore Platforms for Performance and Energy" (2018): |f1 - f2| / min(f1, f2) between a local minimum and the
// local maximum next to it.

#include "models/shape.hpp"

#include "core/error.hpp"
#include "core/numbers.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <vector>

namespace hpart
{

namespace
{

constexpr double percent = 100;

// Some units in the last place: of a quotient, or of a number that was printed and read.
constexpr double rounding = 8 * std::numeric_limits<double>::epsilon();

struct ShapeCurve {
    std::vector<std::int64_t> sizes;
    std::vector<double> values;
    double slack = 0; // relative: values that differ by no more are equal

    std::size_t count() const { return sizes.size(); }
    // -1, 0 or 1: the value falls, is the same or rises from one point to another.
    int change(std::size_t from, std::size_t to) const
    {
        const auto a = values[from];
        const auto b = values[to];
        if (a == b || std::abs(b - a) <= slack * std::max(a, b)) return 0;
        return b > a ? 1 : -1;
    }
};

// The points that have a value.
ShapeCurve present(std::span<const std::int64_t> sizes, std::span<const double> values)
{
    ShapeCurve out;
    for (std::size_t k = 0; k < sizes.size(); ++k)
        if (!std::isnan(values[k])) {
            out.sizes.push_back(sizes[k]);
            out.values.push_back(values[k]);
        }
    return out;
}

// Slope from k to k + 1, and how much of it may be rounding of the values.
struct Slope {
    double value, slack;
};

Slope slope_after(const ShapeCurve &curve, std::size_t k)
{
    const auto run = static_cast<double>(curve.sizes[k + 1]) - static_cast<double>(curve.sizes[k]);
    const auto left = curve.values[k];
    const auto right = curve.values[k + 1];
    return {(right - left) / run, rounding * std::max(left, right) / run};
}

// Slopes never fall (sign 1, convex) or never rise (sign -1, concave) between the points first and last, beyond rounding.
bool bends(const ShapeCurve &curve, double sign, std::size_t first, std::size_t last)
{
    for (auto k = first; k + 2 <= last; ++k) {
        const auto before = slope_after(curve, k);
        const auto after = slope_after(curve, k + 1);
        if (sign * (after.value - before.value) < -(before.slack + after.slack)) return false;
    }
    return true;
}

// No change in that direction between neighbours from first to last.
bool never(int direction, const ShapeCurve &curve, std::size_t first, std::size_t last)
{
    for (auto k = first; k < last; ++k)
        if (curve.change(k, k + 1) == direction) return false;
    return true;
}

struct Turn {
    std::size_t point;
    bool is_maximum;
};

// Interior points where the function turns; a level stretch turns once, at its first point.
std::vector<Turn> turns_of(const ShapeCurve &curve)
{
    std::vector<Turn> turns;
    std::size_t level = 0; // first point of the present value
    int direction = 0;     // of the last change
    for (std::size_t k = 1; k < curve.count(); ++k) {
        const int now = curve.change(level, k);
        if (now == 0) continue;
        if (direction == -now) turns.push_back({level, direction > 0});
        direction = now;
        level = k;
    }
    return turns;
}

void add_turns(Report &report, const std::string &name, const ShapeCurve &curve)
{
    const auto turns = turns_of(curve);
    std::int64_t maxima = 0;
    for (const auto &turn : turns) maxima += turn.is_maximum ? 1 : 0;
    double largest = 0;
    double sum = 0;
    std::int64_t size = 0;
    for (std::size_t k = 1; k < turns.size(); ++k) {
        const auto [low, high] = std::minmax<double>(curve.values[turns[k - 1].point], curve.values[turns[k].point]);
        const auto variation = low > 0 ? percent * (high - low) / low : std::numeric_limits<double>::infinity();
        sum += variation;
        if (variation <= largest) continue;
        largest = variation;
        size = curve.sizes[turns[k].point];
    }
    report.set(name + "_minima", static_cast<std::int64_t>(turns.size()) - maxima);
    report.set(name + "_maxima", maxima);
    report.set(name + "_variation", largest);
    report.set(name + "_variation_size", size);
    report.set(name + "_mean_variation", turns.size() < 2 ? 0 : sum / static_cast<double>(turns.size() - 1));
}

void add_falls(Report &report, const std::string &name, const ShapeCurve &curve)
{
    std::int64_t falls = 0;
    std::int64_t size = 0;
    double largest = 0;
    for (std::size_t k = 1; k < curve.count(); ++k) {
        if (curve.change(k - 1, k) >= 0) continue;
        ++falls;
        const auto drop = percent * (curve.values[k - 1] - curve.values[k]) / curve.values[k - 1];
        if (drop <= largest) continue;
        largest = drop;
        size = curve.sizes[k];
    }
    report.set(name + "_falls", falls);
    report.set(name + "_largest_fall", largest);
    report.set(name + "_largest_fall_size", size);
}

void add_curve(Report &report, const std::string &name, const ShapeCurve &curve)
{
    add_falls(report, name, curve);
    add_turns(report, name, curve);
}

void add_convex(Report &report, const char *key, const ShapeCurve &curve)
{
    report.set(key, std::int64_t{(curve.count() == 0 || bends(curve, 1, 0, curve.count() - 1)) ? 1 : 0});
}

void add_performance_model(Report &report, const ShapeCurve &speed, const ShapeCurve &time_of_a_unit)
{
    bool falling = true;
    bool rising_concave = true;
    std::size_t peak = 0;
    if (speed.count() > 0) {
        const auto last = speed.count() - 1;
        for (std::size_t k = 0; k <= last; ++k)
            if (speed.change(peak, k) >= 0) peak = k; // the last of equal ones: a constant speed rises up to its end
        falling = never(1, speed, 0, last);
        rising_concave = never(-1, speed, 0, peak) && bends(speed, -1, 0, peak) && never(1, speed, peak, last);
    }
    const bool one_cut = std::adjacent_find(time_of_a_unit.values.begin(), time_of_a_unit.values.end(),
                                            std::greater_equal<>{}) == time_of_a_unit.values.end();
    report.set("fpm", std::int64_t{(falling || (rising_concave && one_cut)) ? 1 : 0});
    report.set("fpm_falling", std::int64_t{falling ? 1 : 0});
    report.set("fpm_rising_concave", std::int64_t{rising_concave ? 1 : 0});
    report.set("fpm_one_cut", std::int64_t{one_cut ? 1 : 0});
    report.set("fpm_peak", speed.count() == 0 ? 0 : speed.sizes[peak]);
}

} // namespace

Report shape_of(const Processor &processor, const Operations &operations)
{
    const auto &points = processor.points();
    const auto time = present(points.sizes, points.seconds);
    ShapeCurve speed{{}, {}, rounding};
    ShapeCurve time_of_a_unit; // x / s(x): rises strictly where a line through the origin cuts s once
    for (std::size_t k = 0; k < time.count(); ++k) {
        const auto size = time.sizes[k];
        const auto work = operations(size);
        time_of_a_unit.sizes.push_back(size);
        time_of_a_unit.values.push_back(time.values[k] * (static_cast<double>(size) / work));
        if (time.values[k] == 0) continue;
        speed.sizes.push_back(size);
        speed.values.push_back(work / time.values[k]);
    }
    const auto energy = present(points.sizes, points.joules);

    Report report;
    report.set("points", static_cast<std::int64_t>(time.count()));
    report.set("smallest", time.count() == 0 ? 0 : time.sizes.front());
    report.set("largest", time.count() == 0 ? 0 : time.sizes.back());
    add_performance_model(report, speed, time_of_a_unit);
    add_convex(report, "time_convex", time);
    add_curve(report, "time", time);
    add_curve(report, "speed", speed);
    report.set("energy_points", static_cast<std::int64_t>(energy.count()));
    if (energy.count() == 0) return report;
    add_convex(report, "energy_convex", energy);
    add_curve(report, "energy", energy);
    return report;
}

// Rounding each quotient alone gives shares that sum to nearly 1. Here the sums of the first i + 1 sizes are rounded to multiples
// of 2^-53, and a share is the difference of two neighbours: the differences and all sums of them are multiples of 2^-53 up to 1,
// which doubles represent exactly.

namespace
{

constexpr int binary_places = 53;

// part / whole in units of 2^-53, rounded half up; part <= whole. Long division: exact where doubles are not.
std::int64_t units_of(std::uint64_t part, std::uint64_t whole)
{
    std::int64_t units = part == whole ? 1 : 0;
    auto rest = part == whole ? 0 : part;
    for (int place = 0; place < binary_places; ++place) {
        rest *= 2;
        units *= 2;
        if (rest >= whole) {
            rest -= whole;
            ++units;
        }
    }
    return rest * 2 >= whole ? units + 1 : units;
}

std::int64_t sum_of(std::span<const std::int64_t> x)
{
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (x[i] < 0) fail_argument("x[", i, "] is ", x[i], "; it must not be negative");
        const auto next = checked_add(sum, x[i]);
        if (!next) fail_argument("the sizes in x sum to more than 64 bits hold; they must sum to at most 2^63 - 1");
        sum = *next;
    }
    if (sum == 0) fail_argument("the sizes in x sum to 0; there is nothing to have a share of");
    return sum;
}

} // namespace

std::vector<double> shares_of(std::span<const std::int64_t> x)
{
    const auto whole = sum_of(x);
    std::vector<double> shares;
    shares.reserve(x.size());
    std::int64_t sum = 0;
    std::int64_t units_before = 0;
    for (const auto size : x) {
        sum += size;
        const auto units = units_of(static_cast<std::uint64_t>(sum), static_cast<std::uint64_t>(whole));
        shares.push_back(std::ldexp(static_cast<double>(units - units_before), -binary_places));
        units_before = units;
    }
    return shares;
}

} // namespace hpart
