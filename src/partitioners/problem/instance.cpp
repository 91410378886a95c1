#include "partitioners/problem/instance.hpp"

#include "core/containers.hpp"
#include "core/error.hpp"
#include "core/numbers.hpp"
#include "partitioners/search/choices.hpp"
#include "partitioners/search/sum_set.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
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

// Linear, or by Akima's local cubics: the slope at a point is the mean of the chords on its two sides, each weighed by how little the
// chords of the other side bend, |m(i+1) - m(i)| and |m(i-1) - m(i-2)|; equal weights where nothing bends. Two more chords on
// either end continue the bend of the last ones. Cost: O(points), then O(log points) a value.
// Source: H. Akima, A new method of interpolation and smooth curve fitting based on local procedures, J. ACM 17 (1970) 589-602.
// A cubic may swing below 0 between points, which no time or energy does: there the chord is taken.

// Chord slopes with two more on either end: chord i of the points is at i + 2.
std::vector<double> Curve::extended_chords() const
{
    const auto chords = sizes_.size() - 1;
    std::vector<double> m(chords + 4);
    for (std::size_t i = 0; i < chords; ++i) m[i + 2] = (values_[i + 1] - values_[i]) / width(i);
    m[1] = 2 * m[2] - m[3];
    m[0] = 2 * m[1] - m[2];
    m[chords + 2] = 2 * m[chords + 1] - m[chords];
    m[chords + 3] = 2 * m[chords + 2] - m[chords + 1];
    return m;
}

std::vector<double> Curve::akima_slopes() const
{
    const auto m = extended_chords();
    std::vector<double> slopes(sizes_.size());
    for (std::size_t i = 0; i < slopes.size(); ++i) {
        const auto right = std::abs(m[i + 3] - m[i + 2]);
        const auto left = std::abs(m[i + 1] - m[i]);
        slopes[i] =
            left + right > 0 ? (right * m[i + 1] + left * m[i + 2]) / (left + right) : (m[i + 1] + m[i + 2]) / 2;
    }
    return slopes;
}

Curve::Curve(std::vector<std::int64_t> sizes, std::vector<double> values, Interpolation kind)
    : sizes_(std::move(sizes)), values_(std::move(values))
{
    // Two points have one chord, which is the curve.
    if (kind == Interpolation::akima && sizes_.size() > 2) slopes_ = akima_slopes();
}

double Curve::at(std::int64_t size) const
{
    const auto after = static_cast<std::size_t>(std::upper_bound(sizes_.begin(), sizes_.end(), size) - sizes_.begin());
    const auto i = after - 1;
    if (sizes_[i] == size) return values_[i];
    const auto rise = values_[after] - values_[i];
    const auto d = static_cast<double>(size - sizes_[i]);
    const auto linear = std::max(0.0, values_[i] + rise * (d / width(i)));
    if (slopes_.empty()) return linear;
    const auto chord = rise / width(i);
    const auto c = (3 * chord - 2 * slopes_[i] - slopes_[after]) / width(i);
    const auto e = (slopes_[i] + slopes_[after] - 2 * chord) / width(i) / width(i);
    const auto cubic = values_[i] + d * (slopes_[i] + d * (c + d * e));
    return cubic >= 0 && cubic < std::numeric_limits<double>::infinity() ? cubic : linear;
}

std::optional<Curve> curve_of(const Points &points, std::span<const double> values, Interpolation kind)
{
    std::vector<std::int64_t> sizes;
    std::vector<double> known;
    for (std::size_t k = 0; k < points.count(); ++k) {
        if (std::isnan(values[k])) continue;
        sizes.push_back(points.sizes[k]);
        known.push_back(values[k]);
    }
    if (sizes.empty()) return std::nullopt;
    return Curve(std::move(sizes), std::move(known), kind);
}

double joules_at(const Points &points, std::int64_t size, Interpolation kind)
{
    if (kind != Interpolation::none) {
        const auto curve = curve_of(points, points.joules, kind);
        return curve && curve->covers(size) ? curve->at(size) : std::numeric_limits<double>::quiet_NaN();
    }
    const auto k = points.find(size);
    return k < points.count() ? points.joules[k] : std::numeric_limits<double>::quiet_NaN();
}

namespace
{

// Function by function: equal functions stay equal.
template <typename Keep> Instance keep_points(const Instance &usable, Keep keep)
{
    InstanceBuilder builder(usable.has_energies ? Needs::time_and_energy : Needs::time);
    std::vector<std::size_t> example(usable.functions(), usable.processors()); // a processor of each function
    for (std::size_t i = 0; i < usable.processors(); ++i) {
        const auto f = usable.function_of[i];
        if (example[f] < i) {
            builder.add_processor_like(example[f]);
            continue;
        }
        example[f] = i;
        const auto &function = usable.of(i);
        builder.reserve(function.count());
        for (std::size_t k = 0; k < function.count(); ++k)
            if (keep(function, k))
                builder.add_point(function.sizes[k], function.seconds[k], usable.has_energies ? function.joules[k] : 0);
        builder.end_processor();
    }
    return builder.take();
}

// Multiples of the block between the ends of a processor's curves, within its limits.
struct Grid {
    std::int64_t first = 1; // in blocks
    std::int64_t last = 0;

