#include "panels.hpp"

#include "failure.hpp"

namespace hpart_command
{

namespace
{

// In points of the drawing.
constexpr int drawing_width = 900, panel_height = 330, title_height = 45, line_height = 24;
constexpr std::size_t most_legends = 12;
// A curve of more points than this is wider than any screen: of each bucket its extremes are kept.
constexpr std::size_t most_points = 2000;

Curve thinned(const Curve &curve)
{
    if (curve.sizes.size() <= most_points) return curve;
    Curve out{curve.name, curve.style, {}, {}, {}};
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

// Lines of the legend: gnuplot gives each entry the width of the longest.
int legend_lines(const Panel &panel)
{
    constexpr std::size_t character_width = 10, sample_width = 60;
    std::size_t longest = 0;
    for (const auto &curve : panel.curves) longest = std::max(longest, curve.name.size());
    const auto columns = std::max<std::size_t>(1, drawing_width / (sample_width + character_width * longest));
    const auto entries = std::min(panel.curves.size(), most_legends);
    return static_cast<int>((entries + columns - 1) / columns);
}

// The bands of confidence intervals, behind the curves.
std::string bands_of(Plot &plot, const Panel &panel)
{
    std::string command;
    for (const auto &curve : panel.curves) {
        if (!curve.has_band()) continue;
        std::vector<std::vector<double>> rows;
        for (std::size_t k = 0; k < curve.sizes.size(); ++k) {
            const auto &interval = curve.intervals[k];
            // An empty row interrupts the band.
            rows.push_back(interval.is_known() ? std::vector<double>{curve.sizes[k], interval.low, interval.high}
                                               : std::vector<double>{});
        }
        command += text(command.empty() ? "plot " : ", ", "'", plot.add_data({"size", "low", "high"}, rows),
                        "' skip 1 using 1:2:3 with filledcurves lc rgb '", plot_colour(curve.style),
                        "' fillstyle transparent solid 0.2 noborder notitle");
    }
    return command;
}

void add_panel(Plot &plot, const Panel &whole, bool has_legend)
{
    auto panel = whole;
    for (auto &curve : panel.curves) curve = thinned(curve);
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
                        in_legend ? "" : " skip 1", " using 1:2 with ", line_style(curve.style, rows.size()),
                        in_legend ? " title columnheader(2)" : " notitle");
    }
    plot.add_line(text("set ylabel ", plot_literal(panel.label), " offset -1"));
    if (!has_legend) plot.add_line("unset key");
    plot.add_line(command);
}

} // namespace

void draw_panels(Plot &plot, const std::string &title, const std::string &x_label, const std::vector<Panel> &panels,
                 const std::string &y_range)
{
    const int legend_height = title_height + line_height * legend_lines(panels.front());
    const int height = legend_height + panel_height * static_cast<int>(panels.size());
    const double top = 1 - static_cast<double>(legend_height) / height;
    plot.add_line(text("set multiplot layout ", panels.size(), ",1 title ", plot_literal(title),
                       " noenhanced margins 0.11, 0.96, ", 80.0 / height, ", ", top, " spacing 0, ", 80.0 / height));
    plot.add_line(text("set key at screen 0.53, screen ", 1 - static_cast<double>(title_height) / height,
                       " center top horizontal Left reverse samplen 2.5"));
    plot.add_line("set yrange " + y_range);
    plot.add_line("set xlabel " + plot_literal(x_label));
    for (std::size_t k = 0; k < panels.size(); ++k) add_panel(plot, panels[k], k == 0);
    plot.add_line("unset multiplot");
    plot.draw(drawing_width, height);
}

} // namespace hpart_command
