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

#include <algorithm>
#include <limits>
#include <numeric>

namespace hpart
{

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
