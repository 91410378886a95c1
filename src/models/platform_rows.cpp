// The table of a platform file, as it is written.
#include "core/error.hpp"
#include "core/text.hpp"
#include "models/platform_table.hpp"

#include <algorithm>
#include <cmath>

namespace hpart
{

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

} // namespace hpart
