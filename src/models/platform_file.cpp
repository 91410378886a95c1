#include "models/platform_file.hpp"

#include "core/error.hpp"
#include "core/file.hpp"
#include "core/numbers.hpp"
#include "core/text.hpp"
#include "models/metadata_line.hpp"
#include "models/platform.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numbers>
#include <unordered_map>

namespace hpart
{

double parse_quantity(std::string_view field, const TextPosition &position, std::string_view name, Sign sign,
                      bool may_be_infinite)
{
    const auto value = parse_double(field);
    if (!value) position.fail(name, " is ", in_quotes(field), "; it must be a number that fits a double");
    if (std::isnan(*value) || (std::isinf(*value) && !may_be_infinite))
        position.fail(name, " is ", in_quotes(field), "; it must be finite");
    if (sign == Sign::positive ? !(*value > 0) : *value < 0)
        position.fail(name, " is ", in_quotes(field), "; it must ",
                      sign == Sign::positive ? "be positive" : "not be negative");
    return *value;
}

std::int64_t parse_size(std::string_view field, const TextPosition &position, std::string_view name)
{
    auto value = parse_int(field);
    // R writes 1e+05, and pandas 1024.0; above 2^53 a double is no count.
    if (const auto real = value ? std::nullopt : parse_double(field))
        if (std::abs(*real) < 0x1p53 && *real == std::trunc(*real)) value = static_cast<std::int64_t>(*real);
    if (!value) position.fail(name, " is ", in_quotes(field), "; it must be an integer from 1 to 9223372036854775807");
    if (*value <= 0) position.fail(name, " is ", in_quotes(field), "; it must be positive");
    return *value;
}

namespace
{

// The probability that |T| is at most tan(angle) sqrt(degrees). Source: Abramowitz and Stegun, 26.7.3 and 26.7.4.
double probability_within(double angle, std::size_t degrees)
{
    const double cosine = std::cos(angle), square = cosine * cosine;
    const bool is_odd = degrees % 2 == 1;
    double term = is_odd ? cosine : 1, sum = degrees == 1 ? 0 : term;
    for (std::size_t k = is_odd ? 3 : 2; k < degrees; k += 2) {
        term *= square * static_cast<double>(k - 1) / static_cast<double>(k);
        sum += term;
    }
    return is_odd ? (angle + std::sin(angle) * sum) * 2 / std::numbers::pi : std::sin(angle) * sum;
}

// The half-width of Student's 95 % interval in standard errors. The library of distributions is one of measurement, which not every build has.
double half_width(std::size_t degrees)
{
    constexpr double confidence = 0.95;
    double low = 0, high = std::numbers::pi / 2;
    for (int k = 0; k < 60; ++k) {
        const double middle = (low + high) / 2;
        (probability_within(middle, degrees) < confidence ? low : high) = middle;
    }
    return std::tan(low) * std::sqrt(static_cast<double>(degrees));
}

} // namespace

MeanOfRuns mean_of_runs(std::span<const double> values)
{
    const auto count = static_cast<double>(values.size());
    double mean = 0, squares = 0;
    for (const double value : values) mean += value / count;
    for (const double value : values) squares += (value - mean) * (value - mean) / (count - 1);
    const double half = half_width(values.size() - 1) * std::sqrt(squares / count);
    // Rounding may take the mean of equal values out of their range.
    const auto [least, most] = std::minmax_element(values.begin(), values.end());
    mean = std::clamp(mean, *least, *most);
    return {mean, std::max(0.0, mean - half), mean + half};
}

std::string format_platform(const Platform &platform)
{
    auto out = format_metadata(platform);
    append_table(out, platform);
    return out;
}

Platform parse_platform(std::string_view content, const std::string &name)
{
    return std::move(parse_table(content, name, TableKind::platform).begin()->second);
}

Platform read_platform(const std::string &path)
{
    const auto content = read_file(path);
    return parse_platform(content, path);
}

void write_platform(const Platform &platform, const std::string &path) { write_file(path, format_platform(platform)); }

// The table of a platform file, as it is written.

namespace
{

bool has_some(std::span<const double> values)
{
    return std::any_of(values.begin(), values.end(), [](double value) { return !std::isnan(value); });
}

bool has_some(const std::vector<std::int64_t> &counts)
{
    return std::any_of(counts.begin(), counts.end(), [](std::int64_t count) { return count != 0; });
}

// The optional columns: those that the platform has a value for.
struct RowColumns {
    explicit RowColumns(const Platform &platform);
    std::string header() const;

