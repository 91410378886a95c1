// Problem: with M_i(T) the largest size of processor i of a time <= T, the least T with sum M_i(T) >= n: no distribution of n is faster.
//
// M_i changes only at records, the points strictly faster than every larger size of i, so that M_i(T) is a binary search over the
// records of its function and T is the time of a record. A bracket (low, high] of T, sum < n at low and >= n at high, is narrowed
// by interpolation between the sums at its ends, pushed past the root towards the middle so that both ends move; then by halving
// the representations, which times of any scale cannot defeat. A function whose records in the bracket are used up is closed. The
// few records that are left at last are taken in the order of their times until the sum is reached, and with the last of them
// all others of the same time.
// Any rule for the next T gives the same level: the rule decides about the work alone.
// Time: O(rounds x open functions x log m), a few rounds on realistic functions; at worst a sort of the records. Memory: O(functions).
// Source: design of hpart.

#include "partitioners/exact/time_levels.hpp"

#include "core/numbers.hpp"
#include "partitioners/search/least_sum.hpp"
#include "partitioners/search/subset_sum.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

namespace hpart
{

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

namespace
{

constexpr int interpolations = 10;
constexpr std::size_t few_records = 48; // sorting so many costs less than another round

// The last record of first .. last with a time <= seconds; `first` has such a time.
std::size_t last_within(const double *times, std::size_t first, std::size_t last, double seconds)
{
    for (auto count = last - first; count > 0;) {
        const auto half = (count + 1) / 2;
        first += times[first + half] <= seconds ? half : 0;
        count -= half;
    }
    return first;
}

} // namespace

struct TimeLevels::Bracket {
    std::uint32_t function;
    std::int64_t copies;
    std::size_t low; // records: the last within the low time, and within the high one
    std::size_t high;
    std::size_t trial;
};

class TimeLevels::Narrowing
{
  public:
    Narrowing(const Records &records, const Groups &groups, std::int64_t size)
        : records_(records), size_(size), low_(records.fastest), largest_(records.functions())
    {
        open_.reserve(records.functions());
        for (std::size_t f = 0; f < records.functions(); ++f) {
            const auto end = records.first[f + 1] - 1;
            const auto begin = low_ == 0 ? records.first[f] : first_at(f, low_);
            const auto copies = static_cast<std::int64_t>(groups.copies(f));
            low_sum_ = saturating_add(low_sum_, saturating_mul(copies, records.sizes[begin]));
            largest_[f] = records.sizes[begin];
            if (begin < end) open_.push_back({static_cast<std::uint32_t>(f), copies, begin, end, begin});
        }
        first_sum_ = low_sum_;
    }

    TimeLevel run()
    {
        if (low_sum_ >= size_) return {low_, std::move(largest_), low_sum_};
        for (int round = 0; records_left() > few_records; ++round) {
            const auto trial = round < interpolations ? interpolate(round) : halfway(low_, high_);
            if (trial > low_ && trial < high_)
                narrow(trial);
            else if (round >= interpolations)
                break; // all that is left has one time
        }
        return finish();
    }

  private:
    struct Event {
        double seconds;
        std::size_t record;
        const Bracket *bracket;
    };

    std::size_t first_at(std::size_t f, double seconds) const
    {
        return last_within(records_.seconds.data(), records_.first[f], records_.first[f + 1] - 1, seconds);
    }

    std::size_t records_left() const
    {
        std::size_t left = 0;
        for (const auto &bracket : open_) left += bracket.high - bracket.low;
        return left;
    }

    double interpolate(int round) const
    {
        const auto target = static_cast<double>(size_);
        const auto at_low = static_cast<double>(low_sum_);
        const auto at_high = static_cast<double>(high_sum_);
        const auto slack = 0.02 * round * round;
        if (round == 0) return target / records_.rate;
        if (high_ == infinity) return low_ * std::min(8.0, 1.01 + 1.2 * (target / at_low - 1) + slack);
        if (low_sum_ == first_sum_) return high_ * std::max(0.1, target / at_high - slack);
        const auto fraction = (target - at_low) / (at_high - at_low);
        const auto pushed = fraction < 0.5 ? std::min(0.5, 1.2 * fraction + 0.01)
                                           : std::max(0.5, fraction - 0.2 * (1 - fraction) - 0.01);
        return low_ + (high_ - low_) * (round % 4 == 0 ? 0.5 : std::clamp(pushed, 0.02, 0.98));
    }

    void narrow(double trial)
    {
        const auto *times = records_.seconds.data();
        const auto *sizes = records_.sizes.data();
        auto sum = low_sum_;
        for (auto &bracket : open_) {
            bracket.trial = last_within(times, bracket.low, bracket.high, trial);
            sum = saturating_add(sum, saturating_mul(bracket.copies, sizes[bracket.trial] - sizes[bracket.low]));
        }
        const bool enough = sum >= size_;
        (enough ? high_ : low_) = trial;
        (enough ? high_sum_ : low_sum_) = sum;
        std::size_t kept = 0;
        for (auto bracket : open_) {
            (enough ? bracket.high : bracket.low) = bracket.trial;
            largest_[bracket.function] = sizes[bracket.low];
            if (bracket.low < bracket.high) open_[kept++] = bracket;
        }
        open_.resize(kept);
    }

    TimeLevel finish()
    {
        std::vector<Event> events;
        events.reserve(records_left());
        for (const auto &bracket : open_)
            for (auto r = bracket.low + 1; r <= bracket.high; ++r) events.push_back({records_.seconds[r], r, &bracket});
        std::sort(events.begin(), events.end(), [](const Event &a, const Event &b) { return a.seconds < b.seconds; });
        auto sum = low_sum_;
        for (const auto &event : events) {
            if (sum >= size_ && event.seconds > low_) break;
            low_ = event.seconds;
            auto &largest = largest_[event.bracket->function];
            const auto rise = records_.sizes[event.record] - largest;
            sum = saturating_add(sum, saturating_mul(event.bracket->copies, rise));
            largest = records_.sizes[event.record];
        }
        return {low_, std::move(largest_), sum};
    }

    const Records &records_;
    std::int64_t size_;
    double low_;
    double high_ = infinity;
    std::int64_t low_sum_ = 0;
    std::int64_t first_sum_ = 0;
    std::int64_t high_sum_ = 0;
    std::vector<Bracket> open_;
    std::vector<std::int64_t> largest_; // within the low time
};

TimeLevels::TimeLevels(const Prepared &prepared, std::int64_t size)
    : groups_(prepared.groups()), size_(size),
      own_(prepared.records().largest_size > size ? records_within(prepared, size) : Records{}),
      records_(prepared.records().largest_size > size ? own_ : prepared.records())
{
}

std::optional<TimeLevel> TimeLevels::least() const
{
    if (records_.fastest == infinity || records_.largest_sum < size_) return std::nullopt;
    return Narrowing(records_, groups_, size_).run();
}

TimeLevel TimeLevels::at(double seconds) const
{
    TimeLevel level{seconds, {}, 0};
    level.largest.reserve(records_.functions());
    for (std::size_t f = 0; f < records_.functions(); ++f) {
        const auto r = last_within(records_.seconds.data(), records_.first[f], records_.first[f + 1] - 1, seconds);
        level.largest.push_back(records_.sizes[r]);
        level.sum =
            saturating_add(level.sum, saturating_mul(static_cast<std::int64_t>(groups_.copies(f)), records_.sizes[r]));
    }
    return level;
}

} // namespace hpart
