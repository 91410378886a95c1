// Balanced: the load balance on the real functions. Among the distributions with the most active processors that any has, the least
// spread between the longest and the shortest time of the active processors; of these the least longest time.
//
// Most active: least_sum with cost 1 for an idle processor. A distribution whose active times lie in [a, b] has them among the points
// of those times; for each shortest time a the least b is found by an exact test, and the optimum is the best pair (b - a, b) over
// all a. For a given a only the b that beat the best pair are asked for, and a test first compares the sums of the smallest
// and of the largest sizes: most are answered by that alone. The spread b - a is compared as double gives it.
// Time: O(p m) tests over the few points inside a window. Source: the "load-balanced solution" that Khaleghzadeh's thesis compares with.

#include "partitioners/methods/baselines/baselines.hpp"

#include "core/error.hpp"
#include "core/numbers.hpp"
#include "partitioners/exact/exact.hpp"
#include "partitioners/problem/prepared.hpp"
#include "partitioners/problem/problem.hpp"
#include "partitioners/search/choices.hpp"
#include "partitioners/search/least_sum.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <queue>
#include <span>

namespace hpart
{

namespace
{

class BalanceSearch
{
  public:
    BalanceSearch(const PartitionProblem &problem, Control &control)
        : instance_(problem.instance), size_(problem.size), control_(control),
          idle_(static_cast<double>(instance_.processors())), times_(problem.prepared.times()),
          slowest_first_(problem.prepared.slowest_first()), groups_(problem.prepared.groups())
    {
    }

    Solution run()
    {
        const auto all = try_window(-infinity, infinity);
        if (!all) return {};
        idle_ = static_cast<double>(std::count(all->begin(), all->end(), 0));
        best_ = *all;
        note_best();
        const auto outcome = outcome_of([&] {
            for (std::size_t k = 0; k < times_.size(); ++k) {
                control_.report_progress(static_cast<double>(k) / static_cast<double>(times_.size()),
                                         "balancing times");
                narrow_from(k);
            }
            return true;
        });
        return {outcome, std::move(best_), 0};
    }

  private:
    // The shortest and longest time of the active processors of best_.
    void note_best()
    {
        double shortest = infinity;
        double longest = 0;
        for (std::size_t i = 0; i < best_.size(); ++i) {
            if (best_[i] == 0) continue;
            const auto seconds = instance_.seconds_of(i, best_[i]);
            shortest = std::min(shortest, seconds);
            longest = std::max(longest, seconds);
        }
        spread_ = longest - shortest;
        longest_ = longest;
    }

    bool is_better(double shortest, double longest) const
    {
        const auto spread = longest - shortest;
        return spread < spread_ || (spread == spread_ && longest < longest_);
    }

    // Takes the least longest time that goes with the k-th time as the shortest, if that is better.
    void narrow_from(std::size_t k)
    {
        for (;;) {
            const auto begin = times_.begin() + static_cast<std::ptrdiff_t>(k);
            const auto end =
                std::partition_point(begin, times_.end(), [&](double t) { return is_better(times_[k], t); });
            if (begin == end) return;
            auto low = begin;
            auto high = end;
            auto found = try_window(times_[k], *(high - 1));
            if (!found) return;
            for (--high; low < high;) {
                const auto middle = low + (high - low) / 2;
                if (auto narrower = try_window(times_[k], *middle)) {
                    found = std::move(narrower);
                    high = middle;
                } else {
                    low = middle + 1;
                }
            }
            best_ = std::move(*found);
            note_best();
        }
    }