    bool energy = false;
    bool time_low = false, time_high = false, energy_low = false, energy_high = false;
    bool repetitions = false;
};

void append_intervals(std::string &out, const Intervals *intervals, std::size_t k, const RowColumns &columns)
{
    const auto append = [&](bool wanted, const std::vector<double> Intervals::*values) {
        if (!wanted) return;
        out += ',';
        if (intervals != nullptr && !std::isnan((intervals->*values)[k])) out += text((intervals->*values)[k]);
    };
    append(columns.time_low, &Intervals::time_low);
    append(columns.time_high, &Intervals::time_high);
    append(columns.energy_low, &Intervals::energy_low);
    append(columns.energy_high, &Intervals::energy_high);
    if (!columns.repetitions) return;
    out += ',';
    if (intervals != nullptr && intervals->repetitions[k] != 0) out += text(intervals->repetitions[k]);
}

RowColumns::RowColumns(const Platform &platform) : energy(has_energies(platform))
{
    for (std::int64_t i = 0; i < platform.count(); ++i) {
        const auto *intervals = platform.points(i).intervals.get();
        if (intervals == nullptr) continue;
        time_low = time_low || has_some(intervals->time_low);
        time_high = time_high || has_some(intervals->time_high);
        energy_low = energy_low || has_some(intervals->energy_low);
        energy_high = energy_high || has_some(intervals->energy_high);
        repetitions = repetitions || has_some(intervals->repetitions);
    }
}

std::string RowColumns::header() const
{
    std::string out = "processor,size,time";
    if (energy) out += ",energy";
    if (time_low) out += ",time_low";
    if (time_high) out += ",time_high";
    if (energy_low) out += ",energy_low";
    if (energy_high) out += ",energy_high";
    if (repetitions) out += ",repetitions";
    return out + "\n";
}

} // namespace

bool has_energies(const Platform &platform)
{
    for (std::int64_t i = 0; i < platform.count(); ++i)
        if (has_some(platform.points(i).joules)) return true;
    return false;
}

void append_table(std::string &out, const Platform &platform)
{
    const RowColumns columns(platform);
    out += columns.header();
    for (std::int64_t i = 0; i < platform.count(); ++i) {
        const auto &name = platform.processor(i).name;
        const auto &points = platform.points(i);
        for (std::size_t k = 0; k < points.count(); ++k) {
            if (std::isnan(points.seconds[k]))
                fail_argument("processor ", in_quotes(name), " has an energy but no time at size ", points.sizes[k],
                              "; a file needs a time for each size");
            out += text(name, ",", points.sizes[k], ",", points.seconds[k]);
            if (columns.energy) out += std::isnan(points.joules[k]) ? "," : text(",", points.joules[k]);
            append_intervals(out, points.intervals.get(), k, columns);
            out += '\n';
        }
    }
}

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

// Source: the fine-grained performance model of Al-Hashimi and Basuhail, "Data Locality Aware Partitioning ..." (2021), section
// V.A: for each n a function of x measured in small steps. A problem uses the function of its n.

namespace
{

// "tf32" of "sgemm n=512 math=tf32": how the kernel's library computed, if not as usual.
std::string_view math_mode_of(const Platform &platform)
{
    constexpr std::string_view key = " math=";
    const std::string_view kernel = platform.kernel();
    const auto at = kernel.find(key);
    return at == std::string_view::npos ? "usual" : kernel.substr(at + key.size());
}

// The values at the sizes where both functions have one.
struct Values {
    std::vector<std::int64_t> sizes;
    std::vector<double> values;
};

Values between(const Points &below, const Column<double> &values_below, const Points &above,
               const Column<double> &values_above, double weight)
{
    Values out;
    for (std::size_t k = 0, j = 0; k < below.count(); ++k) {
        while (j < above.count() && above.sizes[j] < below.sizes[k]) ++j;
        if (j == above.count()) break;
        if (above.sizes[j] != below.sizes[k] || std::isnan(values_below[k]) || std::isnan(values_above[j])) continue;
        out.sizes.push_back(below.sizes[k]);
        // Convex form for non-negative values: the result lies between them and cannot overflow.
        out.values.push_back((1 - weight) * values_below[k] + weight * values_above[j]);
    }
    return out;
}

Platform interpolated(const Platform &below, const Platform &above, double weight)
{
    auto out = below;
    // Nothing was measured here: comments stay, facts of measurements do not.
    out.facts = {};
    below.facts.each<std::string>([&](const std::string &comment) { out.facts.add(comment); });
    if (above.kernel() != below.kernel()) out.set_kernel("");
    for (std::int64_t i = 0; i < out.count(); ++i) {
        const auto &low = below.points(i);
        const auto &high = above.points(i);
        const auto time = between(low, low.seconds, high, high.seconds, weight);
        const auto energy = between(low, low.joules, high, high.joules, weight);
        out.set_time_function(i, time.sizes, time.values);
        out.set_energy_function(i, energy.sizes, energy.values);
    }
    return out;
}

} // namespace

Family parse_family(std::string_view content, const std::string &name)
{
    auto family = parse_table(content, name, TableKind::family);
    const auto &[first, first_slice] = *family.begin();
    const auto expected = math_mode_of(first_slice);
    for (const auto &[parameter, platform] : family) {
        const auto mode = math_mode_of(platform);
        if (mode != expected)
            fail(Status::format, name, ": parameter ", parameter, " was measured with the math mode ", in_quotes(mode),
                 ", parameter ", first, " with ", in_quotes(expected), "; measure all with the same");
    }
    return family;
}

Platform slice_of(const Family &family, std::int64_t parameter, BetweenSlices between_slices)
{
    const auto above = family.lower_bound(parameter);
    if (above != family.end() && above->first == parameter) return above->second;
    const bool has_below = above != family.begin();
    const bool has_above = above != family.end();
    if (between_slices == BetweenSlices::linear && has_below && has_above) {
        const auto below = std::prev(above);
        // As integers: from 2^53 on, doubles of different parameters may be equal.
        const auto part = static_cast<double>(parameter - below->first);
        const auto whole = static_cast<double>(above->first - below->first);
        return interpolated(below->second, above->second, part / whole);
    }
    fail_argument("parameter is ", parameter, "; the family has no slice of it: the nearest are ",
                  has_below ? text(std::prev(above)->first, " below") : "none below", " and ",
                  has_above ? text(above->first, " above") : "none above",
                  has_below && has_above ? ", and option interpolate=linear takes what lies between them" : "");
}

Platform read_slice(const std::string &path, std::int64_t parameter, BetweenSlices between_slices)
{
    const auto content = read_file(path);
    return slice_of(parse_family(content, path), parameter, between_slices);
}

} // namespace hpart
