#include "core/error.hpp"
#include "core/numbers.hpp"
#include "models/platform.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace hpart
{

namespace
{

const char *name_of(FunctionKind kind) { return kind == FunctionKind::time ? "time" : "energy"; }

// The point of each size, checked: each has to be there, with a value, and once.
std::vector<std::size_t> points_of(const Processor &processor, std::span<const std::int64_t> sizes, FunctionKind kind)
{
    const auto &points = processor.points();
    const auto &values = points.values(kind);
    std::vector<bool> seen(points.count());
    std::vector<std::size_t> out;
    out.reserve(sizes.size());
    for (std::size_t k = 0; k < sizes.size(); ++k) {
        const auto point = points.find(sizes[k]);
        if (point == points.count() || std::isnan(values[point]))
            fail_argument("sizes[", k, "] is ", sizes[k], "; processor ", in_quotes(processor.name), " has no ",
                          name_of(kind), " at that size");
        if (seen[point]) fail_argument("sizes[", k, "] is ", sizes[k], " for the second time; sizes must be distinct");
        seen[point] = true;
        out.push_back(point);
    }
    return out;
}

void check_repetitions(std::int64_t repetitions, std::size_t k)
{
    if (repetitions < 0) fail_argument("repetitions[", k, "] is ", repetitions, "; it must not be negative");
}

Intervals intervals_of(const Points &points)
{
    return points.intervals ? *points.intervals : Intervals(points.count());
}

bool is_anything_known(const Intervals &intervals)
{
    const auto some = [](const std::vector<double> &values) {
        return std::any_of(values.begin(), values.end(), [](double value) { return !std::isnan(value); });
    };
    return some(intervals.time_low) || some(intervals.time_high) || some(intervals.energy_low) ||
           some(intervals.energy_high) ||
           std::any_of(intervals.repetitions.begin(), intervals.repetitions.end(),
                       [](std::int64_t count) { return count != 0; });
}

void check_interval(FunctionKind kind, std::int64_t size, double value, double low, double high, std::size_t k)
{
    if (low < 0 || low > value)
        fail_argument("low[", k, "] is ", low, "; it must be from 0 to the ", name_of(kind), " of size ", size,
                      ", which is ", value);
    if (high < value || std::isinf(high))
        fail_argument("high[", k, "] is ", high, "; it must be finite and at least the ", name_of(kind), " of size ",
                      size, ", which is ", value);
}

Points with_intervals(Points points, Intervals intervals)
{
    points.intervals = is_anything_known(intervals) ? std::make_shared<const Intervals>(std::move(intervals)) : nullptr;
    return points;
}

} // namespace

void Platform::set_points(Processor &processor, Points points, Intervals intervals)
{
    processor.function = functions_.share(with_intervals(std::move(points), std::move(intervals)));
    may_have_intervals_ = may_have_intervals_ || processor.points().intervals != nullptr;
}

Platform Platform::at_bound(Bound bound) const
{
    auto out = *this;
    if (bound == Bound::estimate) return out;
    std::unordered_map<const Points *, std::shared_ptr<const Points>> bounded; // a cluster has many copies of few
    for (auto &processor : out.processors_) {
        const auto &points = processor.points();
        if (!points.intervals) continue;
        auto &function = bounded[&points];
        if (!function) {
            const auto end_or_value = [&](Column<double> values, FunctionKind kind) {
                const auto &ends = bound == Bound::low ? points.intervals->low(kind) : points.intervals->high(kind);
                for (std::size_t k = 0; k < ends.size(); ++k)
                    if (!std::isnan(ends[k])) values.edit()[k + 1] = ends[k];
                return values;
            };
            function = out.functions_.share({points.sizes, end_or_value(points.seconds, FunctionKind::time),
                                             end_or_value(points.joules, FunctionKind::energy), nullptr});
        }
        processor.function = function;
    }
    out.may_have_intervals_ = false;
    return out;
}

MeasuredPoint measured_point(double value, double low, double high, std::int64_t repetitions)
{
    value = std::max(value, 0.0);
    if (!std::isfinite(low) || !std::isfinite(high)) return {value, unknown, unknown, repetitions};
    return {value, std::min(std::max(low, 0.0), value), std::max(high, value), repetitions};
}

Points with_time_intervals(Points points, const Points &old)
{
    if (!old.intervals) return points;
    Intervals kept(points.count());
    for (std::size_t k = 0, j = 0; k < points.count(); ++k) {
        while (j < old.count() && old.sizes[j] < points.sizes[k]) ++j;
        if (j == old.count()) break;
        if (old.sizes[j] != points.sizes[k]) continue;
        kept.time_low[k] = old.intervals->time_low[j];
        kept.time_high[k] = old.intervals->time_high[j];
        kept.repetitions[k] = old.intervals->repetitions[j];
    }
    return with_intervals(std::move(points), std::move(kept));
}

void Platform::set_interval(std::int64_t i, FunctionKind kind, std::span<const std::int64_t> sizes,
                            std::span<const double> low, std::span<const double> high,
                            std::span<const std::int64_t> repetitions)
{
    auto &processor = at(i);
    const auto places = points_of(processor, sizes, kind);
    const auto &values = processor.points().values(kind);
    auto intervals = intervals_of(processor.points());
    for (std::size_t k = 0; k < sizes.size(); ++k) {
        check_interval(kind, sizes[k], values[places[k]], low[k], high[k], k);
        intervals.low(kind)[places[k]] = low[k] + 0.0; // no negative zero
        intervals.high(kind)[places[k]] = high[k] + 0.0;
        if (repetitions.empty()) continue;
        check_repetitions(repetitions[k], k);
        intervals.repetitions[places[k]] = repetitions[k];
    }
    set_points(processor, processor.points(), std::move(intervals));
}

void Platform::set_point(std::int64_t i, FunctionKind kind, std::int64_t size, const MeasuredPoint &point)
{
    auto &processor = at(i);
    if (size <= 0) fail_argument("size is ", size, "; it must be positive");
    if (!std::isfinite(point.value) || point.value < 0)
        fail_argument("the ", name_of(kind), " of size ", size, " of processor ", in_quotes(processor.name), " is ",
                      point.value, "; it must be finite and not negative");
    check_interval(kind, size, point.value, point.low, point.high, 0);
    check_repetitions(point.repetitions, 0);
    auto points = processor.points();
    auto intervals = intervals_of(points);
    const auto place = std::lower_bound(points.sizes.begin(), points.sizes.end(), size) - points.sizes.begin();
    const auto k = static_cast<std::size_t>(place);
    if (k == points.count() || points.sizes[k] != size) {
        const auto insert = [&](auto &column, auto value) {
            column.edit().insert(column.edit().begin() + place + 1, value);
        };
        insert(points.sizes, size);
        insert(points.seconds, unknown);
        insert(points.joules, unknown);
        for (auto *values : {&intervals.time_low, &intervals.time_high, &intervals.energy_low, &intervals.energy_high})
            values->insert(values->begin() + place, unknown);
        intervals.repetitions.insert(intervals.repetitions.begin() + place, 0);
    }
    (kind == FunctionKind::time ? points.seconds : points.joules).edit()[k + 1] = point.value + 0.0; // no negative zero
    intervals.low(kind)[k] = point.low + 0.0;
    intervals.high(kind)[k] = point.high + 0.0;
    if (kind == FunctionKind::time || point.repetitions > 0) intervals.repetitions[k] = point.repetitions;
    set_points(processor, std::move(points), std::move(intervals));
}

void Platform::set_repetitions(std::int64_t i, std::span<const std::int64_t> sizes,
                               std::span<const std::int64_t> repetitions)
{
    auto &processor = at(i);
    const auto &points = processor.points();
    auto intervals = intervals_of(points);
    for (std::size_t k = 0; k < sizes.size(); ++k) {
        check_repetitions(repetitions[k], k);
        const auto point = points.find(sizes[k]);
        if (point == points.count())
            fail_argument("sizes[", k, "] is ", sizes[k], "; processor ", in_quotes(processor.name),
                          " has no point of that size");
        intervals.repetitions[point] = repetitions[k];
    }
    set_points(processor, points, std::move(intervals));
}

} // namespace hpart