    // A distribution with no more idle processors than idle_ and all active times within the window.
    std::optional<std::vector<std::int64_t>> try_window(double shortest, double longest)
    {
        check_time(control_);
        const auto order = std::span(slowest_first_);
        const auto begin = std::partition_point(
            order.begin(), order.end(), [&](const auto &place) { return instance_.seconds_at(place) > longest; });
        const auto end = std::partition_point(
            begin, order.end(), [&](const auto &place) { return instance_.seconds_at(place) >= shortest; });
        const std::span points(begin, end);
        if (!may_reach(points)) return std::nullopt;
        SumQuery query;
        query.cap = idle_;
        auto found = least_sum(choices_of(points), size_, query, control_);
        if (found.outcome == Outcome::limit)
            fail(Status::limit, "the time or memory limit was reached before the balance was proved");
        if (found.outcome == Outcome::none) return std::nullopt;
        return std::move(found.sizes);
    }

    std::int64_t size_at(const PointPlace &place) const
    {
        return instance_.of_function[place.function].sizes[place.index];
    }

    // True unless too many processors have no work in these points, or their largest sizes are too small.
    bool may_reach(std::span<const PointPlace> points)
    {
        largest_.assign(instance_.functions(), 0);
        for (const auto &place : points)
            if (const auto size = size_at(place); size <= size_)
                largest_[place.function] = std::max(largest_[place.function], size);
        double idle = 0;
        std::int64_t sum = 0;
        for (std::size_t f = 0; f < largest_.size(); ++f) {
            const auto copies = groups_.copies(f);
            if (largest_[f] == 0) idle += static_cast<double>(copies);
            sum = saturating_add(sum, saturating_mul(static_cast<std::int64_t>(copies), largest_[f]));
        }
        return idle <= idle_ && sum >= size_;
    }

    // These points and idling, which costs 1.
    Choices choices_of(std::span<const PointPlace> points) const
    {
        std::vector<PointPlace> of_functions(points.begin(), points.end());
        std::sort(of_functions.begin(), of_functions.end());
        Choices choices;
        choices.function_of = instance_.function_of;
        auto place = of_functions.begin();
        for (std::uint32_t f = 0; f < instance_.functions(); ++f) {
            if (instance_.of_function[f].may_idle()) choices.add(0, 1);
            for (; place != of_functions.end() && place->function == f; ++place)
                if (const auto size = size_at(*place); size > 0 && size <= size_) choices.add(size, 0);
            choices.end_function();
        }
        return choices;
    }

