#include "partitioners/problem/prepared.hpp"

#include "core/numbers.hpp"
#include "partitioners/search/break_solution.hpp"
#include "partitioners/search/choices.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
#include <memory>
#include <numeric>

namespace hpart
{

namespace
{

constexpr const char *preparing = "preparing";
constexpr std::size_t doubles_of_line = 8;

Groups groups_of(const Instance &instance)
{
    Groups groups;
    groups.first.assign(instance.functions() + 1, 0);
    for (const auto f : instance.function_of) ++groups.first[f + std::size_t{1}];
    for (std::size_t f = 0; f < instance.functions(); ++f) groups.first[f + 1] += groups.first[f];
    groups.processors.resize(instance.processors());
    auto next = groups.first;
    for (std::size_t i = 0; i < instance.processors(); ++i)
        groups.processors[next[instance.function_of[i]]++] = static_cast<std::uint32_t>(i);
    return groups;
}

// Adds the records of one function after another.
class RecordsBuilder
{
  public:
    RecordsBuilder(const Instance &instance, Control *control) : pacer_(control, preparing)
    {
        constexpr std::size_t fewest = 4; // points of a record, mostly
        records_.first.reserve(instance.functions() + 1);
        records_.seconds.reserve(instance.points() / fewest); // memory that is never written costs nothing
        records_.sizes.reserve(instance.points() / fewest);
    }

    // Those among sizes <= size. The times of the next function are fetched meanwhile.
    void add_function(const FunctionPoints &function, std::int64_t size, std::size_t copies,
                      std::span<const double> next)
    {
        auto sizes = function.sizes;
        if (!sizes.empty() && sizes.back() > size)
            sizes = sizes.first(static_cast<std::size_t>(std::ranges::upper_bound(sizes, size) - sizes.begin()));
        const auto first = records_.sizes.size();
        const auto records = find_records(function.seconds.first(sizes.size()), next);
        const auto count = records.size();
        records_.seconds.resize(first + count);
        records_.sizes.resize(first + count);
        for (std::size_t r = 0; r < count; ++r) records_.seconds[first + r] = function.seconds[records[r]];
        const bool computes = function.steps.step > 0; // sooner than it reads them
        for (std::size_t r = 0; r < count; ++r)
            records_.sizes[first + r] = computes ? function.steps.size(records[r]) : sizes[records[r]];
        records_.first.push_back(records_.sizes.size());
        records_.fastest = std::max(records_.fastest, count > 0 ? records_.seconds[first] : infinity);
        if (sizes.empty()) return;
        records_.largest_size = std::max(records_.largest_size, records_.sizes.back());
        records_.largest_sum = saturating_add(records_.largest_sum,
                                              saturating_mul(static_cast<std::int64_t>(copies), records_.sizes.back()));
        records_.rate +=
            static_cast<double>(copies) * (rate_at(first + count / 2) + rate_at(first + 3 * count / 4)) / 2;
    }

    Records take() { return std::move(records_); }

  private:
    static constexpr std::size_t chunk = 64; // points between looks at the clock

    // The indices of a function's records.
    std::span<const std::uint32_t> find_records(std::span<const double> seconds, std::span<const double> next)
    {
        if (found_.size() <= seconds.size()) found_.resize(seconds.size() + 1);
        // Times are >= 0: their representations have the order of the values, and are compared sooner.
        auto fastest = std::bit_cast<std::int64_t>(infinity);
        auto begin = found_.size();
        for (auto k = seconds.size(); k > 0;) { // from the largest size on
            const auto chunk_begin = k - std::min(chunk, k);
            for (auto j = chunk_begin; j < k && j < next.size(); j += doubles_of_line) __builtin_prefetch(&next[j]);
            // Without branches, which nobody could predict: a point that is no record is written over.
            while (k > chunk_begin) {
                --k;
                const auto time = std::bit_cast<std::int64_t>(seconds[k]);
                found_[begin - 1] = static_cast<std::uint32_t>(k);
                begin -= static_cast<std::uint64_t>(time - fastest) >> 63U; // 1 if it is less
                fastest = std::min(fastest, time);
            }
            pacer_.spend(16 * chunk);
        }
        return std::span(found_).subspan(begin);
    }

    double rate_at(std::size_t r) const
    {
        return records_.seconds[r] > 0 ? static_cast<double>(records_.sizes[r]) / records_.seconds[r] : 0;
    }

