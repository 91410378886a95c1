// Drawings of a study: gains against size, distributions, functions, predicted against measured.
#include "failure.hpp"
#include "file.hpp"
#include "panels.hpp"
#include "plots.hpp"
#include "programs.hpp"
#include "study.hpp"
#include "table.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace hpart_command
{

namespace
{

struct GainKind {
    const char *key, *file, *label, *title;
};
constexpr std::array<GainKind, 4> gain_kinds = {
    {{"gain", "gain", "time saved [%]", "Time saved by optimal distributions"},
     {"measured_gain", "measured-gain", "measured time saved [%]", "Measured time saved by optimal distributions"},
     {"energy_gain", "energy-gain", "dynamic energy saved [%]", "Dynamic energy saved by optimal distributions"},
     {"total_energy_gain", "total-energy-gain", "total energy saved [%]",
      "Total energy saved by optimal distributions"}}};

// A result and its file, whose members may be missing or of another type.
struct Source {
    const Json &result;
    const std::string &path;

    const Json &list(const Json &object, const char *name) const
    {
        return member(object, name, Json::value_t::array, path);
    }
    double number(const Json &object, const char *name) const
    {
        return object.contains(name) ? number_member(object, name, path) : unknown;
    }
    Interval interval(const Json &object, const std::string &name) const
    {
        return {number(object, (name + "_low").c_str()), number(object, (name + "_high").c_str())};
    }
};

void add_point(Curve &curve, double size, double value, const Interval &interval = {})
{
    if (!std::isfinite(value)) return;
    curve.sizes.push_back(size);
    curve.values.push_back(value);
    curve.intervals.push_back(interval);
}

// Alike in all panels.
std::vector<std::string> methods_in(const Source &study)
{
    std::vector<std::string> methods;
    for (const auto &size : study.list(study.result, "sizes"))
        for (const auto &row : study.list(size, "methods")) {
            auto name = text_member(row, "method", study.path);
            if (std::ranges::find(methods, name) == methods.end()) methods.push_back(std::move(name));
        }
    // The optimal distributions save energy alone: the first colours are the others'.
    if (!methods.empty()) std::rotate(methods.begin(), methods.begin() + 1, methods.end());
    return methods;
}

// The time or energy that the best distributions save, in per cent of each method's. A method whose rows are the best ones has no curve.
Panel gains(const Source &study, const GainKind &kind)
{
    Panel panel{kind.label, {}};
    const auto &summary = member(study.result, "summary", Json::value_t::object, study.path);
    const auto compared = summary.value(kind.key, Json::object());
    std::size_t style = 0;
    for (const auto &method : methods_in(study)) {
        Curve curve{method, style++, {}, {}, {}};
        if (!compared.contains(method)) continue;
        for (const auto &size : study.list(study.result, "sizes"))
            for (const auto &row : study.list(size, "methods"))
                if (text_member(row, "method", study.path) == method)
                    add_point(curve, number_member(size, "size", study.path), 100 * study.number(row, kind.key));
        if (!curve.sizes.empty()) panel.curves.push_back(std::move(curve));
    }
    return panel;
}

// The fastest distributions as predicted and as they ran.
Panel prediction(const Source &study, bool is_of_time)
{
    Curve predicted{is_of_time ? "predicted" : "predicted: sum of the functions", predicted_style, {}, {}, {}};
    Curve measured{is_of_time ? "measured" : "measured together", measured_style, {}, {}, {}};
    double largest = 0;
    for (const auto &size : study.list(study.result, "sizes")) {
        const auto &rows = study.list(size, "methods");
        if (rows.empty() || !rows.front().contains("measured_seconds")) continue;
        const auto &row = rows.front();
        const double at = number_member(size, "size", study.path);
        const auto value = study.number(row, is_of_time ? "measured_seconds" : "measured_joules");
        const auto error = study.number(row, "measured_joules_error");
        const std::string key = is_of_time ? "time" : "energy";
        add_point(predicted, at, study.number(row, key.c_str()), study.interval(row, key));
        add_point(measured, at, value,
                  is_of_time ? study.interval(row, "measured") : Interval{value - error, value + error});
        for (const double each : {study.number(row, key.c_str()), value})
            if (std::isfinite(each)) largest = std::max(largest, each);
    }
    const auto scale = scale_for(largest > 0 ? largest : 1);
    Panel panel{is_of_time ? text("time [", scale.prefix, "s]") : text("dynamic energy [", scale.prefix, "J]"), {}};
    for (auto *curve : {&predicted, &measured}) {
        for (auto &value : curve->values) value *= scale.factor;
        for (auto &interval : curve->intervals) interval = {interval.low * scale.factor, interval.high * scale.factor};
        if (!curve->sizes.empty()) panel.curves.push_back(std::move(*curve));
    }
    return panel;
}

} // namespace

namespace
{

// "Time saved by optimal distributions: dgemm n=256 k=256 by cpu:0 and cpu:1 (p.csv)": the file is the platform's.
std::string study_title(const std::string &shown, const Json &result, const std::string &path)
{
    const auto platform = result.value("platform", Json::object());
    const auto kernel = kernel_in(platform, path);
    const auto file = platform.contains("file") ? text_member(platform, "file", path) : path;
    const auto names = processors_text(names_in(result, path));
    const auto whose = is_of_programs(kernel) ? "the programs of " : kernel.empty() ? "" : kernel + " by ";
    return title_text(text(shown, ": ", whose, names), file);
}

} // namespace

void plot_study(Plot &plot, const Json &result, const std::string &path)
{
    const Source study{result, path};
    std::vector<Panel> panels;
    for (const auto &kind : gain_kinds)
        if (auto panel = gains(study, kind); !panel.curves.empty()) panels.push_back(std::move(panel));
    if (panels.empty()) refuse(input_name(path), " has no gain; there is nothing to plot");
    draw_panels(plot, study_title("Savings by optimal distributions", result, path), "size", panels);
}

void plot_distributions(Plot &plot, const Json &study, const std::string &path)
{
    std::vector<Json> optimal;
    for (const auto &size : member(study, "sizes", Json::value_t::array, path)) {
        const auto &rows = member(size, "methods", Json::value_t::array, path);
        if (rows.empty()) continue;
        optimal.push_back({{"size", number_member(size, "size", path)},
                           {"processors", study.value("processors", Json::array())},
                           {"distribution", member(rows.front(), "distribution", Json::value_t::array, path)}});
    }
    plot_shares(plot, "Optimal distributions by size", optimal, path);
}

void draw_study(const Json &result, const hpart_platform *platform, const std::string &folder)
{
    const std::string path = folder + "/report.json";
    const Source study{result, path};
    const auto draw = [&](const std::string &name, const char *title, const Panel &panel) {
        if (panel.curves.empty()) return;
        Plot plot(text(folder, "/", name, ".svg"));
        draw_panels(plot, study_title(title, result, path), "size", {panel});
    };
    for (const auto &kind : gain_kinds) draw(kind.file, kind.title, gains(study, kind));
    draw("run", "Predicted and measured times of optimal distributions", prediction(study, true));
    if (const auto energies = prediction(study, false); energies.curves.size() == 2)
        draw("run-energy", "Predicted and measured dynamic energies of optimal distributions", energies);
    Plot distributions(folder + "/distributions.svg");
    plot_distributions(distributions, result, path);
    Plot functions(folder + "/functions.svg");
    plot_platform(functions, platform, "");
}

} // namespace hpart_command
