
#include "partitioners/problem/instance.hpp"
#include "core/hash.hpp"
#include "partitioners/search/limits.hpp"
#include "partitioners/search/sum_set.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <span>
#include <utility>

namespace hpart
{

namespace
{

// Values are finite and >= 0, or unknown. Several sums at once: an addition does not wait for the one before it.
bool has_nan(std::span<const double> values)
{
    constexpr std::size_t lanes = 8;
    std::array<double, lanes> sums{};
    std::size_t k = 0;
    for (; k + lanes <= values.size(); k += lanes)
        for (std::size_t l = 0; l < lanes; ++l) sums[l] += values[k + l];
    for (; k < values.size(); ++k) sums[0] += values[k];
    return std::any_of(sums.begin(), sums.end(), [](double sum) { return std::isnan(sum); });
}

template <typename Value> void append(PointVector<Value> &to, std::span<const Value> values)
{
    const auto size = to.size();
    to.resize(size + values.size());
    std::copy(values.begin(), values.end(), to.begin() + static_cast<std::ptrdiff_t>(size));
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
    if (needs_ != Needs::time) instance_.joules.reserve(points);
}

void InstanceBuilder::add_point(std::int64_t size, double seconds, double joules)
{
    instance_.sizes.push_back(size);
    instance_.seconds.push_back(seconds);
    if (needs_ != Needs::time) instance_.joules.push_back(joules);
}

void InstanceBuilder::add_points(std::span<const std::int64_t> sizes, std::span<const double> seconds,
                                 std::span<const double> joules)
{
    append(instance_.sizes, sizes);
    append(instance_.seconds, seconds);
    if (needs_ != Needs::time) append(instance_.joules, joules);
}

std::uint64_t InstanceBuilder::hash_of_samples(std::size_t first, std::size_t count) const
{
    constexpr std::size_t samples = 8;
    std::array<double, samples> seconds{};
    for (std::size_t k = 0; k < samples && count > 0; ++k)
        seconds[k] = instance_.seconds[first + k * (count - 1) / (samples - 1)];
    return add_to_hash<double>(count, seconds);
}

std::uint64_t InstanceBuilder::hash_of_all(std::size_t first, std::size_t count) const
{
    auto hash = add_to_hash<std::int64_t>(count, {instance_.sizes.data() + first, count});
    hash = add_to_hash<double>(hash, {instance_.seconds.data() + first, count});
    if (needs_ == Needs::time) return hash;
    return add_to_hash<double>(hash, {instance_.joules.data() + first, count});
}

// Else notes the last function as one more.
std::optional<std::uint32_t> InstanceBuilder::find_equal_to_last(std::uint64_t samples)
{
    auto &known = known_[samples];
    std::optional<std::uint64_t> hash;
    for (auto &other : known) {
        const auto begin = instance_.function_begin(other.function);
        if (!other.hash) other.hash = hash_of_all(begin, instance_.function_end(other.function) - begin);
        const auto first = instance_.function_first.back();
        if (!hash) hash = hash_of_all(first, instance_.sizes.size() - first);
        if (*hash == *other.hash && is_last_equal_to(other.function)) return other.function;
    }
    known.push_back({static_cast<std::uint32_t>(instance_.functions()), hash});
    return std::nullopt;
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
    const auto first = instance_.function_first.back();
    if (const auto same = find_equal_to_last(hash_of_samples(first, instance_.sizes.size() - first))) {
        instance_.function_of.push_back(*same);
        instance_.sizes.resize(first);
        instance_.seconds.resize(first);
        if (needs_ != Needs::time) instance_.joules.resize(first);
        return;
    }
    instance_.function_of.push_back(static_cast<std::uint32_t>(instance_.functions()));
    instance_.steps.push_back(step_of_last());
    instance_.function_first.push_back(instance_.sizes.size());
}

namespace
{

// The source of a processor's usable points. Processors of equal sources share a function.
struct UsableSource {
    const Points *points;
    Limits limits;
    bool operator==(const UsableSource &) const = default;
};

struct HashOfSource {
    std::size_t operator()(const UsableSource &source) const
    {
        const std::array<std::int64_t, 2> limits{source.limits.smallest, source.limits.largest};
        return add_to_hash<std::int64_t>(std::bit_cast<std::uintptr_t>(source.points), limits);
    }
};

void add_usable_points(InstanceBuilder &builder, const Points &points, const Limits &limits, Needs needs)
{
    builder.add_point(0, 0);
    const auto low = std::lower_bound(points.sizes.begin(), points.sizes.end(), limits.smallest);
    const auto high = std::upper_bound(low, points.sizes.end(), limits.largest);
    const auto first = static_cast<std::size_t>(low - points.sizes.begin());
    const auto count = static_cast<std::size_t>(high - low);
    const std::span sizes(points.sizes.data() + first, count);
    const std::span seconds(points.seconds.data() + first, count);
    const auto &energies_of = needs == Needs::time_as_energy ? points.seconds : points.joules;
    const std::span joules(energies_of.data() + first, count);
    const bool energies = needs == Needs::time_and_energy;
    if (!has_nan(seconds) && !(energies && has_nan(joules))) {
        builder.add_points(sizes, seconds, joules);
        return;
    }
    for (std::size_t k = 0; k < count; ++k)
        if (!std::isnan(seconds[k]) && !(energies && std::isnan(joules[k])))
            builder.add_point(sizes[k], seconds[k], joules[k]);
}

} // namespace

std::vector<std::size_t> first_alike(const Platform &platform)
{
    std::unordered_map<UsableSource, std::size_t, HashOfSource> first_with;
    std::vector<std::size_t> same;
    same.reserve(static_cast<std::size_t>(platform.count()));
    for (std::int64_t i = 0; i < platform.count(); ++i) {
        const auto &processor = platform.processor(i);
        same.push_back(first_with.try_emplace({&processor.points(), processor.limits}, same.size()).first->second);
    }
    return same;
}

Instance usable_points(const Platform &platform, Needs needs)
{
    const auto same = first_alike(platform);
    std::size_t points = 0;
    for (std::size_t i = 0; i < same.size(); ++i)
        if (same[i] == i) points += platform.points(static_cast<std::int64_t>(i)).count() + 1;
    InstanceBuilder builder(needs);
    builder.reserve(same.size(), points);
    for (std::size_t i = 0; i < same.size(); ++i) {
        if (same[i] < i) {
            builder.add_processor_like(same[i]);
            continue;
        }
        const auto &processor = platform.processor(static_cast<std::int64_t>(i));
        add_usable_points(builder, processor.points(), processor.limits, needs);
        builder.end_processor();
    }
    return builder.take();
}

std::vector<std::uint32_t> functions_apart(const Instance &instance, std::span<const std::int64_t> apart)
{
    if (apart.empty()) return instance.function_of;
    std::vector<std::uint32_t> function_of;
    function_of.reserve(instance.processors());
    std::map<std::pair<std::uint32_t, std::int64_t>, std::uint32_t> known;
    for (std::size_t i = 0; i < instance.processors(); ++i) {
        const auto next = static_cast<std::uint32_t>(known.size());
        function_of.push_back(known.try_emplace({instance.function_of[i], apart[i]}, next).first->second);
    }
    return function_of;
}

std::vector<double> distinct_times(const Instance &instance, double above, double below)
{
    std::vector<double> times;
    for (const auto t : instance.seconds)
        if (above < t && t < below) times.push_back(t);
    std::sort(times.begin(), times.end());
    times.erase(std::unique(times.begin(), times.end()), times.end());
    return times;
}

std::vector<std::int64_t> workloads_of(const Instance &instance, std::size_t processors, std::int64_t limit,
                                       Control &control)
{
    Pacer pacer(control, "building the node's function");
    SumSet sums(limit, SumSet::Begin::as_list, control.memory_limit());
    sums.add_zero();
    for (std::size_t i = 0; i < processors; ++i) {
        const std::span sizes(instance.sizes.data() + instance.begin(i), instance.end(i) - instance.begin(i));
        sums = sums.plus_one_of(sizes, 1, pacer);
    }
    std::vector<std::int64_t> workloads;
    sums.for_each(1, limit, [&](std::int64_t sum) { workloads.push_back(sum); }); // 0: all idle
    return workloads;
}

} // namespace hpart