    std::int64_t count() const { return std::max<std::int64_t>(0, last - first + 1); }
};

Grid grid_of(const Processor &processor, const PointRules &rules, Needs needs, std::int64_t size)
{
    const auto &points = processor.points();
    auto low = processor.limits.smallest;
    auto high = processor.limits.largest;
    const auto narrow = [&](const Column<double> &values) {
        const auto is_there = [](double value) { return !std::isnan(value); };
        const auto first = std::find_if(values.begin(), values.end(), is_there);
        if (first == values.end()) {
            high = 0;
            return;
        }
        auto last = values.end() - 1;
        while (!is_there(*last)) --last;
        low = std::max(low, points.sizes[static_cast<std::size_t>(first - values.begin())]);
        high = std::min(high, points.sizes[static_cast<std::size_t>(last - values.begin())]);
    };
    narrow(points.seconds);
    if (needs == Needs::time_and_energy) narrow(points.joules);
    Grid grid;
    grid.first = (low - 1) / rules.block + 1;
    // The least of more than the size is there too: the nearest feasible size above it may be that.
    grid.last = std::min(high / rules.block, std::max(grid.first, saturating_add(size / rules.block, 1)));
    return grid;
}

constexpr std::int64_t bytes_of_point = 3 * sizeof(double);

void check_memory(const std::vector<Grid> &grids, const PointRules &rules, std::int64_t memory_limit)
{
    std::int64_t count = 0;
    for (const auto &grid : grids) count = saturating_add(count, grid.count());
    if (count > memory_limit / bytes_of_point)
        throw TooManyPoints(text("option 'interpolate' makes ", count, " points, ", bytes_of_point,
                                 " bytes each, more than memory_limit allows, which is ", memory_limit,
                                 " bytes; give a larger 'block', which is ", rules.block,
                                 ", or a larger 'memory_limit'"));
}

Instance interpolated_points(const PointRules &rules, const Platform &platform, Needs needs, std::int64_t size,
                             std::int64_t memory_limit, Control &control)
{
    constexpr std::int64_t work_of_point = 16;
    Pacer pacer(control, "interpolating");
    const auto same = first_alike(platform);
    std::vector<Grid> grids; // of processors that are the first of their kind
    for (std::size_t i = 0; i < same.size(); ++i)
        if (same[i] == i)
            grids.push_back(grid_of(platform.processor(static_cast<std::int64_t>(i)), rules, needs, size));
    check_memory(grids, rules, memory_limit);
    InstanceBuilder builder(needs);
    auto next = grids.begin();
    for (std::size_t i = 0; i < same.size(); ++i) {
        if (same[i] < i) {
            builder.add_processor_like(same[i]);
            continue;
        }
        const auto &grid = *next++;
        const auto &points = platform.points(static_cast<std::int64_t>(i));
        const auto curve_if = [&](bool is_needed, const Column<double> &values) {
            return is_needed && grid.count() > 0 ? curve_of(points, values, rules.interpolation) : std::nullopt;
        };
        const auto seconds_curve = curve_if(true, points.seconds);
        const auto joules_curve = curve_if(needs == Needs::time_and_energy, points.joules);
        builder.reserve(static_cast<std::size_t>(grid.count()) + (rules.all_work ? 0 : 1));
        if (!rules.all_work) builder.add_point(0, 0);
        for (std::int64_t k = 0; k < grid.count(); ++k) { // by number: the last multiple may be the largest integer
            pacer.spend(work_of_point);
            const auto x = (grid.first + k) * rules.block;
            const auto seconds = seconds_curve->at(x);
            builder.add_point(x, seconds, joules_curve ? joules_curve->at(x) : seconds);
        }
        builder.end_processor();
    }
    return builder.take();
}

} // namespace

bool surely_allow(const PointRules &rules, const Platform &platform, Needs needs, std::int64_t size)
{
    if (rules.interpolation == Interpolation::none || rules.all_work || size % rules.block != 0) return false;
    // Each processor takes nothing or any number of blocks in a range: the first processors that suffice at their most, at their least.
    std::int64_t least = 0;
    std::int64_t most = 0;
    for (std::int64_t i = 0; i < platform.count() && most < size / rules.block; ++i) {
        const auto grid = grid_of(platform.processor(i), rules, needs, size);
        if (grid.count() == 0) continue;
        least = saturating_add(least, grid.first);
        most = saturating_add(most, grid.last);
    }
    return least <= size / rules.block && size / rules.block <= most;
}

Instance points_by(const PointRules &rules, const Platform &platform, const Instance &usable, Needs needs,
                   std::int64_t size, std::int64_t memory_limit, Control &control)
{
    if (rules.interpolation != Interpolation::none)
        return interpolated_points(rules, platform, needs, size, memory_limit, control);
    return keep_points(usable, [&](const FunctionPoints &function, std::size_t k) {
        const auto x = function.sizes[k];
        return x % rules.block == 0 && (x > 0 || !rules.all_work);
    });
}

Instance points_within(const Instance &usable, double seconds)
{
    return keep_points(usable,
                       [&](const FunctionPoints &function, std::size_t k) { return function.seconds[k] <= seconds; });
}

} // namespace hpart
