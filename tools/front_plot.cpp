#include "core/pluralise.hpp"
#include "failure.hpp"
#include "file.hpp"
#include "plots.hpp"
#include "table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace hpart_command
{

namespace
{

struct FrontCurve {
    std::string name, energy; // "dynamic", "total"
    double size;
    bool is_estimated;
    std::vector<std::vector<double>> rows; // seconds, joules, and the ends of their intervals
    bool has_intervals = false;
};

// The part of the drawing between the axes, which is known, as others point at it.
constexpr double axes_left = 0.1, axes_right = 0.97, axes_bottom = 0.14, axes_top = 0.9;

// The values from least to largest with some room, so that no mark is cut; above the points stands the legend.
struct FrontAxis {
    double least = std::numeric_limits<double>::infinity(), most = -least;
    void add(double value)
    {
        least = std::min(least, value);
        most = std::max(most, value);
    }
    void widen(double room_above)
    {
        const double length = most > least ? most - least : std::max(most, 1.0);
        least -= 0.04 * length;
        most += room_above * length;
    }
    double place(double value) const { return (value - least) / (most - least); }
};

FrontCurve curve_of(const Input &input)
{
    const auto &[path, result] = input;
    const auto &points = member(result, "points", Json::value_t::array, path);
    if (points.empty()) refuse(input_name(path), " has a front without points; there is nothing to plot");
    FrontCurve curve{path, text_member(result, "energy", path), number_member(result, "size", path), false, {}, false};
    for (const auto &point : points) {
        auto &row = curve.rows.emplace_back();
        row = {number_member(point, "time", path), number_member(point, "energy", path)};
        for (const auto *key : {"time_low", "time_high", "energy_low", "energy_high"}) {
            row.push_back(point.contains(key) ? number_member(point, key, path) : std::nan(""));
            curve.has_intervals = curve.has_intervals || std::isfinite(row.back());
        }
    }
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

std::vector<std::array<double, 2>> plot_fronts(Plot &plot, const std::vector<Input> &inputs)
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
    constexpr std::size_t most_whiskers = 60;
    const bool draws_intervals = is_one && curves.front().has_intervals && curves.front().rows.size() <= most_whiskers;
    FrontAxis times, energies;
    for (auto &curve : curves)
        for (auto &row : curve.rows) {
            for (const auto k : {0U, 2U, 3U}) row[k] *= time_scale.factor;
            for (const auto k : {1U, 4U, 5U}) row[k] *= energy_scale.factor;
            for (const auto k : {0U, 2U, 3U})
                if (std::isfinite(row[k]) && (k == 0 || draws_intervals)) times.add(row[k]);
            for (const auto k : {1U, 4U, 5U})
                if (std::isfinite(row[k]) && (k == 1 || draws_intervals)) energies.add(row[k]);
        }
    times.widen(0.04);
    energies.widen(0.12);
    plot.add_line(text("set key top right\nset xrange [", times.least, ":", times.most, "]\nset yrange [",
                       energies.least, ":", energies.most, "]\nset lmargin at screen ", axes_left,
                       "\nset rmargin at screen ", axes_right, "\nset bmargin at screen ", axes_bottom,
                       "\nset tmargin at screen ", axes_top));
    std::string command;
    std::vector<std::array<double, 2>> places;
    for (std::size_t k = 0; k < curves.size(); ++k) {
        const auto &rows = curves[k].rows;
        for (const auto &row : rows)
            places.push_back({axes_left + (axes_right - axes_left) * times.place(row[0]),
                              1 - axes_bottom - (axes_top - axes_bottom) * energies.place(row[1])});
        const auto table =
            plot.add_data({"time", is_one ? "Pareto-optimal distributions" : curves[k].name, "", "", "", ""}, rows);
        command += text(command.empty() ? "plot '" : ", '", table, "' skip 1 using 1:2 with steps lw 1.5 lc rgb '",
                        plot_colour(is_one ? 5 : k), "' notitle, '' using 1:2 with points pt ", k % 2 == 0 ? 7 : 5,
                        " ps ", rows.size() > 200 ? 0.5 : 1.3, " lc rgb '", plot_colour(k), "' title columnheader(2)");
        if (draws_intervals)
            command +=
                ", '' skip 1 using 3:2:($4-$3):(0) with vectors nohead lc rgb '#777777' title 'confidence intervals'"
                ", '' skip 1 using 1:5:(0):($6-$5) with vectors nohead lc rgb '#777777' notitle";
    }
    plot.add_line(command);
    constexpr int width = 900, height = 560;
    plot.draw(width, height);
    return places;
}

} // namespace hpart_command
