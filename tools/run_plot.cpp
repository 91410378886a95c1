#include "failure.hpp"
#include "file.hpp"
#include "plots.hpp"
#include "table.hpp"

#include <algorithm>
#include <cmath>

namespace hpart_command
{

void plot_run(Plot &plot, const Json &result, const std::string &path)
{
    const auto &splits = member(result, "splits", Json::value_t::array, path);
    std::vector<std::string> names;
    std::vector<std::vector<double>> rows;
    double most = 0;
    bool has_interval = false;
    for (const auto &split : splits) {
        const double predicted = number_member(split, "predicted_seconds", path);
        const double measured = number_member(split, "measured_seconds", path);
        if (!std::isfinite(predicted) || !std::isfinite(measured)) continue; // a method that has no distribution here
        names.push_back(text_member(split, "method", path));
        // Without an interval both ends are the value, which draws no whisker.
        const auto end = [&](const char *name) {
            const double value = split.contains(name) ? number_member(split, name, path) : measured;
            return std::isfinite(value) ? value : measured;
        };
        rows.push_back({predicted, measured, end("measured_low"), end("measured_high")});
        most = std::max({most, predicted, rows.back()[3]});
        has_interval = has_interval || rows.back()[2] < rows.back()[3];
    }
    if (rows.empty()) refuse(input_name(path), " has no split with times; there is nothing to plot");
    const auto scale = scale_for(most > 0 ? most : 1);
    for (auto &row : rows)
        for (auto &value : row) value *= scale.factor;

    const auto title = text(text_member(result, "kernel", path), ", size ", number_member(result, "size", path));
    const auto table = plot.add_data({"method", "predicted", "measured", "low", "high"}, names, rows);
    plot.add_line(text("set title ", plot_literal(title)));
    plot.add_line("set style data histogram\nset style histogram clustered gap 1\nset style fill solid 0.9 border -1");
    plot.add_line(text("set ylabel 'time of the whole [", scale.prefix, "s]' offset -1"));
    plot.add_line("set xlabel 'distribution by method'\nset yrange [0:*]\nset offsets graph 0, 0, graph 0.15, 0");
    plot.add_line("set lmargin 11\nset tmargin 4.5\nset title offset 0, 1.5\nset key at graph 0.5, graph 1.11 center "
                  "top horizontal\nset grid noxtics\nset xtics scale 0");
    const auto label_width = 1.0 / 3; // two bars and a gap a cluster
    plot.add_line(
        text("plot '", table, "' using 2:xtic(1) title columnheader(2) lc rgb '", plot_colour(5),
             "', '' using 3 title columnheader(3) lc rgb '", plot_colour(0), "', '' skip 1 using ($0-", label_width / 2,
             "):2:(sprintf('%.3g', $2)) with labels offset 0,0.6 notitle", ", '' skip 1 using ($0+", label_width / 2,
             "):5:(sprintf('%.3g', $3)) with labels offset 0,0.6 notitle",
             !has_interval
                 ? ""
                 : text(", '' skip 1 using ($5 > $4 ? $0+", label_width / 2,
                        " : NaN):3:4:5 with yerrorbars pt 0 lw 1.5 lc rgb '#222222' title 'confidence interval'")));
    constexpr int width = 900, height = 520;
    plot.draw(width, height);
}

} // namespace hpart_command
