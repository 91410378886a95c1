// F(T): is n a sum of one size of each processor, all of a time <= T? Exact, with the sizes.
//
// The sizes M_i within T sum to n or more; the excess d must be a sum of decrements, of each processor at most one, where a
// decrement of i is M_i - y for a size y of i within T. From the smallest sizes upwards the same holds with increments; the direction
// with less to go is taken. In this order, each step a proof when it ends the test:
// 1. one processor makes up the whole excess: most realistic cases end here;
// 2. alike processors: k of them take one decrement, and one other decrement the rest; before 4, the fewest of them that are off the
//    smallest size are sought (search/alike_sum.cpp);
// 3. the common divisor of all sizes does not divide n, or the divisor of all steps the excess: there is no distribution;
// 4. an excess far above the largest size, as equal times or many alike processors leave it: processors of the coarsest sizes go to
//    the other end of their sizes until the rest is small, and the others are tested for that. A yes proves, a no says nothing;
// 5. the exact test for sums of steps (search/subset_sum.hpp), where alike processors are copies of one class.
// Time: O(functions log m) for 1; a pass over the points within T for 3; bit sets of the excess for 5.
// Source: design of hpart.

#include "partitioners/exact/sum_within_time.hpp"

#include "core/numbers.hpp"
#include "partitioners/search/subset_sum.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace hpart
{

namespace
{

constexpr double most_window_operations = 1e8; // some ten milliseconds; a wider window is left to the exact test

} // namespace

Origin SumWithinTime::origin_of(const TimeLevel &level) const
{
    Origin up{level.seconds, {}, false, 0};
    up.sizes.reserve(instance_.functions());
    std::int64_t sum = 0;
    for (std::size_t f = 0; f < instance_.functions(); ++f) {
        const auto &function = instance_.of_function[f];
        std::size_t k = 0;
        while (function.seconds[k] > level.seconds) ++k;
        up.sizes.push_back(function.sizes[k]);
        const auto copies = static_cast<std::int64_t>(prepared_.groups().copies(f));
        sum = saturating_add(sum, saturating_mul(copies, function.sizes[k]));
    }
    up.goal = sum > size_ ? -1 : size_ - sum;
    // A saturated sum is only known to be larger.
    if (level.sum == std::numeric_limits<std::int64_t>::max() || up.goal < 0 || up.goal <= level.sum - size_) return up;
    return {level.seconds, level.largest, true, level.sum - size_};
}

// The greatest common divisor of all steps; 0 if there are none.
std::int64_t SumWithinTime::common_divisor(const Origin &origin) const
{
    std::int64_t divisor = 0;
    for (std::size_t f = 0; f < instance_.functions(); ++f) {
        const auto &function = instance_.of_function[f];
        for (std::size_t k = 0; k < function.count(); ++k) {
            if (function.sizes[k] > size_) break;
            if (function.seconds[k] > origin.seconds) continue;
            divisor = std::gcd(divisor, function.sizes[k] - origin.sizes[f]);
            if (divisor == 1) return 1;
        }
    }
    return divisor;
}

// True if the common divisor of all sizes, whatever their times, does not divide the size.
bool SumWithinTime::is_off_units() const
{
    std::int64_t divisor = 0;
    for (const auto unit : prepared_.units())
        if ((divisor = std::gcd(divisor, unit)) == 1) return false;
    return divisor == 0 ? size_ != 0 : size_ % divisor != 0;
}

// The least time of a point that would change the divisor.
double SumWithinTime::least_time_off_divisor(const Origin &origin, std::int64_t divisor) const
{
    auto least = infinity;
    for (std::size_t f = 0; f < instance_.functions(); ++f) {
        const auto &function = instance_.of_function[f];
        for (std::size_t k = 0; k < function.count(); ++k) {
            if (function.sizes[k] > size_) break;
            if (function.seconds[k] <= origin.seconds || function.seconds[k] >= least) continue;
            const auto distance = function.sizes[k] - origin.sizes[f];
            if (divisor == 0 ? distance != 0 : distance % divisor != 0) least = function.seconds[k];
        }
    }
    return least;
}

std::optional<double> SumWithinTime::least_time_by_divisor(const TimeLevels &levels, const TimeLevel &level) const
{
    if (is_off_units()) return std::nullopt;
    auto seconds = level.seconds;
    for (;;) {
        // A later time may allow smaller sizes, and with them another origin; what the divisor forbids does not depend on it.
        const auto origin = origin_of(seconds == level.seconds ? level : levels.at(seconds));
        const auto divisor = common_divisor(origin);
        if (origin.goal < 0 || divisor == 1) return seconds;
        if (divisor == 0 ? origin.goal == 0 : origin.goal % divisor == 0) return seconds;
        seconds = least_time_off_divisor(origin, divisor);
        if (seconds == infinity) return std::nullopt;
    }
}

SumWithinTime::Distribution SumWithinTime::repair_by_one(const TimeLevel &level) const
{
    const auto excess = level.sum - size_;
    if (excess == 0) return Assignment(prepared_, level.largest).take();
    for (std::size_t f = 0; f < instance_.functions(); ++f) {
        if (level.largest[f] < excess || !is_within(instance_.of_function[f], level.largest[f] - excess, level.seconds))
            continue;
        Assignment assignment(prepared_, level.largest);
        assignment.change(f, -excess, 1);
        return assignment.take();
    }
    return std::nullopt;
}

// Step 2: as many times one decrement as fit, or one time less, and another for the rest.
SumWithinTime::Distribution SumWithinTime::test_alike(const TimeLevel &level) const
{
    ++control_.counters.sum_tests;
    const auto largest = level.largest.front();
    const auto copies = static_cast<std::int64_t>(prepared_.groups().copies(0));
    const auto excess = level.sum - size_;
    if (level.sum == std::numeric_limits<std::int64_t>::max()) return std::nullopt;
    const auto &function = instance_.of_function.front();
    for (auto k = function.find(largest); k-- > 0;) {
        if (function.seconds[k] > level.seconds) continue;
        const auto step = largest - function.sizes[k];
        const auto most = std::min(excess / step, copies);
        for (auto count = most; count >= std::max<std::int64_t>(0, most - 1); --count) {
            const auto rest = excess - count * step;
            const bool completes =
                rest == 0 || (count < copies && rest <= largest && is_within(function, largest - rest, level.seconds));
            if (!completes) continue;
            Assignment assignment(prepared_, level.largest);
            assignment.change(0, -step, count);
            if (rest > 0) assignment.change(0, -rest, 1);
            return assignment.take();
        }
    }
    return std::nullopt;
}

// The sizes are empty where there is no distribution. Nothing where another test must decide.
std::optional<LeastSum> SumWithinTime::search_alike(double seconds) const
{
    const auto &function = instance_.of_function.front();
    std::vector<std::int64_t> sizes;
    for (std::size_t k = 0; k < function.count() && function.sizes[k] <= size_; ++k)
        if (function.seconds[k] <= seconds) sizes.push_back(function.sizes[k]);
    std::vector<double> costs(sizes.size(), 1);
    costs.front() = 0;
    return least_sum_of_alike({sizes, costs, static_cast<std::int64_t>(instance_.processors()), size_}, control_);
}

// Brings the goal down to the window by the largest steps, first of the functions with the coarsest sizes.
void SumWithinTime::take_coarse_steps(TimeSteps &steps, std::int64_t window) const
{
    const auto &units = prepared_.units();
    std::vector<std::size_t> order(instance_.functions());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return units[a] > units[b]; });
    for (const auto f : order) {
        if (steps.goal() <= window) return;
        const auto of_function = steps.steps_of(f);
        if (of_function.empty()) continue;
        const auto largest = of_function.back();
        const auto enough = (steps.goal() - window) / largest + 1;
        steps.take(f, largest, std::min({steps.copies(f), enough, steps.goal() / largest}));
    }
}

