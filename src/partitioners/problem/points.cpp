#include "partitioners/problem/points.hpp"

#include "core/error.hpp"
#include "core/numbers.hpp"
#include "partitioners/search/limits.hpp"

#include <algorithm>
#include <cmath>

namespace hpart
{

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
