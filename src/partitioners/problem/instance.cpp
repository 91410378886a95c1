
#include "partitioners/problem/instance.hpp"
#include "core/containers.hpp"
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

AlignedVector<double> Instance::all_joules() const
{
    AlignedVector<double> all;
    all.reserve(points());
    for (const auto &function : of_function) all.insert(all.end(), function.joules.begin(), function.joules.end());
    return all;
}

void InstanceBuilder::reserve(std::size_t points)
{
    next_.sizes.reserve(points);
    next_.seconds.reserve(points);
    if (needs_ != Needs::time) next_.joules.reserve(points);
}

void InstanceBuilder::add_point(std::int64_t size, double seconds, double joules)
{
    next_.sizes.push_back(size);
    next_.seconds.push_back(seconds);
    if (needs_ != Needs::time) next_.joules.push_back(joules);
}

// As the hashes of a stored function, which has no idle point.
std::uint64_t InstanceBuilder::hash_of(const FunctionPoints &function) const
{
    const std::size_t first = function.may_idle() ? 1 : 0;
    auto hash = add_to_hash<std::int64_t>(function.count() - first, function.sizes.subspan(first));
    hash = add_to_hash<double>(hash, function.seconds.subspan(first));
    if (needs_ != Needs::time_and_energy) return hash;
    return add_to_hash<double>(hash, function.joules.subspan(first));
}

template <typename Owner> void InstanceBuilder::add(const FunctionPoints &function, std::uint64_t hash, Owner &&owner)
{
    const auto [begin, end] = known_.equal_range(hash);
    const auto same = std::find_if(begin, end, [&](const auto &entry) {
        const auto &other = instance_.of_function[entry.second];
        return std::ranges::equal(function.sizes, other.sizes) && std::ranges::equal(function.seconds, other.seconds) &&
               (needs_ != Needs::time_and_energy || std::ranges::equal(function.joules, other.joules));
    });
    if (same != end) {
        instance_.function_of.push_back(same->second);
        return;
    }
    const auto f = static_cast<std::uint32_t>(instance_.functions());
    known_.emplace(hash, f);
    instance_.function_of.push_back(f);
    instance_.add_function(function);
    instance_.owners.push_back(std::forward<Owner>(owner));
}

void InstanceBuilder::end_processor()
{
    next_.sizes.shrink_to_fit();
    next_.seconds.shrink_to_fit();
    next_.joules.shrink_to_fit();
    const auto arrays = std::make_shared<const PointArrays>(std::exchange(next_, {}));
    const FunctionPoints function{arrays->sizes, arrays->seconds, arrays->joules};
    add(function, hash_of(function), arrays);
}

void InstanceBuilder::add_processor(const std::shared_ptr<const Points> &function, std::size_t points)
{
    const auto &[sizes, seconds, joules, intervals, summary] = *function;
    const auto first = [&](const auto &column) {
        return std::span(std::as_const(*column.with_idle())).first(points + 1);
    };
    FunctionPoints part{first(sizes), first(seconds), {}};
    if (summary.step > 0) part.steps = {summary.step, summary.smallest - summary.step};
    if (needs_ != Needs::time) part.joules = needs_ == Needs::time_as_energy ? part.seconds : first(joules);
    if (points < sizes.size()) {
        add(part, hash_of(part), function);
        return;
    }
    part.summary = &summary;
    add(part, needs_ == Needs::time_and_energy ? summary.hash : summary.hash_of_times, function);
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

void add_usable_points(InstanceBuilder &builder, const Processor &processor, Needs needs)
{
    const auto &[sizes, seconds, joules, intervals, summary] = processor.points();
    // The points within the limits are `low` .. `high` - 1.
    const auto count_below = [&](std::int64_t size) {
        const auto &all = processor.points().sizes;
        return static_cast<std::size_t>(std::lower_bound(all.begin(), all.end(), size) - all.begin());
    };
    const Limits none;
    const auto low = processor.limits.smallest == none.smallest ? 0 : count_below(processor.limits.smallest);
    const auto high =
        processor.limits.largest == none.largest ? sizes.size() : count_below(processor.limits.largest + 1);
    const bool energies = needs == Needs::time_and_energy;
    if (low == 0 && summary.has_all_seconds && (!energies || summary.has_all_joules)) {
        builder.add_processor(processor.function, high);
        return;
    }
    builder.add_point(0, 0);
    for (auto k = low; k < high; ++k)
        if (!std::isnan(seconds[k]) && !(energies && std::isnan(joules[k])))
            builder.add_point(sizes[k], seconds[k], needs == Needs::time_as_energy ? seconds[k] : joules[k]);
    builder.end_processor();
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
    InstanceBuilder builder(needs);
    for (std::size_t i = 0; i < same.size(); ++i)
        if (same[i] < i)
            builder.add_processor_like(same[i]);
        else
            add_usable_points(builder, platform.processor(static_cast<std::int64_t>(i)), needs);
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

std::size_t count_below(const std::vector<double> &times, double seconds)
{
    return static_cast<std::size_t>(std::lower_bound(times.begin(), times.end(), seconds) - times.begin());
}

std::vector<std::int64_t> workloads_of(const Instance &instance, std::size_t processors, std::int64_t limit,
                                       Control &control)
{
    Pacer pacer(control, "building the node's function");
    SumSet sums(limit, SumSet::Begin::as_list, control.memory_limit());
    sums.add_zero();
    for (std::size_t i = 0; i < processors; ++i) sums = sums.plus_one_of(instance.of(i).sizes, 1, pacer);
    std::vector<std::int64_t> workloads;
    sums.for_each(1, limit, [&](std::int64_t sum) { workloads.push_back(sum); }); // 0: all idle
    return workloads;
}

} // namespace hpart
