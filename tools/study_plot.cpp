// Drawings of a study: gains against size, functions, predicted against measured.
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

class Drawer
{
  public:
    explicit Drawer(std::string folder) : folder_(std::move(folder)) {}
    void draw(const std::string &name, const std::string &title, const Panel &panel, const std::string &y_range)
    {
        if (panel.curves.empty()) return;
        Plot plot(folder_ + "/" + name);
        draw_panels(plot, title, "size", {panel}, y_range);
        drawn.push_back(name);
    }
    std::vector<std::string> drawn;

  private:
    std::string folder_;
};

} // namespace

std::vector<std::string> draw_study(const Study &study, const hpart_platform *platform, const std::string &folder)
{
    Drawer drawer(folder);
    // Measured gains may be below 0, and then the scale must show it.
    constexpr const char *from_zero = "[*<0:*]";
    drawer.draw("gain.svg", "time saved by optimal distributions", gains(study, goal_time), from_zero);
    if (study.has_energy)
        drawer.draw("energy-gain.svg", "dynamic energy saved by optimal distributions", gains(study, goal_energy),
                    from_zero);
    if (study.base_power)
        drawer.draw("total-energy-gain.svg", "total energy saved by optimal distributions", gains(study, goal_total),
                    from_zero);
    if (study.is_run) {
        drawer.draw("measured-gain.svg", "measured time saved by optimal distributions", gains(study, std::nullopt),
                    from_zero);
        drawer.draw("run.svg", "optimal distributions", prediction(study, goal_time), "[0:*]");
        const auto energies = prediction(study, goal_energy);
        if (energies.curves.size() == 2)
            drawer.draw("run-energy.svg", "dynamic energy of optimal distributions", energies, "[0:*]");
    }
    Plot functions(folder + "/functions.svg");
    plot_platform(functions, platform);
    drawer.drawn.emplace_back("functions.svg");
    return drawer.drawn;
}

} // namespace hpart_command
