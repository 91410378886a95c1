#include "partitioners/problem/prepared.hpp"

#include "core/checked.hpp"
#include "partitioners/search/base_choice.hpp"
#include "partitioners/search/limits.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>

namespace hpart
{

namespace
{

constexpr const char *preparing = "preparing";
// In units of a comparison: a point that is anywhere in memory.
constexpr std::int64_t work_of_jump = 16;

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

// Adds the records of a function among its points begin .. end - 1.
class RecordsBuilder
{
  public:
    RecordsBuilder(const Instance &instance, Control *control) : instance_(instance), pacer_(control, preparing)
    {
        records_.first.reserve(instance.functions() + 1);
        records_.seconds.reserve(instance.sizes.size()); // memory that is never written costs nothing
        records_.sizes.reserve(instance.sizes.size());
    }

    void add_function(std::size_t begin, std::size_t end, std::size_t copies)
    {
        const auto first = records_.sizes.size();
        const double fastest = add_backwards(begin, end);
        std::reverse(records_.seconds.begin() + static_cast<std::ptrdiff_t>(first), records_.seconds.end());
        std::reverse(records_.sizes.begin() + static_cast<std::ptrdiff_t>(first), records_.sizes.end());
        const auto count = records_.sizes.size() - first;
        records_.first.push_back(records_.sizes.size());
        records_.fastest = std::max(records_.fastest, fastest);
        if (begin == end) return;
        records_.largest_size = std::max(records_.largest_size, records_.sizes.back());
        records_.largest_sum = saturating_add(records_.largest_sum,
                                              saturating_mul(static_cast<std::int64_t>(copies), records_.sizes.back()));
        records_.rate +=
            static_cast<double>(copies) * (rate_at(first + count / 2) + rate_at(first + 3 * count / 4)) / 2;
    }

    Records take() { return std::move(records_); }

  private:
    static constexpr std::size_t chunk = 1 << 12; // points between looks at the clock

    // From the largest size on. Returns the least time.
    double add_backwards(std::size_t begin, std::size_t end)
    {
        auto fastest = std::numeric_limits<double>::infinity();
        for (auto k = end; k > begin;) {
            const auto points = std::min(chunk, k - begin);
            const auto chunk_begin = k - points;
            auto count = records_.sizes.size();
            records_.seconds.resize(count + points);
            records_.sizes.resize(count + points);
            // Without branches, which nobody could predict: a point that is no record is written over.
            while (k > chunk_begin) {
                --k;
                const auto seconds = instance_.seconds[k];
                records_.seconds[count] = seconds;
                records_.sizes[count] = instance_.sizes[k];
                count += seconds < fastest ? 1 : 0;
                fastest = std::min(fastest, seconds);
            }
            records_.seconds.resize(count);
            records_.sizes.resize(count);
            pacer_.spend(16 * chunk);
        }
        return fastest;
    }

    double rate_at(std::size_t r) const
    {
        return records_.seconds[r] > 0 ? static_cast<double>(records_.sizes[r]) / records_.seconds[r] : 0;
    }

    const Instance &instance_;
    Pacer pacer_;
    Records records_;
};

std::int64_t unit_of(const Instance &instance, std::size_t f)
{
    std::int64_t unit = 0;
    const auto end = instance.function_end(f);
    for (auto k = instance.function_begin(f); k < end && unit != 1; ++k) unit = std::gcd(unit, instance.sizes[k]);
    return unit;
}

std::vector<std::int64_t> units_of(const Instance &instance)
{
    std::vector<std::int64_t> units(instance.functions());
    for (std::size_t f = 0; f < units.size(); ++f) units[f] = unit_of(instance, f);
    return units;
}

// The largest of values >= 0; several at once, as in has_nan.
double largest_of(std::span<const double> values)
{
    constexpr std::size_t lanes = 8;
    std::array<double, lanes> largest{};
    std::size_t k = 0;
    for (; k + lanes <= values.size(); k += lanes)
        for (std::size_t l = 0; l < lanes; ++l) largest[l] = std::max(largest[l], values[k + l]);
    for (; k < values.size(); ++k) largest[0] = std::max(largest[0], values[k]);
    return *std::max_element(largest.begin(), largest.end());
}

Extremes extremes_of(const Instance &instance, const Groups &groups)
{
    Extremes extremes;
    for (std::size_t f = 0; f < instance.functions(); ++f) {
        const auto first = instance.function_begin(f);
        const auto count = instance.function_end(f) - first;
        extremes.longest_seconds =
            std::max(extremes.longest_seconds, largest_of({instance.seconds.data() + first, count}));
        if (instance.has_energies())
            extremes.joules +=
                static_cast<double>(groups.copies(f)) * largest_of({instance.joules.data() + first, count});
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
        auto energies = std::make_unique<CostFunctions>(instance_.function_first, instance_.sizes, instance_.joules,
                                                        simd_level_, std::nullopt);
        // Half of all that the functions hold stands for any sum.
        std::vector<std::uint32_t> each(instance_.functions());
        std::iota(each.begin(), each.end(), std::uint32_t{0});
        std::int64_t largest = 0;
        for (const auto f : each)
            if (instance_.function_begin(f) < instance_.function_end(f))
                largest = saturating_add(largest, instance_.sizes[instance_.function_end(f) - 1]);
        const auto half = find_base_choice({*energies, each, largest / 2, simd_level_}, {});
        energies->set_tilt(half ? half->multiplier : 0);
        return energies;
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
    for (std::size_t f = 0; f < instance.functions(); ++f) {
        const auto begin = instance.sizes.begin() + static_cast<std::ptrdiff_t>(instance.function_begin(f));
        const auto end = instance.sizes.begin() + static_cast<std::ptrdiff_t>(instance.function_end(f));
        const auto beyond = begin == end || *(end - 1) <= size ? end : std::upper_bound(begin, end, size);
        builder.add_function(instance.function_begin(f), static_cast<std::size_t>(beyond - instance.sizes.begin()),
                             prepared.groups().copies(f));
    }
    return builder.take();
}

const std::vector<std::size_t> &Prepared::slowest_first() const
{
    return slowest_first_.get([&] {
        auto order = std::make_unique<std::vector<std::size_t>>(instance_.seconds.size());
        std::iota(order->begin(), order->end(), std::size_t{0});
        Pacer pacer(control_, preparing);
        std::stable_sort(order->begin(), order->end(), paced(pacer, [&](std::size_t a, std::size_t b) {
                             return instance_.seconds[a] > instance_.seconds[b];
                         }));
        return order;
    });
}

const std::vector<double> &Prepared::times() const
{
    return times_.get([&] {
        auto times = std::make_unique<std::vector<double>>();
        const auto &order = slowest_first();
        Pacer pacer(control_, preparing);
        for (auto k = order.size(); k-- > 0;) {
            pacer.spend(work_of_jump);
            const auto seconds = instance_.seconds[order[k]];
            if (times->empty() || seconds != times->back()) times->push_back(seconds);
        }
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
