#include "failure.hpp"
#include "file.hpp"
#include "plots.hpp"
#include "table.hpp"

#include <algorithm>

namespace hpart_command
{

void plot_front(Plot &plot, const Json &result, const std::string &path)
{
    const auto &points = member(result, "points", Json::value_t::array, path);
    if (points.empty()) refuse(input_name(path), " has a front without points; there is nothing to plot");
    std::vector<std::vector<double>> rows;
    double most_seconds = 0, most_joules = 0;
    for (const auto &point : points) {
        rows.push_back({number_member(point, "time", path), number_member(point, "energy", path)});
        most_seconds = std::max(most_seconds, rows.back()[0]);
        most_joules = std::max(most_joules, rows.back()[1]);
    }
    const auto time_scale = scale_for(most_seconds > 0 ? most_seconds : 1);
    const auto energy_scale = scale_for(most_joules > 0 ? most_joules : 1);
    for (auto &row : rows) row = {row[0] * time_scale.factor, row[1] * energy_scale.factor};

    const auto energy = text_member(result, "energy", path);
    const auto source = result.value("energy_source", Json());
    const bool is_estimated = source.is_string() && source.get<std::string>().rfind("estimated", 0) == 0;
    const auto size = number_member(result, "size", path);
    const auto table = plot.add_data({"time", "Pareto-optimal distributions"}, rows);
    plot.add_line(text("set title ", plot_literal(text("Pareto front, size ", size, ", ", points.size(),
                                                       points.size() == 1 ? " point" : " points"))));
    plot.add_line(text("set xlabel 'execution time [", time_scale.prefix, "s]'"));
    plot.add_line(
        text("set ylabel ",
             plot_literal(text(energy, " energy [", energy_scale.prefix, "J]", is_estimated ? ", estimated" : "")),
             " offset -1"));
    plot.add_line("set lmargin 11\nset key top right\nset offsets graph 0.04, graph 0.04, graph 0.12, graph 0.04");
    plot.add_line(text("plot '", table, "' skip 1 using 1:2 with steps lw 1.5 lc rgb '", plot_colour(5),
                       "' notitle, '' using 1:2 with points pt 7 ps ", rows.size() > 200 ? 0.5 : 1.3, " lc rgb '",
                       plot_colour(0), "' title columnheader(2)"));
    constexpr int width = 900, height = 560;
    plot.draw(width, height);
}

} // namespace hpart_command
