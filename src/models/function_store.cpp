#include "models/function_store.hpp"

#include "core/containers.hpp"
#include "models/platform.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <span>

namespace hpart
{

namespace
{

// The distance of neighbouring sizes if it is the same for all; else 0. For a single size: 1.
std::int64_t common_step(std::span<const std::int64_t> sizes)
{
    if (sizes.size() < 2) return static_cast<std::int64_t>(sizes.size());
    const auto step = sizes[1] - sizes[0];
    std::size_t others = 0;
    for (std::size_t k = 1; k < sizes.size(); ++k) others += sizes[k] - sizes[k - 1] == step ? 0 : 1;
    return others == 0 ? step : 0;
}

struct Extreme {
    double largest = 0;
    bool is_complete = true; // no value is unknown
};

// The values are >= 0 or unknown. Several at once: one comparison does not wait for the one before it.
Extreme extreme_of(std::span<const double> values)
{
    constexpr std::size_t lanes = 8;
    std::array<double, lanes> largest{};
    std::array<double, lanes> sums{}; // unknown if a value is
    std::size_t k = 0;
    const auto add = [&](std::size_t l, double value) {
        largest[l] = value > largest[l] ? value : largest[l];
        sums[l] += value;
    };
    for (; k + lanes <= values.size(); k += lanes)
        for (std::size_t l = 0; l < lanes; ++l) add(l, values[k + l]);
    for (; k < values.size(); ++k) add(0, values[k]);
    return {*std::max_element(largest.begin(), largest.end()),
            std::none_of(sums.begin(), sums.end(), [](double sum) { return std::isnan(sum); })};
}

void add_hashes(Points &points)
{
    auto &summary = points.summary;
    summary.hash_of_sizes = add_to_hash<std::int64_t>(points.count(), points.sizes);
    summary.hash_of_times = add_to_hash<double>(summary.hash_of_sizes, points.seconds);
    summary.hash = add_to_hash<double>(summary.hash_of_times, points.joules);
}

void add_extremes(Points &points)
{
    auto &summary = points.summary;
    const auto seconds = extreme_of(points.seconds);
    const auto joules = extreme_of(points.joules);
    summary.smallest = points.count() > 0 ? points.sizes.front() : 0;
    summary.step = common_step(points.sizes);
    summary.has_all_seconds = seconds.is_complete;
    summary.has_all_joules = joules.is_complete;
    summary.longest_seconds = seconds.largest;
    summary.most_joules = joules.largest;
}

// Intervals, too, tell functions apart.
std::uint64_t hash_of(const Points &points)
{
    auto hash = points.summary.hash;
    if (!points.intervals) return hash;
    for (const auto *values : {&points.intervals->time_low, &points.intervals->time_high, &points.intervals->energy_low,
                               &points.intervals->energy_high})
        hash = add_to_hash<double>(hash, *values);
    return add_to_hash<std::int64_t>(hash, points.intervals->repetitions);
}

template <typename Values> bool same_bits(const Values &a, const Values &b)
{
    return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), std::span(a).size_bytes()) == 0);
}

bool same_intervals(const Intervals *a, const Intervals *b)
{
    if (a == nullptr || b == nullptr) return a == b;
    return same_bits(a->time_low, b->time_low) && same_bits(a->time_high, b->time_high) &&
           same_bits(a->energy_low, b->energy_low) && same_bits(a->energy_high, b->energy_high) &&
           same_bits(a->repetitions, b->repetitions);
}

bool same_points(const Points &a, const Points &b)
{
    return same_bits(a.sizes, b.sizes) && same_bits(a.seconds, b.seconds) && same_bits(a.joules, b.joules) &&
           same_intervals(a.intervals.get(), b.intervals.get());
}

} // namespace

std::shared_ptr<const Points> FunctionStore::share(Points points)
{
    add_hashes(points);
    const auto hash = hash_of(points);
    if (auto stored = functions_.find(hash, [&](const Points &other) { return same_points(other, points); }))
        return stored;
    const auto hash_of_sizes = points.summary.hash_of_sizes;
    const auto &sizes = points.sizes.with_idle();
    if (auto stored = sizes_.find(hash_of_sizes, [&](const auto &other) { return other == *sizes; }))
        points.sizes.share(std::move(stored));
    else
        sizes_.add(hash_of_sizes, sizes);
    add_extremes(points);
    auto shared = std::make_shared<const Points>(std::move(points));
    functions_.add(hash, shared);
    return shared;
}

} // namespace hpart
