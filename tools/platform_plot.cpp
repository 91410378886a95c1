#include "comparison.hpp"
#include "core/numbers.hpp"
#include "core/option_keys.hpp"
#include "core/text.hpp"
#include "file.hpp"
#include "library.hpp"
#include "plot.hpp"
#include "processors.hpp"
#include "table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>

namespace hpart_command
{

namespace
{

enum class Quantity { speed, time, energy };

double work_of(std::int64_t size, const std::optional<KernelLine> &kernel)
{
    return (kernel ? operations(*kernel, size) : std::nullopt).value_or(static_cast<double>(size));
}

void add_point(Curve &curve, Quantity quantity, const Function &function, std::size_t k,
               const std::optional<KernelLine> &kernel)
{
    const auto size = static_cast<double>(function.sizes[k]);
    if (quantity == Quantity::time) return curve.add(size, function.seconds[k], function.time_intervals[k]);
    if (quantity == Quantity::energy) return curve.add(size, function.joules[k], function.energy_intervals[k]);
    const double work = work_of(function.sizes[k], kernel);
    // A time of 0 has no speed to draw. Where the time may be 0, the band has no upper end.
    const auto seconds = function.seconds[k];
    const auto [low, high] = function.time_intervals[k];
    if (seconds > 0) curve.add(size, work / seconds, {work / high, work / low});
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
    for (std::size_t i = 0; i < names.size(); ++i) {
        Curve curve{names[i], i};
        for (std::size_t k = 0; k < functions[i].sizes.size(); ++k) add_point(curve, quantity, functions[i], k, kernel);
        panel.add(std::move(curve));
    }
    const auto scale = rescale(panel);
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
        std::vector<double> sizes, work, speeds;
        for (const auto &[size, value, interval] : function.points) {
            sizes.push_back(size);
            work.push_back(work_of(static_cast<std::int64_t>(size), kernel) / size);
            speeds.push_back(value / work.back());
        }
        const auto trend = hpart::trend_line(sizes, std::move(speeds), degree);
        Curve line{function.name + " smoothed", function.style + colours};
        for (std::size_t k = 0; k < work.size(); ++k) line.add(sizes[k], trend[k] * work[k]);
        panel.add(std::move(line));
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
    const auto best = size ? predict({platform, *size, Common(), hpart::call_partition, false}, {"optimal", "exact"},
                                     HPART_OBJECTIVE_TIME)
                           : Row();
    if (best.failure) throw Failure(*best.failure);
    std::vector<Panel> panels;
    for (const auto quantity : {Quantity::speed, Quantity::time, Quantity::energy}) {
        auto panel = panel_of(quantity, names, functions, kernel);
        for (auto &curve : panel.curves)
            if (size) curve.marked = static_cast<double>(best.x[curve.style]);
        if (degree && quantity == Quantity::speed) add_trend_lines(panel, kernel, *degree);
        if (!panel.curves.empty()) panels.push_back(std::move(panel));
    }
    if (panels.empty())
        refuse(input_name(path), " has no point to plot",
               facts_of(platform).runs.empty()
                   ? ""
                   : ", only runs of a whole application; plot the result of hpart tune --format json");

    const bool has_energy = panels.back().label.starts_with("dynamic energy");
    const auto quantities = text(panels.size() < 2 ? "Energy"
                                 : has_energy      ? "Speed, time and energy"
                                                   : "Speed and time",
                                 " of ", title_of(names, line));
    const auto title =
        size ? text(quantities, "; ringed: the optimal distribution of ", size_text(static_cast<double>(*size), line),
                    ", ", distribution_text(best.x), " in ", seconds_text(best.costs[goal_time].value))
             : quantities;
    draw_panels(plot, title_lines(title, path), kernel && operations(*kernel, 1) ? "size [rows]" : "size", panels);
}

namespace
{

struct FrontCurve {
    std::string name, energy; // "dynamic", "total"
    double size;
    std::vector<std::string> processors;
    std::vector<std::vector<double>> rows{};               // seconds, joules, and the ends of their intervals
    std::vector<std::vector<std::string>> distributions{}; // in lines
    bool is_estimated = false, has_intervals = false;
};

// In points of the drawing. The place of the axes is known, as others point at it.
constexpr int drawing_points = 900, axes_height = 440, axes_left = 90, axes_right = 870, bottom_room = 80;
constexpr int title_line = 22, mark_radius = 7;

// The values from least to largest, in the unit of the scale, with some room, so that no mark is cut.
struct FrontAxis {
    Scale scale;
    double least = std::numeric_limits<double>::infinity(), most = -least;
    void add(double value)
    {
        least = std::min(least, value);
        most = std::max(most, value);
    }
    // The rooms are parts of the axis.
    void widen(double room_below, double room_above)
    {
        const double length = (most > least ? most - least : std::max(most, 1.0)) / (1 - room_below - room_above);
        least -= room_below * length;
        most += room_above * length;
    }
    double place(double value) const { return (value - least) / (most - least); }
};

FrontCurve curve_of(const Input &input)
{
    const auto &[path, result] = input;
    const auto &points = member(result, "points", Json::value_t::array, path);
    if (points.empty()) refuse(input_name(path), " has a front without points; there is nothing to plot");
    FrontCurve curve{path, text_member(result, "energy", path), number_member(result, "size", path),
                     names_in(result, path)};
    constexpr std::size_t widest = 24;
    for (const auto &point : points) {
        curve.distributions.push_back(distribution_lines(point, widest, path));
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
        for (auto &curve : curves) curve.name = "size " + whole_text(curve.size);
}

struct Box {
    double left, right, top, bottom;
    bool meets(const Box &other) const
    {
        return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
    }
};

struct FrontLabel {
    std::vector<std::string> lines;
    double x, y; // its point
    double length() const
    {
        constexpr double character_width = 9;
        std::size_t longest = 0;
        for (const auto &line : lines) longest = std::max(longest, line.size());
        return character_width * static_cast<double>(longest);
    }
};

// The places around a point, from near to far, in lines of text: right above it or left below it, where the line of the front does
// not go.
constexpr std::array<std::array<double, 2>, 3> label_directions = {{{1.6, 1}, {3.2, 0.3}, {0.5, 1.2}}};
constexpr int label_distances = 7;

// Places are in points from the left upper corner of the drawing. A line leads to a label that is not beside its point; one without
// any free place is left out.
void add_labels(Plot &plot, const std::vector<FrontLabel> &labels, const Box &frame, int height)
{
    constexpr double nearest = 8, text_height = 18;
    std::vector<Box> taken;
    taken.reserve(labels.size());
    for (const auto &[lines, x, y] : labels)
        taken.push_back({x - mark_radius, x + mark_radius, y - mark_radius, y + mark_radius});
    const auto box_at = [&](const FrontLabel &label, double right, double up) {
        const double tall = text_height * static_cast<double>(label.lines.size());
        const double left = right > 0 ? label.x + right : label.x + right - label.length();
        const double top = up > 0 ? label.y - up - tall : label.y - up;
        return Box{left, left + label.length(), top, top + tall};
    };
    const auto is_free = [&](const Box &box) {
        return box.left >= frame.left && box.right <= frame.right && box.top >= frame.top &&
               box.bottom <= frame.bottom &&
               std::ranges::none_of(taken, [&](const Box &other) { return box.meets(other); });
    };
    const auto at = [&](double x, double y) {
        return text("screen ", x / drawing_points, ", screen ", 1 - y / height);
    };
    const auto place = [&](const FrontLabel &label) {
        for (int distance = 0; distance < label_distances; ++distance)
            for (const auto &[right, up] : label_directions)
                for (const double side : {1.0, -1.0}) {
                    const double x = side * (nearest + text_height * right * distance);
                    const double y = side * (nearest + text_height * up * distance);
                    const auto box = box_at(label, x, y);
                    if (!is_free(box)) continue;
                    taken.push_back(box);
                    const double end = side > 0 ? box.left : box.right;
                    plot.add_line("set label ", lines_literal(label.lines), " at ", at(end, box.top + text_height / 2),
                                  side > 0 ? " left" : " right", " front boxed");
                    if (distance > 0)
                        plot.add_line("set arrow from ", at(label.x, label.y), " to ",
                                      at(end, side > 0 ? box.bottom : box.top), " nohead lc rgb '#999999' back");
                    return;
                }
    };
    plot.add_line("set style textbox opaque noborder fillcolor rgb 'white' margins 0.3, 0.1");
    for (const auto &label : labels) place(label);
}

// "Pareto front of size 24, 4 points, by sizes of a | b (front.json)"
std::vector<std::string> front_title(const std::vector<FrontCurve> &curves, bool has_labels, const std::string &path)
{
    const auto &first = curves.front();
    const auto sizes = has_labels ? "; at the points the sizes of " + names_text(first.processors) : "";
    if (curves.size() > 1) return wide_lines(text("Pareto fronts of time and ", first.energy, " energy", sizes));
    return title_lines(text("Pareto front of size ", whole_text(first.size), ", ",
                            hpart::pluralise(first.rows.size(), "point"), sizes),
                       path);
}

// One table holds the steps, the marks and the whiskers of a front.
void add_front(Plot &plot, const FrontCurve &curve, std::size_t k, bool is_one, bool draws_intervals)
{
    const auto table =
        plot.add_data({"time", is_one ? "Pareto-optimal distributions" : curve.name, "", "", "", ""}, curve.rows);
    plot.add_series(table, " skip 1 using 1:2 with steps lw 1.5 lc rgb '", plot_colour(is_one ? 5 : k), "' notitle");
    plot.add_series("'' using 1:2 with points pt ", k % 2 == 0 ? 7 : 5, " ps ", curve.rows.size() > 200 ? 0.5 : 1.3,
                    " lc rgb '", plot_colour(k), "' title columnheader(2)");
    if (!draws_intervals) return;
    plot.add_series(
        "'' skip 1 using 3:2:($4-$3):(0) with vectors nohead lc rgb '#777777' title 'confidence intervals'");
    plot.add_series("'' skip 1 using 1:5:(0):($6-$5) with vectors nohead lc rgb '#777777' notitle");
}

} // namespace

std::vector<std::array<double, 2>> plot_fronts(Plot &plot, const std::vector<Input> &inputs)
{
    std::vector<FrontCurve> curves;
    std::array<double, 2> most{};
    for (const auto &input : inputs) {
        curves.push_back(curve_of(input));
        if (curves.back().energy != curves.front().energy)
            refuse(input_name(input.path), " has a front of ", curves.back().energy, " energy, ",
                   input_name(inputs.front().path), " one of ", curves.front().energy, " energy; draw them apart");
        for (const auto &row : curves.back().rows)
            for (const auto k : {0U, 1U}) most[k] = std::max(most[k], row[k]);
    }
    const bool is_one = curves.size() == 1;
    if (!is_one) name_curves(curves);
    const bool is_estimated =
        std::any_of(curves.begin(), curves.end(), [](const auto &curve) { return curve.is_estimated; });
    constexpr std::size_t most_whiskers = 60;
    const bool draws_intervals = is_one && curves.front().has_intervals && curves.front().rows.size() <= most_whiskers;
    FrontAxis times{scale_for(most[0] > 0 ? most[0] : 1)}, energies{scale_for(most[1] > 0 ? most[1] : 1)};
    for (auto &curve : curves)
        for (auto &row : curve.rows)
            for (std::size_t k = 0; k < row.size(); ++k) {
                auto &axis = k == 0 || k == 2 || k == 3 ? times : energies;
                row[k] *= axis.scale.factor;
                if (std::isfinite(row[k]) && (k < 2 || draws_intervals)) axis.add(row[k]);
            }
    plot.add_line("set xlabel 'execution time [", times.scale.prefix, "s]'");
    plot.add_line("set ylabel ",
                  plot_literal(text(curves.front().energy, " energy [", energies.scale.prefix, "J]",
                                    is_estimated ? ", estimated" : "")),
                  " offset -1");
    constexpr std::size_t most_labels = 8, most_key_columns = 4;
    std::size_t points = 0;
    for (const auto &curve : curves) points += curve.rows.size();
    const bool has_labels = points <= most_labels;
    double label_room = 0;
    for (const auto &curve : curves)
        if (has_labels && !curve.distributions.empty())
            label_room = std::max(label_room, FrontLabel{curve.distributions.back(), 0, 0}.length());
    constexpr double room = 0.04, room_for_labels = 0.1;
    times.widen(room, std::min(room + label_room / (axes_right - axes_left), 0.4));
    energies.widen(has_labels ? room_for_labels : room, has_labels ? room_for_labels : room);

    const auto title = front_title(curves, has_labels, inputs.front().path);
    const auto title_height = title_line * static_cast<int>(title.size() + 1);
    const auto key_lines = static_cast<int>((curves.size() + most_key_columns - 1) / most_key_columns);
    const int axes_top = title_height + title_line * (key_lines + 1);
    const int axes_bottom = axes_top + axes_height, height = axes_bottom + bottom_room;
    const auto from_top = [&](double at) { return 1 - at / height; };
    plot.add_line("set label 1 ", lines_literal(title), " at screen 0.5, screen ", from_top(title_line), " center");
    plot.add_line("set key at screen 0.53, screen ", from_top(title_height),
                  " center top horizontal Left reverse samplen 2.5 maxcols ", most_key_columns, "\nset xrange [",
                  times.least, ":", times.most, "]\nset yrange [", energies.least, ":", energies.most,
                  "]\nset lmargin at screen ", 1.0 * axes_left / drawing_points, "\nset rmargin at screen ",
                  1.0 * axes_right / drawing_points, "\nset bmargin at screen ", from_top(axes_bottom),
                  "\nset tmargin at screen ", from_top(axes_top));
    std::vector<std::array<double, 2>> places;
    std::vector<FrontLabel> labels;
    for (std::size_t k = 0; k < curves.size(); ++k) {
        for (std::size_t p = 0; p < curves[k].rows.size(); ++p) {
            const auto &row = curves[k].rows[p];
            const double x = axes_left + (axes_right - axes_left) * times.place(row[0]);
            const double y = axes_bottom - axes_height * energies.place(row[1]);
            places.push_back({x / drawing_points, y / height});
            labels.push_back({curves[k].distributions[p], x, y});
        }
        add_front(plot, curves[k], k, is_one, draws_intervals);
    }
    if (has_labels) add_labels(plot, labels, {axes_left, axes_right, 1.0 * axes_top, 1.0 * axes_bottom}, height);
    plot.draw(drawing_points, height);
    return places;
}

} // namespace hpart_command
