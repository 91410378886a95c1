// Drawings of a study: gains against size, distributions, functions, predicted against measured.
#include "file.hpp"
#include "panels.hpp"
#include "plots.hpp"
#include "study.hpp"
#include "table.hpp"

#include <algorithm>
#include <cmath>

namespace hpart_command
{

namespace
{

void add_point(Curve &curve, std::int64_t size, double value, const Interval &interval)
{
    if (!std::isfinite(value)) return;
    curve.sizes.push_back(static_cast<double>(size));
    curve.values.push_back(value);
    curve.intervals.push_back(interval);
}

// The time or energy that the best distributions save, in per cent of each method's.
Panel gains(const Study &study, std::optional<Goal> goal)
{
    Panel panel;
    panel.label = "saved [%]";
    for (const auto &method : methods_of(study, goal)) {
        Curve curve{method, panel.curves.size(), {}, {}, {}};
        for (const auto &size : study.sizes)
            for (const auto &row : size.rows)
                if (row.method == method)
                    add_point(curve, size.size, 100 * (goal ? row.gains[*goal] : row.measured).value, {});
        if (!curve.sizes.empty()) panel.curves.push_back(std::move(curve));
    }
    return panel;
}

// The fastest distributions as predicted and as they ran.
Panel prediction(const Study &study, Goal goal)
{
    Curve predicted{"predicted", 0, {}, {}, {}}, measured{"measured", 1, {}, {}, {}};
    if (goal == goal_energy) {
        predicted.name = "combined: sum of the functions";
        measured.name = "parallel: measured";
    }
    double largest = 0;
    for (const auto &size : study.sizes) {
        if (size.failure || !size.rows.front().execution) continue;
        const auto &row = size.rows.front();
        const auto &execution = *row.execution;
        const auto error = execution.joules_error;
        const auto value = goal == goal_time ? execution.seconds : execution.joules;
        add_point(predicted, size.size, row.costs[goal].value, row.costs[goal].interval);
        add_point(measured, size.size, value,
                  goal == goal_time ? execution.interval : Interval{value - error, value + error});
        for (const double each : {row.costs[goal].value, value})
            if (std::isfinite(each)) largest = std::max(largest, each);
    }
    const auto scale = scale_for(largest > 0 ? largest : 1);
    Panel panel{goal == goal_time ? text("time [", scale.prefix, "s]") : text("dynamic energy [", scale.prefix, "J]"),
                {}};
    for (auto *curve : {&predicted, &measured}) {
        for (auto &value : curve->values) value *= scale.factor;
        for (auto &interval : curve->intervals) interval = {interval.low * scale.factor, interval.high * scale.factor};
        if (!curve->sizes.empty()) panel.curves.push_back(std::move(*curve));
    }
    return panel;
}

// The fastest distributions: a bar a size, whose blocks are the processors' shares; of many processors, the last block has the rest.
void draw_distributions(const Study &study, const std::string &path)
{
    constexpr int width = 900, height = 520;
    constexpr std::size_t most_blocks = 12;
    std::vector<std::string> blocks = study.processors;
    if (blocks.size() > most_blocks) {
        blocks.resize(most_blocks);
        blocks.back() = text(study.processors.size() - most_blocks + 1, " more");
    }
    std::vector<std::vector<double>> bars;
    for (const auto &size : study.sizes) {
        if (size.failure) continue;
        auto &bar = bars.emplace_back(1, static_cast<double>(size.size));
        std::int64_t sum = 0;
        for (const auto part : size.rows.front().x)
            bar.push_back(100 * static_cast<double>(sum += part) / static_cast<double>(size.size));
        if (bar.size() > most_blocks + 1) {
            bar.resize(most_blocks);
            bar.push_back(100);
        }
    }
    std::vector<std::string> titles = {"size"};
    titles.insert(titles.end(), blocks.begin(), blocks.end());
    Plot plot(path);
    const auto table = plot.add_data(titles, bars);
    // A bar covers the lower part of the one before it.
    std::string command;
    for (auto i = blocks.size(); i-- > 0;)
        command += text(command.empty() ? "plot '" : ", '", table, "' skip 1 using 1:", i + 2, " with boxes lc rgb '",
                        plot_colour(i), "' title ", plot_literal(blocks[i]));
    plot.add_line("set title 'optimal distributions'\nset style fill solid 0.9 border -1\nset boxwidth 1 relative\n"
                  "set key outside right reverse Left noenhanced\nset xlabel 'size'\n"
                  "set ylabel 'share [%]' offset -1\nset yrange [0:100]");
    plot.add_line(command);
    plot.draw(width, height);
}

} // namespace

void draw_study(const Study &study, const hpart_platform *platform, const std::string &folder)
{
    const auto draw = [&](const char *name, const char *title, const Panel &panel, const char *y_range) {
        if (panel.curves.empty()) return;
        Plot plot(text(folder, "/", name));
        draw_panels(plot, title, "size", {panel}, y_range);
    };
    // Measured gains may be below 0, and then the scale must show it.
    constexpr const char *from_zero = "[*<0:*]";
    draw("gain.svg", "time saved by optimal distributions", gains(study, goal_time), from_zero);
    if (study.has_energy)
        draw("energy-gain.svg", "dynamic energy saved by optimal distributions", gains(study, goal_energy), from_zero);
    if (study.base_power)
        draw("total-energy-gain.svg", "total energy saved by optimal distributions", gains(study, goal_total),
             from_zero);
    if (study.is_run) {
        draw("measured-gain.svg", "measured time saved by optimal distributions", gains(study, std::nullopt),
             from_zero);
        draw("run.svg", "optimal distributions", prediction(study, goal_time), "[0:*]");
        const auto energies = prediction(study, goal_energy);
        if (energies.curves.size() == 2)
            draw("run-energy.svg", "dynamic energy of optimal distributions", energies, "[0:*]");
    }
    draw_distributions(study, folder + "/distributions.svg");
    Plot functions(folder + "/functions.svg");
    plot_platform(functions, platform);
}

} // namespace hpart_command