    const Instance &instance_;
    std::int64_t size_;
    Control &control_;
    double idle_;                      // at most so many
    const std::vector<double> &times_; // may have the time of idling
    const std::vector<PointPlace> &slowest_first_;
    const Groups &groups_;
    std::vector<std::int64_t> largest_; // of each function in a window
    std::vector<std::int64_t> best_;
    double spread_ = infinity;
    double longest_ = infinity;
};

} // namespace

Solution balanced(const PartitionProblem &problem, Control &control)
{
    auto solution = BalanceSearch(problem, control).run();
    solution.lower_bound = objective_bound(problem);
    return solution;
}

// FPM, the functional performance model: shares x_i that all take the same time by the speed functions s_i(x), which means that the
// points (x_i, s_i(x_i)) lie on one line through the origin: x_i / s_i(x_i) = T. Geometric bisection of the line's slope 1 / T until
// the shares sum to n. Source: Lastovetsky and Reddy (2007).
//
// The speed functions are treated as the papers treat them: piecewise linear through the measured points, constant below the first,
// and of a shape that a line through the origin cuts once; where a real function is cut more often, the rightmost cut is taken, so
// that shares rise with T and the bisection ends for every input.

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

// Smooth-FPM: each speed function replaced by its polynomial trend line, and the least time over these smooth functions. The
// distribution found is then judged by the real functions. Source: Khaleghzadeh's thesis, 3.6.2: trend lines of LibreOffice Calc, then
// HPOPTA on them. The thesis names no degree; 2 is Calc's own. HPOPTA's optimum is found here by the method `exact`.
// Time O(p m degree) beside the exact solver's.

namespace
{

// Replaces the times of function f by times from the trend line of its speeds. A point of time 0 keeps it: it has no speed. If the
// line is not above 0, the point gets the longest time of all: such a size is used only if nothing else sums to n.
void smooth(Instance &instance, std::size_t f, std::int64_t degree)
{
    std::vector<std::size_t> points;
    std::vector<double> sizes;
    std::vector<double> speeds;
    auto &function = instance.of_function[f];
    for (std::size_t k = 0; k < function.count(); ++k) {
        if (function.sizes[k] == 0 || function.seconds[k] == 0) continue;
        points.push_back(k);
        sizes.push_back(static_cast<double>(function.sizes[k]));
        speeds.push_back(std::min(sizes.back() / function.seconds[k], std::numeric_limits<double>::max()));
    }
    if (points.empty()) return;
    // In units of the highest speed: no sum overflows.
    const auto unit = *std::max_element(speeds.begin(), speeds.end());
    for (auto &speed : speeds) speed /= unit;
    const auto fitted = trend_line(sizes, std::move(speeds), degree);
    auto smoothed = std::make_shared<std::vector<double>>(function.seconds.begin(), function.seconds.end());
    for (std::size_t k = 0; k < points.size(); ++k) {
        constexpr auto longest = std::numeric_limits<double>::max();
        const auto seconds = fitted[k] > 0 ? sizes[k] / fitted[k] / unit : longest;
        (*smoothed)[points[k]] = std::min(seconds, longest);
    }
    function.seconds = *smoothed;
    function.summary = nullptr;
    instance.owners.push_back(std::move(smoothed));
}

} // namespace

Solution smooth_fpm(const PartitionProblem &problem, Control &control)
{
    const auto degree = problem.options.get_int("degree");
    auto instance = problem.instance;
    for (std::size_t f = 0; f < instance.functions(); ++f) smooth(instance, f, degree);
    const Prepared prepared(std::move(instance), problem.prepared.simd_level());
    auto found = least_time({.platform = problem.platform,
                             .prepared = prepared,
                             .size = problem.size,
                             .ties = problem.ties,
                             .options = problem.options},
                            control);
    found.lower_bound = objective_bound(problem);
    return found;
}

// CPM, the constant performance model: shares in proportion to one speed a processor, share_i = n s_i / sum s.
//
// s_i is the speed x / t at the processor's measured size nearest to the option speed_size, or to n / p, the lower one of two equally
// near. The thesis (3.6.2) compares three: speeds at a size at the beginning, in the middle and at the end of the functions. Processors of
// zero time there share all the work equally; a processor without sizes has speed 0. Source: Kalinov and Lastovetsky (2001), as compared in
// Khaleghzadeh's thesis.

namespace
{

double speed_near(const FunctionPoints &function, double size)
{
    if (function.count() == 1) return 0;
    std::size_t nearest = 1; // after the idle point
    const auto distance = [&](std::size_t k) { return std::abs(static_cast<double>(function.sizes[k]) - size); };
    for (auto k = nearest; k < function.count(); ++k)
        if (distance(k) < distance(nearest)) nearest = k;
    if (function.seconds[nearest] == 0) return std::numeric_limits<double>::infinity();
    return static_cast<double>(function.sizes[nearest]) / function.seconds[nearest];
}

} // namespace

Solution cpm(const PartitionProblem &problem, Control &control)
{
    const auto &instance = problem.instance;
    const auto equal = static_cast<double>(problem.size) / static_cast<double>(instance.processors());
    const auto chosen = problem.options.find_int("speed_size");
    std::vector<double> of_function;
    for (const auto &function : instance.of_function)
        of_function.push_back(speed_near(function, chosen ? static_cast<double>(*chosen) : equal));
    std::vector<double> speeds;
    speeds.reserve(instance.processors());
    for (const auto f : instance.function_of) speeds.push_back(of_function[f]);
    return nearest_to_shares(problem, shares_by_speed(speeds, problem.size), control);
}

std::vector<double> shares_by_speed(const std::vector<double> &speeds, std::int64_t size)
{
    const auto fastest = speeds.empty() ? 0 : *std::max_element(speeds.begin(), speeds.end());
    std::vector<double> shares;
    shares.reserve(speeds.size());
    for (const auto speed : speeds)
        shares.push_back(std::isinf(fastest) ? (std::isinf(speed) ? 1 : 0) : (fastest > 0 ? speed / fastest : 0));
    const auto sum = std::accumulate(shares.begin(), shares.end(), 0.0);
    for (auto &share : shares)
        if (sum > 0) share = share / sum * static_cast<double>(size);
    return shares;
}

// Equal: every processor the share n / p, fast or slow.
Solution equal(const PartitionProblem &problem, Control &control)
{
    const auto p = problem.instance.processors();
    const std::vector<double> shares(p, static_cast<double>(problem.size) / static_cast<double>(p));
    return nearest_to_shares(problem, shares, control);
}

// Equal, CPM and FPM give real-valued shares, but only sizes of the functions have a time. The distribution taken is the one over
// these sizes that is nearest to the shares, least sum of |x_i - share_i|: the exact sum problem with that as the cost.
Solution nearest_to_shares(const PartitionProblem &problem, const std::vector<double> &shares, Control &control)
{
    std::vector<std::int64_t> apart; // copies with equal shares have one function
    apart.reserve(shares.size());
    for (const auto share : shares) apart.push_back(std::bit_cast<std::int64_t>(share));
    const auto &instance = problem.instance;
    const auto choices = choices_where(
        instance, problem.size, [](const FunctionPoints &, std::size_t) { return true; },
        [&](const FunctionPoints &function, std::size_t k, std::size_t i) {
            return std::abs(static_cast<double>(function.sizes[k]) - shares[i]);
        },
        apart);
    auto nearest = least_sum(choices, problem.size, {}, control);
    return {nearest.outcome, std::move(nearest.sizes), objective_bound(problem)};
}

// Self-scheduling on the functions: simulates the runs of hpart_team_self_schedule, each package taking the time of its size. The processor
// that has been busy for the shortest time asks next, the first one among equals. Time O(packages x (p + log points)).

PackageSchedule self_scheduled(SelfMethod method, const ScheduleProblem &problem, Control &control)
{
    const auto &instance = problem.instance;
    const auto p = instance.processors();
    SelfScheduler scheduler(SelfSchedule::from(method, problem.size, p, problem.options), p, package_sizes(instance));
    using Request = std::pair<double, std::size_t>; // busy seconds, processor
    std::priority_queue<Request, std::vector<Request>, std::greater<>> requests;
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> repeats; // by processor, then by decreasing size
    Pacer pacer(control, "giving out packages");
    const auto ask = [&](double busy, std::size_t i, std::optional<double> seconds) {
        const auto size = scheduler.next(i, seconds);
        if (size == 0) return;
        pacer.spend(static_cast<std::int64_t>(p));
        ++control.counters.states;
        ++repeats[{static_cast<std::int64_t>(i), -size}];
        requests.emplace(busy + instance.seconds_of(i, size), i);
    };
    std::vector<double> busy(p, 0);
    for (std::size_t i = 0; i < p; ++i) ask(0, i, std::nullopt);
    while (!requests.empty()) {
        const auto [end, i] = requests.top();
        requests.pop();
        ask(end, i, end - std::exchange(busy[i], end));
    }
    if (scheduler.rest() > 0)
        fail(Status::infeasible, "method ", problem.options.get_text("method"), " leaves ", scheduler.rest(), " of ",
             problem.size, ", for which no processor has a size");
    PackageSchedule out;
    for (const auto &[key, count] : repeats) out.tasks.push_back({key.first, -key.second, count});
    const auto seconds = busy_seconds(instance, out.tasks);
    out.makespan = *std::max_element(seconds.begin(), seconds.end());
    out.lower_bound = schedule_bound(instance, problem.size);
    out.outcome = Outcome::found;
    return out;
}

} // namespace hpart
