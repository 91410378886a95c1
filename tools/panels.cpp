#include "panels.hpp"

#include "failure.hpp"

namespace hpart_command
{

namespace
{

// In points of the drawing.
constexpr int drawing_width = 900, panel_height = 330, title_room = 20, line_height = 24;
constexpr std::size_t most_legends = 12;
// A curve of more points than this is wider than any screen: of each bucket its extremes are kept.
constexpr std::size_t most_points = 2000;

Curve thinned(const Curve &curve)
{
    if (curve.sizes.size() <= most_points) return curve;
    Curve out{curve.name, curve.style, {}, {}, {}, curve.marked};
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
            if (!curve.intervals.empty()) out.intervals.push_back(curve.intervals[k]);
        }
    }
    return out;
}

// A curve of each style, in the order of the panels; a study's panels have different ones.
std::vector<Curve> legend_of(const std::vector<Panel> &panels)
{
    std::vector<Curve> legend;
    for (const auto &panel : panels)
        for (const auto &curve : panel.curves)
            if (std::ranges::find(legend, curve.style, &Curve::style) == legend.end()) legend.push_back(curve);
    if (legend.size() > most_legends) {
        legend[most_legends - 1].name += text(" and ", legend.size() - most_legends, " more");
        legend.resize(most_legends);
    }
    return legend;
}

// gnuplot gives each entry the width of the longest.
int legend_lines(const std::vector<Curve> &legend)
{
    constexpr std::size_t character_width = 10, sample_width = 60;
    std::size_t longest = 0;
    for (const auto &curve : legend) longest = std::max(longest, curve.name.size());
    const auto columns = std::max<std::size_t>(1, drawing_width / (sample_width + character_width * longest));
    return static_cast<int>((legend.size() + columns - 1) / columns);
}

// From the least to the largest size, with room for the marks.
std::string x_range(const std::vector<Panel> &panels)
{
    Interval range{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
    for (const auto &panel : panels)
        for (const auto &curve : panel.curves)
            for (const double size : curve.sizes) range = {std::min(range.low, size), std::max(range.high, size)};
    const double room = range.high > range.low ? 0.02 * (range.high - range.low) : std::max(1.0, 0.1 * range.high);
    const double left = range.low >= 0 ? std::max(0.0, range.low - room) : range.low - room;
    return text("set xrange [", left, ":", range.high + room, "]");
}

// From 0, or a negative value, to the largest value. An interval of few repetitions may reach far beyond it.
std::string y_range(const Panel &panel)
{
    double least = 0, most = 0, highest = 0;
    for (const auto &curve : panel.curves) {
        for (const double value : curve.values) {
            least = std::min(least, value);
            most = std::max(most, value);
        }
        for (const auto &interval : curve.intervals)
            if (interval.is_known()) highest = std::max(highest, interval.high);
    }
    constexpr double room = 0.06, room_for_bands = 0.15;
    const double top = std::min(std::max(most, highest), most * (1 + room_for_bands));
    const double bottom = least < 0 ? least - room * (top - least) : 0;
    return text("set yrange [", bottom, ":", top > bottom ? top + room * (top - least) : 1, "]");
}

// The bands of confidence intervals, behind the curves.
std::string bands_of(Plot &plot, const Panel &panel)
{
    std::string command;
    double most = 0;
    for (const auto &curve : panel.curves)
        for (const double value : curve.values) most = std::max(most, value);
    for (const auto &curve : panel.curves) {
        if (!curve.has_band()) continue;
        std::vector<std::vector<double>> rows;
        for (std::size_t k = 0; k < curve.sizes.size(); ++k) {
            const auto &interval = curve.intervals[k];
            // An empty row interrupts the band.
            // An end above the axes may be infinite, which gnuplot leaves out.
            rows.push_back(interval.is_known()
                               ? std::vector<double>{curve.sizes[k], interval.low, std::min(interval.high, 2 * most)}
                               : std::vector<double>{});
        }
        command += text(command.empty() ? "plot " : ", ", "'", plot.add_data({"size", "low", "high"}, rows),
                        "' skip 1 using 1:2:3 with filledcurves lc rgb '", plot_colour(curve.style),
                        "' fillstyle transparent solid 0.2 noborder notitle");
    }
    return command;
}

std::string rings_of(Plot &plot, const Panel &panel)
{
    std::string command;
    for (const auto &curve : panel.curves) {
        const auto found = std::ranges::find(curve.sizes, curve.marked);
        if (found == curve.sizes.end()) continue;
        const auto value = curve.values[static_cast<std::size_t>(found - curve.sizes.begin())];
        command +=
            text(", '", plot.add_data({"size", "value"}, {{*found, value}}),
                 "' skip 1 using 1:2 with points pt 6 ps 2.4 lw 2 lc rgb '", plot_colour(curve.style), "' notitle");
    }
    return command;
}

void add_panel(Plot &plot, const Panel &whole, const std::vector<Curve> &legend)
{
    auto panel = whole;
    for (auto &curve : panel.curves) curve = thinned(curve);
    auto command = bands_of(plot, panel);
    for (const auto &curve : panel.curves) {
        std::vector<std::vector<double>> rows;
        for (std::size_t k = 0; k < curve.sizes.size(); ++k) rows.push_back({curve.sizes[k], curve.values[k]});
        command += text(command.empty() ? "plot " : ", ", "'", plot.add_data({"size", curve.name}, rows),
                        "' skip 1 using 1:2 with ", line_style(curve.style, rows.size()), " notitle");
    }
    command += rings_of(plot, whole);
    for (const auto &curve : legend)
        command +=
            text(", NaN with ", line_style(curve.style, curve.sizes.size()), " title ", plot_literal(curve.name));
    plot.add_line(text("set ylabel ", plot_literal(panel.label), " offset -1\n", y_range(whole)));
    if (legend.empty()) plot.add_line("unset key");
    plot.add_line(command);
}

} // namespace

void draw_panels(Plot &plot, const std::string &title, const std::string &x_label, const std::vector<Panel> &panels)
{
    const auto legend = legend_of(panels);
    const auto title_lines = wide_lines(title);
    const int title_height = title_room + line_height * static_cast<int>(title_lines.size());
    const int legend_height = title_height + line_height * legend_lines(legend);
    const int height = legend_height + panel_height * static_cast<int>(panels.size());
    const double top = 1 - static_cast<double>(legend_height) / height;
    plot.add_line(text("set multiplot layout ", panels.size(), ",1 title ", lines_literal(title_lines),
                       " noenhanced margins 0.11, 0.96, ", 80.0 / height, ", ", top, " spacing 0, ", 80.0 / height));
    plot.add_line(text("set key at screen 0.53, screen ", 1 - static_cast<double>(title_height) / height,
                       " center top horizontal Left reverse samplen 2.5"));
    plot.add_line(x_range(panels));
    plot.add_line("set xlabel " + plot_literal(x_label));
    for (std::size_t k = 0; k < panels.size(); ++k) add_panel(plot, panels[k], k == 0 ? legend : std::vector<Curve>());
    plot.add_line("unset multiplot");
    plot.draw(drawing_width, height);
}

} // namespace hpart_command
