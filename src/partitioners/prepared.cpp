#include "partitioners/prepared.hpp"

#include "core/checked.hpp"

#include <algorithm>
#include <limits>
#include <memory>

namespace hpart
{

namespace
{

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

Records records_of(const Instance &instance)
{
    Records records;
    records.first.reserve(instance.functions() + 1);
    records.first.push_back(0);
    std::vector<std::size_t> backwards;
    for (std::size_t f = 0; f < instance.functions(); ++f) {
        backwards.clear();
        auto fastest = std::numeric_limits<double>::infinity();
        for (auto k = instance.function_end(f); k-- > instance.function_begin(f);) {
            if (instance.seconds[k] >= fastest) continue;
            fastest = instance.seconds[k];
            backwards.push_back(k);
        }
        for (auto k = backwards.rbegin(); k != backwards.rend(); ++k) {
            records.seconds.push_back(instance.seconds[*k]);
            records.sizes.push_back(instance.sizes[*k]);
        }
        records.first.push_back(records.sizes.size());
    }
    return records;
}

Extremes extremes_of(const Instance &instance, const Groups &groups)
{
    Extremes extremes;
    for (std::size_t f = 0; f < instance.functions(); ++f) {
        const auto begin = instance.function_begin(f);
        const auto end = instance.function_end(f);
        if (begin == end) continue;
        const auto copies = groups.copies(f);
        const auto largest = instance.sizes[end - 1];
        extremes.has_sizes |= largest > 0;
        extremes.largest_size = std::max(extremes.largest_size, largest);
        extremes.largest_sum =
            saturating_add(extremes.largest_sum, saturating_mul(static_cast<std::int64_t>(copies), largest));
        double joules = 0;
        for (auto k = begin; k < end; ++k) {
            extremes.longest_seconds = std::max(extremes.longest_seconds, instance.seconds[k]);
            if (instance.has_energies()) joules = std::max(joules, instance.joules[k]);
        }
        extremes.joules += static_cast<double>(copies) * joules;
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
    return records_.get([&] { return std::make_unique<Records>(records_of(instance_)); });
}

const Extremes &Prepared::extremes() const
{
    return extremes_.get([&] { return std::make_unique<Extremes>(extremes_of(instance_, groups())); });
}

const CostFunctions &Prepared::energies() const
{
    return energies_.get(
        [&] { return std::make_unique<CostFunctions>(instance_.function_first, instance_.sizes, instance_.joules); });
}

const Prepared &PreparedPlatform::get(const Platform &platform, Needs needs) const
{
    return by_needs_[static_cast<std::size_t>(needs)].get(
        [&] { return std::make_unique<Prepared>(usable_points(platform, needs), simd_level_); });
}

void PreparedPlatform::forget()
{
    for (auto &prepared : by_needs_) prepared.forget();
}

} // namespace hpart
