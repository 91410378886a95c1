// HPOPT: x with sum x_i = n that minimises max t_i(x_i). Method `exact`.
//
// Bound. M_i(T) is the largest size of processor i with a time <= T. A distribution of time <= T has x_i <= M_i(T), so sum
// M_i(T) >= n is necessary. M_i changes only at records, points faster than all larger sizes of i: in order of time they give the
// least T with sum M_i(T) >= n, a lower bound.
// Test. F(T): is n a sum of one size of each processor with t <= T (idle among them)? Exact (reachable_sum.hpp), and monotone in T.
// The optimum is the least time T of a point with F(T): the bound most often; else by galloping and bisection over the distinct
// times above it. Times are only compared and sums are integers: there is no tolerance.
// x is the one that the last test to succeed finds: a function of the instance alone. ties=fewest: the least number of active
// processors among the points with t <= T, by least_sum with cost 1 each.
// Time: O(p m log(p m)) and O(log(p m)) tests. Source: design of hpart; the problem is HPOPT of Khaleghzadeh's thesis.
#include "core/checked.hpp"
#include "core/error.hpp"
#include "partitioners/solution.hpp"
#include "partitioners/sums/least_sum.hpp"
#include "partitioners/sums/reachable_sum.hpp"

#include <algorithm>
#include <limits>
#include <optional>

namespace hpart
{

namespace
{

constexpr double infinity = std::numeric_limits<double>::infinity();

struct Record {
    double seconds;
    std::size_t function;
    std::int64_t size;
};

std::vector<Record> records_of(const Instance &instance, std::int64_t size)
{
    std::vector<Record> records;
    for (std::size_t f = 0; f < instance.functions(); ++f) {
        auto fastest = infinity;
        for (auto k = instance.function_end(f); k-- > instance.function_begin(f);) {
            if (instance.sizes[k] > size || instance.seconds[k] >= fastest) continue;
            fastest = instance.seconds[k];
            records.push_back({fastest, f, instance.sizes[k]});
        }
    }
    std::sort(records.begin(), records.end(), [](const Record &a, const Record &b) { return a.seconds < b.seconds; });
    return records;
}

class TimeSearch
{
  public:
    TimeSearch(const Question &question, Control &control, Work &work)
        : prepared_(question.prepared), instance_(question.instance), size_(question.size), control_(control),
          work_(work)
    {
    }

    Solution run(Ties ties)
    {
        Solution solution;
        const auto bound = time_bound(prepared_, size_);
        if (bound == infinity) return solution;
        solution.lower_bound = bound;
        try {
            if (!search_from(bound)) return solution;
            solution.lower_bound = best_time_;
            if (ties == Ties::fewest) use_fewest_processors();
            solution.outcome = Outcome::found;
        } catch (const Error &error) {
            if (error.status() != Status::limit) throw;
            solution.outcome = Outcome::limit;
            if (best_.empty()) search_quickly_from(bound);
        }
        solution.x = std::move(best_);
        return solution;
    }

  private:
    // F(T): takes the distribution when there is one.
    bool test(double seconds)
    {
        return take(reach_sum(choices_within(instance_, size_, seconds), size_, control_, work_));
    }

    bool take(std::optional<std::vector<std::int64_t>> x)
    {
        if (!x) return false;
        best_ = std::move(*x);
        best_time_ = cost_of(instance_, best_).seconds;
        return true;
    }

    bool search_from(double bound)
    {
        if (test(bound)) return true;
        const auto times = distinct_times(instance_, bound);
        std::size_t low = 0; // all before are too short
        std::size_t high = 0;
        for (std::size_t step = 1;; step *= 2) {
            if (low == times.size()) return false;
            high = std::min(low + step, times.size()) - 1;
            if (test(times[high])) break;
            low = high + 1;
        }
        // The distribution found may be faster than it had to be.
        const auto rank = [&] {
            return static_cast<std::size_t>(std::lower_bound(times.begin(), times.end(), best_time_) - times.begin());
        };
        for (high = rank(); low < high;) {
            const auto middle = low + (high - low) / 2;
            if (test(times[middle]))
                high = rank();
            else
                low = middle + 1;
        }
        return true;
    }

    // Any distribution, preferably fast, when the exact test is too hard.
    void search_quickly_from(double bound)
    {
        const auto times = distinct_times(instance_, bound);
        auto seconds = bound;
        for (std::size_t step = 1;; step *= 2) {
            if (take(reach_sum_quickly(choices_within(instance_, size_, seconds), size_))) return;
            if (times.empty() || seconds == times.back()) return;
            seconds = times[std::min(step, times.size()) - 1];
        }
    }

    void use_fewest_processors()
    {
        const auto choices = choices_where(
            instance_, size_, [&](std::size_t k) { return instance_.seconds[k] <= best_time_; },
            [&](std::size_t k) { return instance_.sizes[k] == 0 ? 0.0 : 1.0; });
        auto fewest = least_sum(choices, size_, {}, control_, work_);
        if (!fewest.sizes.empty()) best_ = std::move(fewest.sizes);
        if (fewest.outcome == Outcome::limit)
            fail(Status::limit, "the fewest active processors were not determined within the limits");
    }

    const Prepared &prepared_;
    const Instance &instance_;
    std::int64_t size_;
    Control &control_;
    Work &work_;
    std::vector<std::int64_t> best_;
    double best_time_ = infinity;
};

} // namespace

double time_bound(const Prepared &prepared, std::int64_t size)
{
    const auto records = records_of(prepared.instance(), size);
    const auto &groups = prepared.groups();
    std::vector<std::int64_t> largest(prepared.instance().functions(), 0);
    std::int64_t room = 0; // sum of `largest`, no more than it takes
    for (const auto &record : records) {
        const auto copies = static_cast<std::int64_t>(groups.copies(record.function));
        room = saturating_add(room, saturating_mul(copies, record.size - largest[record.function]));
        largest[record.function] = record.size;
        if (room >= size) return record.seconds;
    }
    return size == 0 ? 0 : infinity;
}

Solution least_time(const Question &question, Control &control, Work &work)
{
    return TimeSearch(question, control, work).run(question.ties);
}

} // namespace hpart
