#include "core/numbers.hpp"
#include "failure.hpp"
#include "kernel_line.hpp"
#include "panels.hpp"
#include "plots.hpp"
#include "table.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace hpart_command
{

namespace
{

enum class Quantity { speed, time, energy };

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
    // A time of 0 has no speed to draw. Where the time may be 0, the band has no upper end.
    const auto seconds = function.seconds[k];
    const auto [low, high] = function.time_intervals[k];
    return {seconds > 0 ? work / seconds : std::nan(""), {work / high, work / low}};
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
        Curve curve{names[i], i, {}, {}, {}};
        for (std::size_t k = 0; k < functions[i].sizes.size(); ++k) {
            const auto [value, interval] = value_of(quantity, functions[i], k, kernel);
            if (!std::isfinite(value)) continue;
            curve.sizes.push_back(static_cast<double>(functions[i].sizes[k]));
            curve.values.push_back(value);
            curve.intervals.push_back(interval);
            largest = std::max(largest, value);
        }
        if (!curve.sizes.empty()) panel.curves.push_back(std::move(curve));
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
            flops ? text("speed [", scale.prefix, "FLOP/s]") : text("speed [", power_of_ten(scale), "units/s]");
        break;
    case Quantity::time: panel.label = text("time [", scale.prefix, "s]"); break;
    case Quantity::energy: panel.label = text("dynamic energy [", scale.prefix, "J]"); break;
    }
    return panel;
}

// The same colour as the function's, with dashes. Smooth-FPM smooths sizes a second, whatever the drawing's unit.
void add_trend_lines(Panel &panel, const std::optional<KernelLine> &kernel, std::int64_t degree)
{
    const auto functions = panel.curves;
    for (const auto &function : functions) {
        std::vector<double> work, speeds;
        for (std::size_t k = 0; k < function.sizes.size(); ++k) {
            const auto size = static_cast<std::int64_t>(function.sizes[k]);
            work.push_back((kernel ? operations(*kernel, size) : std::nullopt).value_or(function.sizes[k]) /
                           function.sizes[k]);
            speeds.push_back(function.values[k] / work.back());
        }
        Curve line{function.name + " smoothed", function.style + colours, function.sizes, {}, {}};
        line.values = hpart::trend_line(function.sizes, std::move(speeds), degree);
        for (std::size_t k = 0; k < work.size(); ++k) line.values[k] *= work[k];
        panel.curves.push_back(std::move(line));
    }
}

// "dgemm n=64 k=64 by cpu:0 and cpu:1"; programs go by their names alone, as their commands are long.
std::string title_of(const std::vector<std::string> &names, const std::string &kernel)
{
    const auto processors = processors_text(names);
    if (kernel.starts_with("programs ")) return "the programs of " + processors;
    if (kernel.starts_with("application ")) return text(processors, " in one application");
    return kernel.empty() ? processors : text(kernel, " by ", processors);
}

struct OptimalSplit {
    std::vector<std::int64_t> x;
    double seconds = 0;
};

OptimalSplit optimal_split(const hpart_platform *platform, std::int64_t size)
{
    OptimalSplit split;
    split.x.resize(static_cast<std::size_t>(hpart_platform_processors(platform)));
    check(hpart_partition(platform, HPART_OBJECTIVE_TIME, size, nullptr, split.x.data(), &split.seconds, nullptr,
                          nullptr));
    return split;
}

} // namespace

void plot_platform(Plot &plot, const hpart_platform *platform, const std::string &path,
                   std::optional<std::int64_t> degree, std::optional<std::int64_t> size)
{
    const auto names = processor_names(platform);
    const auto line = kernel_of(platform);
    const auto kernel = parse_kernel_line(line);
    std::vector<Function> functions;
    for (std::size_t i = 0; i < names.size(); ++i)
        functions.push_back(function_of(platform, static_cast<std::int64_t>(i)));
    const auto best = size ? optimal_split(platform, *size) : OptimalSplit{};
    std::vector<Panel> panels;
    for (const auto quantity : {Quantity::speed, Quantity::time, Quantity::energy}) {
        auto panel = panel_of(quantity, names, functions, kernel);
        for (auto &curve : panel.curves)
            if (size) curve.marked = static_cast<double>(best.x[curve.style]);
        if (degree && quantity == Quantity::speed) add_trend_lines(panel, kernel, *degree);
        if (!panel.curves.empty()) panels.push_back(std::move(panel));
    }
    if (panels.empty()) refuse("no processor of the platform file has a point to plot");

    const bool has_energy = panels.back().label.starts_with("dynamic energy");
    const auto quantities = text(panels.size() < 2 ? "Energy"
                                 : has_energy      ? "Speed, time and energy"
                                                   : "Speed and time",
                                 " of ", title_of(names, line));
    const auto title =
        size ? text(quantities, "; ringed: the optimal distribution of ", size_text(static_cast<double>(*size), line),
                    ", ", distribution_text(best.x), " in ", seconds_text(best.seconds))
             : quantities;
    draw_panels(plot, title_text(title, path), kernel && operations(*kernel, 1) ? "size [rows]" : "size", panels);
}

} // namespace hpart_command