    Pacer pacer_;
    Records records_;
    std::vector<std::uint32_t> found_; // records of one function, at the end
};

std::vector<std::int64_t> units_of(const Instance &instance)
{
    std::vector<std::int64_t> units;
    for (const auto &[sizes, seconds, joules, steps, summary] : instance.of_function) {
        const bool has_step = steps.step > 0 && sizes.size() > 1;
        units.push_back(has_step ? std::gcd(steps.size(1), sizes.size() > 2 ? steps.step : 0)
                                 : common_divisor(0, sizes, 0));
    }
    return units;
}

double largest_of(std::span<const double> values) { return values.empty() ? 0 : *std::ranges::max_element(values); }

Extremes extremes_of(const Instance &instance, const Groups &groups)
{
    Extremes extremes;
    for (std::size_t f = 0; f < instance.functions(); ++f) {
        const auto &[sizes, seconds, joules, steps, summary] = instance.of_function[f];
        const auto longest = summary != nullptr ? summary->longest_seconds : largest_of(seconds);
        extremes.longest_seconds = std::max(extremes.longest_seconds, longest);
        if (!instance.has_energies) continue;
        const bool are_times = joules.data() == seconds.data();
        const auto most = are_times ? longest : summary != nullptr ? summary->most_joules : largest_of(joules);
        extremes.joules += static_cast<double>(groups.copies(f)) * most;
    }
    return extremes;
}

} // namespace

const Groups &Prepared::groups() const
{
    return groups_.get([&] { return std::make_unique<Groups>(groups_of(instance_)); });
}

const Records &Prepared::records() const
{
    return records_.get(
        [&] { return std::make_unique<Records>(records_within(*this, std::numeric_limits<std::int64_t>::max())); });
}

const Extremes &Prepared::extremes() const
{
    return extremes_.get([&] { return std::make_unique<Extremes>(extremes_of(instance_, groups())); });
}

const CostFunctions &Prepared::energies() const
{
    return energies_.get([&] {
        std::vector<CostPoints> points;
        points.reserve(instance_.functions());
        for (const auto &[sizes, seconds, joules, steps, summary] : instance_.of_function)
            points.push_back({sizes, joules, steps});
        auto energies = std::make_unique<CostFunctions>(std::move(points), simd_level_, std::nullopt);
        // Half of all that the functions hold stands for any sum.
        std::vector<std::uint32_t> each(instance_.functions());
        std::iota(each.begin(), each.end(), std::uint32_t{0});
        std::int64_t largest = 0;
        for (const auto &function : instance_.of_function)
            if (function.count() > 0) largest = saturating_add(largest, function.sizes.back());
        const auto half = find_break_solution({*energies, each, largest / 2}, {});
        energies->set_tilt(half ? half->multiplier : 0);
        return energies;
    });
}

const PointTimes &Prepared::point_times() const
{
    return point_times_.get([&] {
        std::vector<std::span<const double>> seconds;
        seconds.reserve(instance_.functions());
        for (const auto &function : instance_.of_function) seconds.push_back(function.seconds);
        return std::make_unique<PointTimes>(std::move(seconds));
    });
}

const std::vector<std::int64_t> &Prepared::units() const
{
    return units_.get([&] { return std::make_unique<std::vector<std::int64_t>>(units_of(instance_)); });
}

Records records_within(const Prepared &prepared, std::int64_t size)
{
    const auto &instance = prepared.instance();
    RecordsBuilder builder(instance, prepared.control());
    const auto &functions = instance.of_function;
    for (std::size_t f = 0; f < functions.size(); ++f) {
        const auto next = f + 1 < functions.size() ? functions[f + 1].seconds : std::span<const double>();
        builder.add_function(functions[f], size, prepared.groups().copies(f), next);
    }
    return builder.take();
}

const std::vector<PointPlace> &Prepared::slowest_first() const
{
    return slowest_first_.get([&] {
        auto order = std::make_unique<std::vector<PointPlace>>();
        order->reserve(instance_.points());
        for (std::uint32_t f = 0; f < instance_.functions(); ++f)
            for (std::uint32_t k = 0; k < instance_.of_function[f].count(); ++k) order->push_back({k, f});
        Pacer pacer(control_, preparing);
        std::stable_sort(order->begin(), order->end(), paced(pacer, [&](const PointPlace &a, const PointPlace &b) {
                             return instance_.seconds_at(a) > instance_.seconds_at(b);
                         }));
        return order;
    });
}

const std::vector<double> &Prepared::times() const
{
    return times_.get([&] {
        auto times = std::make_unique<std::vector<double>>();
        times->reserve(instance_.points());
        for (const auto &function : instance_.of_function)
            times->insert(times->end(), function.seconds.begin(), function.seconds.end());
        if (Pacer pacer(control_, preparing); control_ != nullptr)
            std::sort(times->begin(), times->end(), paced(pacer, std::less<>()));
        else
            std::sort(times->begin(), times->end());
        times->erase(std::unique(times->begin(), times->end()), times->end());
        return times;
    });
}

const Prepared &PreparedPlatform::get(const Platform &platform, Needs needs) const
{
    return by_needs_[static_cast<std::size_t>(needs)].get(
        [&] { return std::make_unique<Prepared>(usable_points(platform, needs), simd_level_); });
}

PreparedPlatform::~PreparedPlatform() = default;

const PlatformAtBound &PreparedPlatform::at_bound(const Platform &platform, Bound bound) const
{
    return by_bound_[bound == Bound::low ? 0 : 1].get(
        [&] { return std::make_unique<PlatformAtBound>(platform.at_bound(bound), simd_level_); });
}

void PreparedPlatform::forget()
{
    for (auto &prepared : by_needs_) prepared.forget();
    forget_platforms();
}

void PreparedPlatform::forget_platforms()
{
    for (auto &bounded : by_bound_) bounded.forget();
}

} // namespace hpart
