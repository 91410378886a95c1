#include "partitioners/instance.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace hpart
{

namespace
{

// Not for defence: a hash that meets another only costs a comparison.
template <typename Value> std::uint64_t add_to_hash(std::uint64_t hash, std::span<const Value> values)
{
    constexpr std::uint64_t odd = 0x9E3779B97F4A7C15U; // 2^64 / golden ratio
    constexpr std::size_t lanes = 4;                   // independent multiplications
    std::uint64_t lane[lanes] = {hash, hash + 1, hash + 2, hash + 3};
    const auto mix = [](std::uint64_t state, Value value) {
        return std::rotl((state ^ std::bit_cast<std::uint64_t>(value)) * odd, 29);
    };
    std::size_t k = 0;
    for (; k + lanes <= values.size(); k += lanes)
        for (std::size_t l = 0; l < lanes; ++l) lane[l] = mix(lane[l], values[k + l]);
    for (; k < values.size(); ++k) lane[0] = mix(lane[0], values[k]);
    for (std::size_t l = 1; l < lanes; ++l) lane[0] = std::rotl((lane[0] ^ lane[l]) * odd, 31);
    return lane[0] ^ lane[0] >> 32U;
}

bool has_nan(std::span<const double> values)
{
    std::size_t count = 0;
    for (const auto value : values) count += std::isnan(value) ? 1 : 0;
    return count > 0;
}

} // namespace

std::size_t Instance::find_in_function(std::size_t f, std::int64_t size) const
{
    auto first = function_begin(f);
    const auto last = function_end(f);
    if (first < last && sizes[first] == size) return first;
    if (first < last && sizes[first] == 0) ++first;
    if (first == last || size < sizes[first] || size > sizes[last - 1]) return last;
    if (steps[f] > 0) {
        const auto distance = size - sizes[first];
        if (steps[f] == 1) return first + static_cast<std::size_t>(distance);
        return distance % steps[f] == 0 ? first + static_cast<std::size_t>(distance / steps[f]) : last;
    }
    const auto begin = sizes.begin() + static_cast<std::ptrdiff_t>(first);
    const auto end = sizes.begin() + static_cast<std::ptrdiff_t>(last);
    const auto found = std::lower_bound(begin, end, size);
    return *found == size ? static_cast<std::size_t>(found - sizes.begin()) : last;
}

void InstanceBuilder::reserve(std::size_t processors, std::size_t points)
{
    instance_.function_of.reserve(processors);
    instance_.sizes.reserve(points);
    instance_.seconds.reserve(points);
    if (needs_ == Needs::time_and_energy) instance_.joules.reserve(points);
}

void InstanceBuilder::add_point(std::int64_t size, double seconds, double joules)
{
    instance_.sizes.push_back(size);
    instance_.seconds.push_back(seconds);
    if (needs_ == Needs::time_and_energy) instance_.joules.push_back(joules);
}

void InstanceBuilder::add_points(std::span<const std::int64_t> sizes, std::span<const double> seconds,
                                 std::span<const double> joules)
{
    instance_.sizes.insert(instance_.sizes.end(), sizes.begin(), sizes.end());
    instance_.seconds.insert(instance_.seconds.end(), seconds.begin(), seconds.end());
    if (needs_ == Needs::time_and_energy) instance_.joules.insert(instance_.joules.end(), joules.begin(), joules.end());
}

std::uint64_t InstanceBuilder::hash_of_last() const
{
    const auto first = instance_.function_first.back();
    const auto count = instance_.sizes.size() - first;
    auto hash = add_to_hash<std::int64_t>(count, {instance_.sizes.data() + first, count});
    hash = add_to_hash<double>(hash, {instance_.seconds.data() + first, count});
    if (needs_ == Needs::time) return hash;
    return add_to_hash<double>(hash, {instance_.joules.data() + first, count});
}

bool InstanceBuilder::is_last_equal_to(std::size_t f) const
{
    const auto begin = instance_.function_begin(f);
    const auto count = instance_.function_end(f) - begin;
    const auto last = instance_.function_first.back();
    if (instance_.sizes.size() - last != count) return false;
    const auto equal = [&](const auto &values) {
        const auto *data = values.data();
        return std::equal(data + begin, data + begin + count, data + last);
    };
    return equal(instance_.sizes) && equal(instance_.seconds) && (needs_ == Needs::time || equal(instance_.joules));
}

std::int64_t InstanceBuilder::step_of_last() const
{
    const auto end = instance_.sizes.size();
    auto first = instance_.function_first.back();
    if (first < end && instance_.sizes[first] == 0) ++first;
    if (first == end) return 0;
    if (first + 1 == end) return 1;
    const auto step = instance_.sizes[first + 1] - instance_.sizes[first];
    std::size_t others = 0;
    for (auto k = first + 1; k < end; ++k) others += instance_.sizes[k] - instance_.sizes[k - 1] == step ? 0 : 1;
    return others == 0 ? step : 0;
}

void InstanceBuilder::end_processor()
{
    const auto hash = hash_of_last();
    const auto [begin, end] = functions_by_hash_.equal_range(hash);
    const auto same = std::find_if(begin, end, [&](const auto &entry) { return is_last_equal_to(entry.second); });
    if (same != end) {
        const auto first = instance_.function_first.back();
        instance_.function_of.push_back(same->second);
        instance_.sizes.resize(first);
        instance_.seconds.resize(first);
        if (needs_ == Needs::time_and_energy) instance_.joules.resize(first);
        return;
    }
    const auto function = static_cast<std::uint32_t>(instance_.functions());
    functions_by_hash_.emplace(hash, function);
    instance_.function_of.push_back(function);
    instance_.steps.push_back(step_of_last());
    instance_.function_first.push_back(instance_.sizes.size());
}

Instance usable_points(const Platform &platform, Needs needs)
{
    InstanceBuilder builder(needs);
    for (std::int64_t i = 0; i < platform.count(); ++i) {
        const auto &[name, points, limits, host_link] = platform.processor(i);
        builder.add_point(0, 0);
        const auto low = std::lower_bound(points.sizes.begin(), points.sizes.end(), limits.smallest);
        const auto high = std::upper_bound(low, points.sizes.end(), limits.largest);
        const auto first = static_cast<std::size_t>(low - points.sizes.begin());
        const auto count = static_cast<std::size_t>(high - low);
        const std::span sizes(points.sizes.data() + first, count);
        const std::span seconds(points.seconds.data() + first, count);
        const std::span joules(points.joules.data() + first, count);
        const bool energies = needs == Needs::time_and_energy;
        if (!has_nan(seconds) && !(energies && has_nan(joules))) {
            builder.add_points(sizes, seconds, joules);
        } else {
            for (std::size_t k = 0; k < count; ++k)
                if (!std::isnan(seconds[k]) && !(energies && std::isnan(joules[k])))
                    builder.add_point(sizes[k], seconds[k], joules[k]);
        }
        builder.end_processor();
    }
    return builder.take();
}

std::vector<double> distinct_times(const Instance &instance, double above)
{
    std::vector<double> times;
    for (const auto t : instance.seconds)
        if (t > above) times.push_back(t);
    std::sort(times.begin(), times.end());
    times.erase(std::unique(times.begin(), times.end()), times.end());
    return times;
}

} // namespace hpart