// Step 4.
SumWithinTime::Distribution SumWithinTime::test_in_window(const Origin &origin, std::int64_t divisor,
                                                          std::int64_t window) const
{
    TimeSteps steps(prepared_, origin, divisor);
    take_coarse_steps(steps, window);
    if (steps.goal() > std::max(tuning_.narrow_goal, window)) return std::nullopt;
    if (steps.goal() > tuning_.narrow_goal) {
        const auto cost = bit_cost(steps);
        if (cost.bytes > static_cast<double>(control_.memory_limit()) || cost.operations > most_window_operations)
            return std::nullopt;
    }
    const auto taken = find_steps_by_bits(steps, control_, prepared_.simd_level());
    if (!taken) return std::nullopt;
    return steps.sizes_after(*taken);
}

// In units of the divisor.
std::int64_t SumWithinTime::window_at(const TimeLevel &level, std::int64_t divisor) const
{
    const auto largest = *std::max_element(level.largest.begin(), level.largest.end());
    return saturating_mul(largest, tuning_.window) / divisor;
}

SumWithinTime::Distribution SumWithinTime::test(const TimeLevel &level) const
{
    const bool fits = level.sum < std::numeric_limits<std::int64_t>::max();
    if (instance_.functions() == 1) {
        if (auto x = test_alike(level)) return x;
    } else {
        ++control_.counters.sum_tests;
        if (fits)
            if (auto x = repair_by_one(level)) return x;
    }
    if (is_off_units()) return std::nullopt;
    const auto origin = origin_of(level);
    const auto divisor = common_divisor(origin);
    if (origin.goal < 0 || (divisor == 0 ? origin.goal != 0 : origin.goal % divisor != 0)) return std::nullopt;
    const auto unit = std::max<std::int64_t>(divisor, 1);
    const TimeSteps steps(prepared_, origin, unit);
    const bool narrow = steps.goal() <= tuning_.narrow_goal;
    if (!narrow && instance_.functions() == 1)
        if (auto least = search_alike(level.seconds))
            return least->sizes.empty() ? std::nullopt : Distribution(std::move(least->sizes));
    const auto window = window_at(level, unit);
    if (!narrow && steps.goal() > window)
        if (auto x = test_in_window(origin, unit, window)) return x;
    const auto taken = narrow ? find_steps_by_bits(steps, control_, prepared_.simd_level())
                              : find_steps(steps, control_, prepared_.simd_level());
    if (!taken) return std::nullopt;
    return steps.sizes_after(*taken);
}

SumWithinTime::Distribution SumWithinTime::test_quickly(const TimeLevel &level) const
{
    if (level.sum < std::numeric_limits<std::int64_t>::max())
        if (auto x = repair_by_one(level)) return x;
    const auto origin = origin_of(level);
    const auto divisor = std::max<std::int64_t>(common_divisor(origin), 1);
    if (origin.goal < 0 || origin.goal % divisor != 0) return std::nullopt;
    TimeSteps steps(prepared_, origin, divisor);
    if (const auto taken = find_steps_quickly(steps, brief_work / 2)) return steps.sizes_after(*taken);
    take_coarse_steps(steps, window_at(level, divisor));
    const auto taken = find_steps_quickly(steps, brief_work / 2);
    if (!taken) return std::nullopt;
    return steps.sizes_after(*taken);
}

} // namespace hpart
