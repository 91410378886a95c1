#include "core/pluralise.hpp"
#include "failure.hpp"
#include "file.hpp"
#include "plots.hpp"
#include "table.hpp"

#include <algorithm>
#include <set>

namespace hpart_command
{

namespace
{

struct FrontCurve {
    std::string name, energy; // "dynamic", "total"
    double size;
    bool is_estimated;
    std::vector<std::vector<double>> rows; // seconds, joules
};

FrontCurve curve_of(const Input &input)
{
    const auto &[path, result] = input;
    const auto &points = member(result, "points", Json::value_t::array, path);
    if (points.empty()) refuse(input_name(path), " has a front without points; there is nothing to plot");
    FrontCurve curve{path, text_member(result, "energy", path), number_member(result, "size", path), false, {}};
    for (const auto &point : points)
        curve.rows.push_back({number_member(point, "time", path), number_member(point, "energy", path)});
    const auto source = result.value("energy_source", Json());
    curve.is_estimated = source.is_string() && source.get<std::string>().starts_with("estimated");
    return curve;
}

// The sizes if they tell the fronts apart, else the files.
void name_curves(std::vector<FrontCurve> &curves)
{
    std::set<double> sizes;
    for (const auto &curve : curves) sizes.insert(curve.size);
    if (sizes.size() == curves.size())
        for (auto &curve : curves) curve.name = text("size ", curve.size);
}

} // namespace

void plot_fronts(Plot &plot, const std::vector<Input> &inputs)
{
    std::vector<FrontCurve> curves;
    double most_seconds = 0, most_joules = 0;
    for (const auto &input : inputs) {
        curves.push_back(curve_of(input));
        if (curves.back().energy != curves.front().energy)
            refuse(input_name(input.path), " has a front of ", curves.back().energy, " energy, ",
                   input_name(inputs.front().path), " one of ", curves.front().energy, " energy; draw them apart");
        for (const auto &row : curves.back().rows) {
            most_seconds = std::max(most_seconds, row[0]);
            most_joules = std::max(most_joules, row[1]);
        }
    }
    const bool is_one = curves.size() == 1;
    if (!is_one) name_curves(curves);
    const auto time_scale = scale_for(most_seconds > 0 ? most_seconds : 1);
    const auto energy_scale = scale_for(most_joules > 0 ? most_joules : 1);
    const bool is_estimated =
        std::any_of(curves.begin(), curves.end(), [](const auto &curve) { return curve.is_estimated; });
    plot.add_line(text("set title ", plot_literal(is_one ? text("Pareto front, size ", curves.front().size, ", ",
                                                                hpart::pluralise(curves.front().rows.size(), "point"))
                                                         : "Pareto fronts")));
    plot.add_line(text("set xlabel 'execution time [", time_scale.prefix, "s]'"));
    plot.add_line(text("set ylabel ",
                       plot_literal(text(curves.front().energy, " energy [", energy_scale.prefix, "J]",
                                         is_estimated ? ", estimated" : "")),
                       " offset -1"));
    plot.add_line("set lmargin 11\nset key top right\nset offsets graph 0.04, graph 0.04, graph 0.12, graph 0.04");
    std::string command;
    for (std::size_t k = 0; k < curves.size(); ++k) {
        auto &rows = curves[k].rows;
        for (auto &row : rows) row = {row[0] * time_scale.factor, row[1] * energy_scale.factor};
        const auto table = plot.add_data({"time", is_one ? "Pareto-optimal distributions" : curves[k].name}, rows);
        command += text(command.empty() ? "plot '" : ", '", table, "' skip 1 using 1:2 with steps lw 1.5 lc rgb '",
                        plot_colour(is_one ? 5 : k), "' notitle, '' using 1:2 with points pt ", k % 2 == 0 ? 7 : 5,
                        " ps ", rows.size() > 200 ? 0.5 : 1.3, " lc rgb '", plot_colour(k), "' title columnheader(2)");
    }
    plot.add_line(command);
    constexpr int width = 900, height = 560;
    plot.draw(width, height);
}

} // namespace hpart_command
