#include "failure.hpp"
#include "kernel_line.hpp"
#include "plots.hpp"
#include "table.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace hpart_command
{

namespace
{

// In points of the drawing.
constexpr int width = 900, panel_height = 330, title_height = 45, line_height = 24;
constexpr std::size_t most_legends = 12;
// A curve of more points than this is wider than any screen: of each bucket its extremes are kept.
constexpr std::size_t most_points = 2000;

struct Curve {
    std::string name;
    std::vector<double> sizes, values;
    std::vector<Interval> intervals; // of the values; where not known, the band has a gap

    bool has_band() const
    {
        return std::any_of(intervals.begin(), intervals.end(), [](const Interval &i) { return i.is_known(); });
    }
};

// One quantity of all processors.
struct Panel {
    std::string label; // with unit
    std::vector<Curve> curves;
};

enum class Quantity { speed, time, energy };

Curve thinned(const Curve &curve)
{
    if (curve.sizes.size() <= most_points) return curve;
    Curve out{curve.name, {}, {}, {}};
    const std::size_t buckets = most_points / 2;
    for (std::size_t b = 0; b < buckets; ++b) {
        const auto begin = curve.values.begin() + static_cast<std::ptrdiff_t>(b * curve.values.size() / buckets);
        const auto end = curve.values.begin() + static_cast<std::ptrdiff_t>((b + 1) * curve.values.size() / buckets);
        auto [least, most] = std::minmax_element(begin, end);
        if (most < least) std::swap(least, most);
        for (const auto &kept : {least, most}) {
            const auto k = static_cast<std::size_t>(kept - curve.values.begin());
            out.sizes.push_back(curve.sizes[k]);
            out.values.push_back(*kept);
            out.intervals.push_back(curve.intervals[k]);
        }
    }
    return out;
}

struct Value {
    double value = 0;
    Interval interval;
};

Value value_of(Quantity quantity, const Function &function, std::size_t k, const std::optional<KernelLine> &kernel)
{
    if (quantity == Quantity::time) return {function.seconds[k], function.time_intervals[k]};
    if (quantity == Quantity::energy) return {function.joules[k], function.energy_intervals[k]};
    const double work = (kernel ? operations(*kernel, function.sizes[k]) : std::nullopt)
                            .value_or(static_cast<double>(function.sizes[k]));
    // A time of 0 has no speed to draw.
    const auto speed = [&](double seconds) { return seconds > 0 ? work / seconds : std::nan(""); };
    return {speed(function.seconds[k]),
            {speed(function.time_intervals[k].high), speed(function.time_intervals[k].low)}};
}

// A prefix stands before a unit; where there is none, a power of ten.
std::string power_of_ten(const Scale &scale)
{
    constexpr std::array<std::pair<std::string_view, std::string_view>, 6> powers = {
        {{"n", "10⁻⁹ "}, {"u", "10⁻⁶ "}, {"m", "10⁻³ "}, {"k", "10³ "}, {"M", "10⁶ "}, {"G", "10⁹ "}}};
    for (const auto &[prefix, power] : powers)
        if (prefix == scale.prefix) return std::string(power);
    return {};
}

Panel panel_of(Quantity quantity, const std::vector<std::string> &names, const std::vector<Function> &functions,
               const std::optional<KernelLine> &kernel)
{
    Panel panel;
    double largest = 0;
    for (std::size_t i = 0; i < names.size(); ++i) {
        Curve curve{names[i], {}, {}, {}};
        for (std::size_t k = 0; k < functions[i].sizes.size(); ++k) {
            const auto [value, interval] = value_of(quantity, functions[i], k, kernel);
            if (!std::isfinite(value)) continue;
            curve.sizes.push_back(static_cast<double>(functions[i].sizes[k]));
            curve.values.push_back(value);
            curve.intervals.push_back(interval);
            largest = std::max(largest, value);
        }
        if (!curve.sizes.empty()) panel.curves.push_back(thinned(curve));
    }
    const auto scale = scale_for(largest > 0 ? largest : 1);
    for (auto &curve : panel.curves) {
        for (auto &value : curve.values) value *= scale.factor;
        for (auto &interval : curve.intervals) interval = {interval.low * scale.factor, interval.high * scale.factor};
    }
    const bool flops = kernel && operations(*kernel, 1);
    switch (quantity) {
    case Quantity::speed:
        panel.label =
            flops ? text("speed [", scale.prefix, "FLOP/s]") : text("speed [", power_of_ten(scale), "size/s]");
        break;
    case Quantity::time: panel.label = text("time [", scale.prefix, "s]"); break;
    case Quantity::energy: panel.label = text("dynamic energy [", scale.prefix, "J]"); break;
    }
    return panel;
}

// How many lines the legend takes: gnuplot gives each entry the width of the longest.
int legend_lines(const Panel &panel)
{
    constexpr std::size_t character_width = 10, sample_width = 60;
    std::size_t longest = 0;
    for (const auto &curve : panel.curves) longest = std::max(longest, curve.name.size());
    const auto columns = std::max<std::size_t>(1, width / (sample_width + character_width * longest));
    const auto entries = std::min(panel.curves.size(), most_legends);
    return static_cast<int>((entries + columns - 1) / columns);
}

// The bands of confidence intervals, behind the curves.
std::string bands_of(Plot &plot, const Panel &panel)
{
    std::string command;
    for (std::size_t i = 0; i < panel.curves.size(); ++i) {
        const auto &curve = panel.curves[i];
        if (!curve.has_band()) continue;
        std::vector<std::vector<double>> rows;
        for (std::size_t k = 0; k < curve.sizes.size(); ++k) {
            const auto &interval = curve.intervals[k];
            // An empty row interrupts the band.
            rows.push_back(interval.is_known() ? std::vector<double>{curve.sizes[k], interval.low, interval.high}
                                               : std::vector<double>{});
        }
        command += text(command.empty() ? "plot " : ", ", "'", plot.add_data({"size", "low", "high"}, rows),
                        "' skip 1 using 1:2:3 with filledcurves lc rgb '", plot_colour(i),
                        "' fillstyle transparent solid 0.2 noborder notitle");
    }
    return command;
}

void add_panel(Plot &plot, const Panel &panel, bool has_legend)
{
    auto command = bands_of(plot, panel);
    for (std::size_t i = 0; i < panel.curves.size(); ++i) {
        const auto &curve = panel.curves[i];
        std::vector<std::vector<double>> rows;
        for (std::size_t k = 0; k < curve.sizes.size(); ++k) rows.push_back({curve.sizes[k], curve.values[k]});
        const bool in_legend = has_legend && i < most_legends;
        const bool is_last = i + 1 == most_legends && panel.curves.size() > most_legends;
        const auto title =
            is_last ? text(curve.name, " and ", panel.curves.size() - most_legends, " more") : curve.name;
        // gnuplot leaves the heading out only where it takes a title from it.
        command += text(command.empty() ? "plot " : ", ", "'", plot.add_data({"size", title}, rows), "'",
                        in_legend ? "" : " skip 1", " using 1:2 with ", line_style(i, rows.size()),
                        in_legend ? " title columnheader(2)" : " notitle");
    }
    plot.add_line(text("set ylabel ", plot_literal(panel.label), " offset -1"));
    if (!has_legend) plot.add_line("unset key");
    plot.add_line(command);
}

} // namespace

void plot_platform(Plot &plot, const hpart_platform *platform)
{
    const auto names = processor_names(platform);
    const auto line = kernel_of(platform);
    const auto kernel = parse_kernel_line(line);
    std::vector<Function> functions;
    for (std::size_t i = 0; i < names.size(); ++i)
        functions.push_back(function_of(platform, static_cast<std::int64_t>(i)));
    std::vector<Panel> panels;
    for (const auto quantity : {Quantity::speed, Quantity::time, Quantity::energy}) {
        auto panel = panel_of(quantity, names, functions, kernel);
        if (!panel.curves.empty()) panels.push_back(std::move(panel));
    }
    if (panels.empty()) refuse("no processor of the platform file has a point to plot");

    const auto title = line.empty() ? std::string("functions of problem size") : line;
    const int legend_height = title_height + line_height * legend_lines(panels.front());
    const int height = legend_height + panel_height * static_cast<int>(panels.size());
    const double top = 1 - static_cast<double>(legend_height) / height;
    plot.add_line(text("set multiplot layout ", panels.size(), ",1 title ", plot_literal(title),
                       " noenhanced margins 0.11, 0.96, ", 60.0 / height, ", ", top, " spacing 0, ", 80.0 / height));
    plot.add_line(text("set key at screen 0.53, screen ", 1 - static_cast<double>(title_height) / height,
                       " center top horizontal Left reverse samplen 2.5"));
    plot.add_line("set yrange [0:*]");
    plot.add_line(kernel && operations(*kernel, 1) ? "set xlabel 'size [rows]'" : "set xlabel 'size'");
    for (std::size_t k = 0; k < panels.size(); ++k) add_panel(plot, panels[k], k == 0);
    plot.add_line("unset multiplot");
    plot.draw(width, height);
}

} // namespace hpart_command
