// hpart plot: functions of a platform file, fronts, predicted against measured times.

#include "plot.hpp"

#include "arguments.hpp"
#include "core/text.hpp"
#include "file.hpp"
#include "library.hpp"
#include "processors.hpp"
#include "team.hpp"
#include "tune.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace hpart_command
{

namespace
{

// In points of the drawing.
constexpr int drawing_width = 900, panel_height = 330, title_room = 20, line_height = 24;
constexpr std::size_t most_legends = 12;
// A curve of more points than this is wider than any screen: of each bucket its extremes are kept.
constexpr std::size_t most_points = 2000;

Curve thinned(const Curve &curve)
{
    const auto &points = curve.points;
    if (points.size() <= most_points) return curve;
    Curve out{curve.name, curve.style};
    const std::size_t buckets = most_points / 2;
    for (std::size_t b = 0; b < buckets; ++b) {
        const auto begin = points.begin() + static_cast<std::ptrdiff_t>(b * points.size() / buckets);
        const auto end = points.begin() + static_cast<std::ptrdiff_t>((b + 1) * points.size() / buckets);
        auto [least, most] = std::ranges::minmax_element(begin, end, {}, &CurvePoint::value);
        if (most < least) std::swap(least, most);
        out.points.insert(out.points.end(), {*least, *most});
    }
    return out;
}

// A curve of each style, in the order of the panels; a study's panels have different ones.
std::vector<Curve> legend_of(const std::vector<Panel> &panels)
{
    std::vector<Curve> legend;
    for (const auto &panel : panels)
        for (const auto &curve : panel.curves)
            if (std::ranges::find(legend, curve.style, &Curve::style) == legend.end()) legend.push_back(curve);
    if (legend.size() > most_legends) {
        legend[most_legends - 1].name += text(" and ", legend.size() - most_legends, " more");
        legend.resize(most_legends);
    }
    return legend;
}

// gnuplot gives each entry the width of the longest.
int legend_lines(const std::vector<Curve> &legend)
{
    constexpr std::size_t character_width = 10, sample_width = 60;
    std::size_t longest = 0;
    for (const auto &curve : legend) longest = std::max(longest, curve.name.size());
    const auto columns = std::max<std::size_t>(1, drawing_width / (sample_width + character_width * longest));
    return static_cast<int>((legend.size() + columns - 1) / columns);
}

// From the least to the largest size, with room for the marks.
std::string x_range(const std::vector<Panel> &panels)
{
    double least = std::numeric_limits<double>::infinity(), most = -least;
    for (const auto &panel : panels)
        for (const auto &curve : panel.curves)
            for (const auto &point : curve.points)
                least = std::min(least, point.size), most = std::max(most, point.size);
    const double room = most > least ? 0.02 * (most - least) : std::max(1.0, 0.1 * most);
    return text("set xrange [", least >= 0 ? std::max(0.0, least - room) : least - room, ":", most + room, "]");
}

// From 0, or a negative value, to the largest value. An interval of few repetitions may reach far beyond it.
std::string y_range(const Panel &panel)
{
    double least = 0, most = 0, highest = 0;
    for (const auto &curve : panel.curves)
        for (const auto &[size, value, interval] : curve.points) {
            least = std::min(least, value);
            most = std::max(most, value);
            if (interval.is_known()) highest = std::max(highest, interval.high);
        }
    constexpr double room = 0.06, room_for_bands = 0.15;
    const double top = std::min(std::max(most, highest), most * (1 + room_for_bands));
    const double bottom = least < 0 ? least - room * (top - least) : 0;
    return text("set yrange [", bottom, ":", top > bottom ? top + room * (top - least) : 1, "]");
}

// The band of confidence intervals. gnuplot leaves out an infinite value: the band ends at `end`, above the axes.
void add_band(Plot &plot, const Curve &curve, double end)
{
    std::vector<std::vector<double>> rows;
    bool has_band = false;
    for (const auto &[size, value, interval] : curve.points) {
        has_band = has_band || interval.is_known();
        rows.push_back(interval.is_known() ? std::vector<double>{size, interval.low, std::min(interval.high, end)}
                                           : std::vector<double>{});
    }
    if (has_band)
        plot.add_series(plot.add_data({"size", "low", "high"}, rows), " skip 1 using 1:2:3 with filledcurves lc rgb '",
                        plot_colour(curve.style), "' fillstyle transparent solid 0.2 noborder notitle");
}

void add_panel(Plot &plot, const Panel &panel, const std::vector<Curve> &legend)
{
    std::vector<Curve> curves;
    double most = 0;
    for (const auto &curve : panel.curves) {
        curves.push_back(thinned(curve));
        for (const auto &point : curve.points) most = std::max(most, point.value);
    }
    for (const auto &curve : curves) add_band(plot, curve, 2 * most);
    for (const auto &curve : curves) {
        std::vector<std::vector<double>> rows;
        for (const auto &point : curve.points) rows.push_back({point.size, point.value});
        plot.add_series(plot.add_data({"size", curve.name}, rows), " skip 1 using 1:2 with ",
                        line_style(curve.style, rows.size()), " notitle");
    }
    for (const auto &curve : panel.curves)
        if (const auto found = std::ranges::find(curve.points, curve.marked, &CurvePoint::size);
            found != curve.points.end())
            plot.add_series(plot.add_data({"size", "value"}, {{found->size, found->value}}),
                            " skip 1 using 1:2 with points pt 6 ps 2.4 lw 2 lc rgb '", plot_colour(curve.style),
                            "' notitle");
    for (const auto &curve : legend)
        plot.add_series("NaN with ", line_style(curve.style, curve.points.size()), " title ", plot_literal(curve.name));
    plot.add_line("set ylabel ", plot_literal(panel.label), " offset -1\n", y_range(panel));
    if (legend.empty()) plot.add_line("unset key");
    plot.end_panel();
}

} // namespace

Scale rescale(Panel &panel)
{
    double largest = 0;
    for (const auto &curve : panel.curves)
        for (const auto &point : curve.points) largest = std::max(largest, point.value);
    const auto scale = scale_for(largest > 0 ? largest : 1);
    for (auto &curve : panel.curves)
        for (auto &[size, value, interval] : curve.points)
            for (auto *each : {&value, &interval.low, &interval.high}) *each *= scale.factor;
    return scale;
}

void draw_panels(Plot &plot, const std::vector<std::string> &title, const std::string &x_label,
                 const std::vector<Panel> &panels)
{
    const auto legend = legend_of(panels);
    const int title_height = title_room + line_height * static_cast<int>(title.size());
    const int legend_height = title_height + line_height * legend_lines(legend);
    const int height = legend_height + panel_height * static_cast<int>(panels.size());
    const double top = 1 - static_cast<double>(legend_height) / height;
    plot.add_line("set multiplot layout ", panels.size(), ",1 title ", lines_literal(title),
                  " noenhanced margins 0.11, 0.96, ", 80.0 / height, ", ", top, " spacing 0, ", 80.0 / height);
    plot.add_line("set key at screen 0.53, screen ", 1 - static_cast<double>(title_height) / height,
                  " center top horizontal Left reverse samplen 2.5");
    plot.add_line(x_range(panels));
    plot.add_line("set xlabel ", plot_literal(x_label));
    for (std::size_t k = 0; k < panels.size(); ++k) add_panel(plot, panels[k], k == 0 ? legend : std::vector<Curve>());
    plot.add_line("unset multiplot");
    plot.draw(drawing_width, height);
}

void add_time_rows(Plot &plot, const TimeAxis &axis, const std::vector<TimeRow> &rows, double room)
{
    constexpr double half_height = 0.32;
    const double factor = axis.scale.factor;
    std::string tics;
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto row = static_cast<double>(rows.size() - i);
        tics += text(i == 0 ? "" : ", ", tic_literal(rows[i].label), " ", row);
        std::vector<std::vector<double>> boxes, places;
        std::vector<std::string> labels;
        for (const auto &[begin, end, label] : rows[i].blocks) {
            const double from = factor * begin, to = factor * end, middle = (from + to) / 2;
            boxes.push_back({middle, row, from, to, row - half_height, row + half_height});
            if (label.empty() || end - begin < axis.character() * static_cast<double>(label.size() + 1)) continue;
            places.push_back({middle, row});
            labels.push_back(label);
        }
        plot.add_series(plot.add_data({"at", "row", "begin", "end", "low", "high"}, boxes),
                        " skip 1 using 1:2:3:4:5:6 with boxxyerror lc rgb '", plot_colour(rows[i].colour), "'");
        if (!labels.empty())
            plot.add_series(plot.add_data({"size", "at", "row"}, places, labels), " skip 1 using 2:3:1 with labels");
    }
    plot.add_line("set xlabel 'time [", axis.scale.prefix, "s]'\nset ytics (", tics,
                  ") scale 0\nset yrange [0.4:", static_cast<double>(rows.size()) + room,
                  "]\nset xrange [0:", axis.end * factor, "]\nset lmargin at screen ", axis.left(),
                  "\nset rmargin at screen ", axis.right);
}

// The words of drawings and pages: the problem, its processors and their sizes.

std::string kernel_in(const Json &result, const std::string &path)
{
    if (!result.contains("kernel")) return {};
    auto kernel = text_member(result, "kernel", path);
    const auto dims = result.value("dims", Json());
    if (is_of_programs(kernel) || !dims.is_object()) return kernel;
    std::map<std::string, Json, DimOrder> in_order; // an older result may have another
    for (const auto &[name, value] : dims.items()) in_order.emplace(name, value);
    for (const auto &[name, value] : in_order)
        kernel += text(" ", name, "=", value.is_string() ? value.get<std::string>() : value.dump());
    return kernel;
}

std::string whole_text(double size)
{
    constexpr double most = 1e15;
    return std::abs(size) < most && size == std::floor(size) ? std::to_string(static_cast<std::int64_t>(size))
                                                             : text(size);
}

std::string size_text(double size, std::string_view kernel)
{
    return is_builtin(kernel) ? whole_text(size) + (size == 1 ? " row" : " rows") : "size " + whole_text(size);
}

std::string work_text(double size, std::string_view kernel)
{
    const auto out = size_text(size, kernel);
    return kernel.empty() || is_of_programs(kernel) ? out : text(out, " of ", kernel);
}

std::string processors_text(const std::vector<std::string> &names)
{
    constexpr std::size_t most = 4;
    if (names.size() > most) return hpart::pluralise(names.size(), "processor");
    const auto is_number = [](const std::string &name) { return hpart::parse_int(name).has_value(); };
    std::string out = std::ranges::all_of(names, is_number) ? "processors " : "";
    for (std::size_t i = 0; i < names.size(); ++i)
        out += (i == 0 ? "" : i + 1 < names.size() ? ", " : " and ") + names[i];
    return out;
}

std::vector<std::string> distribution_lines(const Json &result, std::size_t widest, const std::string &path)
{
    constexpr std::size_t most_lines = 3;
    std::vector<std::string> lines;
    const auto sizes = result.value("distribution", Json());
    for (std::size_t i = 0; sizes.is_array() && i < sizes.size(); ++i) {
        if (!sizes[i].is_number()) refuse(input_name(path), " has a distribution that is not of sizes");
        const auto part = text(whole_text(sizes[i].get<double>()), i + 1 < sizes.size() ? " |" : "");
        if (!lines.empty() && lines.back().size() + 1 + part.size() <= widest) {
            lines.back() += " " + part;
        } else if (lines.size() == most_lines) {
            lines.back() = "...";
            break;
        } else {
            lines.push_back(part);
        }
    }
    return lines;
}

namespace
{

struct PlotArguments {
    std::vector<std::string> inputs;
    std::string output;
    std::optional<std::string> size, degree;
};

std::string type_text(Json::value_t type)
{
    switch (type) {
    case Json::value_t::array: return "list";
    case Json::value_t::object: return "object";
    case Json::value_t::string: return "text";
    default: return "number";
    }
}

std::optional<Kind> kind_of(const Json &result)
{
    constexpr std::pair<std::string_view, Kind> known[] = {{"partition", Kind::partition}, {"pareto", Kind::front},
                                                           {"schedule", Kind::schedule},   {"run", Kind::run},
                                                           {"study", Kind::study},         {"tune", Kind::tune}};
    if (!result.is_object()) return {};
    if (result.contains("traceEvents")) return Kind::trace; // the format of trace viewers has no key for us
    const auto subcommand = result.value("subcommand", Json());
    if (subcommand == "tune" && result.value("objective", Json()) == front_goal) return Kind::front;
    for (const auto &[name, kind] : known)
        if (subcommand == name) return kind;
    return {};
}

std::vector<Input> inputs_of(const std::vector<Json> &results, const std::string &path)
{
    std::vector<Input> inputs;
    inputs.reserve(results.size());
    for (const auto &result : results) inputs.push_back({path, result});
    return inputs;
}

// The one of that size, among results of one size each.
std::vector<Json> chosen(std::vector<Json> results, Kind kind, std::int64_t size, const std::string &path)
{
    if (kind != Kind::partition && kind != Kind::front && kind != Kind::schedule)
        refuse("--size belongs to platform files, files of samples and results of partition, pareto and schedule; ",
               input_name(path), " is none of them");
    std::erase_if(results,
                  [&](const Json &result) { return number_member(result, "size", path) != static_cast<double>(size); });
    if (results.empty()) refuse(input_name(path), " has no result of size ", size);
    return results;
}

void draw_result(Plot &plot, const Json &result, std::optional<std::int64_t> size, const std::string &path)
{
    auto [kind, results, infeasible] = results_in(result, path);
    if (size) results = chosen(std::move(results), kind, *size, path);
    const bool is_one = results.size() == 1;
    switch (kind) {
    case Kind::front: plot_fronts(plot, inputs_of(results, path)); return;
    case Kind::trace: plot_trace(plot, results.front(), path); return;
    case Kind::run:
    case Kind::tune: plot_run(plot, results.front(), path); return;
    case Kind::study: plot_study(plot, results.front(), path); return;
    case Kind::partition:
        if (is_one)
            plot_partition(plot, results.front(), path);
        else
            plot_shares(plot, shares_title(results), results, path);
        return;
    case Kind::schedule: plot_schedules(plot, results, path);
    }
}

std::vector<Input> fronts_of(const std::vector<std::string> &paths)
{
    std::vector<Input> inputs;
    for (const auto &path : paths) {
        const auto content = read_file(path);
        std::optional<Results> found;
        if (looks_like_json(content)) found = results_in(parse_result(content, path), path);
        if (!found || found->kind != Kind::front)
            refuse(input_name(path),
                   " is no result of hpart pareto; several files are drawn together only if all are fronts");
        std::ranges::move(inputs_of(found->solved, path), std::back_inserter(inputs));
    }
    return inputs;
}

void run_plot(const PlotArguments &arguments)
{
    Plot plot(arguments.output);
    require_writable(arguments.output);
    const auto &path = arguments.inputs.front();
    const auto content = read_file(path);
    std::optional<std::int64_t> size, degree;
    if (arguments.size) size = parse_positive("--size", *arguments.size);
    if (arguments.degree) degree = parse_positive("--smoothed", *arguments.degree);
    if (degree && *degree > 20) refuse("--smoothed is ", *degree, "; it must be from 1 to 20");
    if (size && arguments.inputs.size() > 1) refuse("--size belongs to a single file; there are several");
    const bool is_platform = !looks_like_json(content) && !are_samples(content);
    if (degree && !is_platform) refuse("--smoothed belongs to a platform file, which ", input_name(path), " is not");
    if (arguments.inputs.size() > 1)
        plot_fronts(plot, fronts_of(arguments.inputs));
    else if (looks_like_json(content))
        draw_result(plot, parse_result(content, path), size, path);
    else if (is_platform)
        plot_platform(plot, read_platform(path).get(), path, degree, size);
    else
        plot_samples(plot, content, size, path);
}

} // namespace

Results results_in(const Json &result, const std::string &path)
{
    const auto kind = kind_of(result);
    if (!kind)
        refuse(input_name(path), " is no result of hpart partition, pareto, schedule, run, tune or study with its key "
                                 "'subcommand', and no trace with traceEvents");
    const bool has_several = result.contains("results");
    const auto &all = has_several ? member(result, "results", Json::value_t::array, path) : Json::array({result});
    Results results{*kind, {}, {}};
    for (const auto &each : all) {
        if (kind_of(each) != kind)
            refuse(input_name(path), " has a result whose 'subcommand' is not the one of the whole");
        (has_several && each.contains("reason") ? results.infeasible : results.solved).push_back(each);
    }
    if (results.solved.empty()) refuse(input_name(path), " has no size with a distribution");
    return results;
}

bool looks_like_json(const std::string &content)
{
    const auto first = content.find_first_not_of(" \t\r\n");
    return first != std::string::npos && content[first] == '{';
}

// The parser and the values that it makes call themselves for each level.
void refuse_deep(const std::string &content, const std::string &path)
{
    constexpr int most_levels = 1000;
    int level = 0;
    bool is_text = false;
    for (std::size_t k = 0; k < content.size(); ++k) {
        const char c = content[k];
        if (is_text && c == '\\') ++k;
        if (c == '"') is_text = !is_text;
        if (is_text) continue;
        level += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
        if (level > most_levels) refuse(input_name(path), " is nested too deeply; a result has a few levels");
    }
}

Json parse_result(const std::string &content, const std::string &path)
{
    refuse_deep(content, path);
    try {
        return Json::parse(content);
    } catch (const Json::parse_error &error) {
        if (error.byte > content.size()) refuse(input_name(path), " is not JSON: it ends too early");
        const auto before = std::string_view(content).substr(0, error.byte > 0 ? error.byte - 1 : 0);
        refuse(input_name(path), " is not JSON from line ", 1 + std::count(before.begin(), before.end(), '\n'),
               ", column ", before.size() - (before.rfind('\n') + 1) + 1, " on");
    } catch (const Json::exception &) {
        refuse(input_name(path), " has a number that does not fit");
    }
}

const Json &member(const Json &object, const char *name, Json::value_t type, const std::string &path)
{
    const auto found = object.is_object() ? object.find(name) : object.end();
    if (!object.is_object() || found == object.end() || found->type() != type)
        refuse(input_name(path), " has no ", type_text(type), " '", name, "' where a result has one");
    return *found;
}

double number_member(const Json &object, const char *name, const std::string &path)
{
    const auto found = object.is_object() ? object.find(name) : object.end();
    if (!object.is_object() || found == object.end() || !(found->is_number() || found->is_null()))
        refuse(input_name(path), " has no number '", name, "' where a result has one");
    return found->is_null() ? std::nan("") : found->get<double>();
}

std::string text_member(const Json &object, const char *name, const std::string &path)
{
    return member(object, name, Json::value_t::string, path).get<std::string>();
}

void add_plot(CLI::App &app)
{
    auto arguments = std::make_shared<PlotArguments>();
    auto *sub = app.add_subcommand("plot", "draws functions, fronts, distributions, schedules, gains, densities of "
                                           "samples, and predicted against measured times");
    sub->add_option(
           "FILE", arguments->inputs,
           "platform file or file of samples (CSV), or a result of partition, pareto, schedule, run, tune or study "
           "(JSON); several fronts come into one drawing")
        ->required();
    add_optional(
        *sub, "--size", arguments->size,
        "of a platform file: marks the optimal distribution of this size; of a file of samples, or a result of "
        "several sizes: the size that is drawn")
        ->type_name("N");
    add_optional(
        *sub, "--smoothed", arguments->degree,
        "of a platform file: draws beside the speeds their trend lines of this degree, as smooth-fpm takes them")
        ->type_name("DEGREE");
    sub->add_option("-o,--output", arguments->output, "the drawing; its suffix decides the format")
        ->required()
        ->type_name("OUT.svg|.png|.pdf");
    sub->footer("Needs gnuplot on the PATH.\nExample: hpart plot platform.csv -o platform.svg");
    sub->callback([arguments] { run_plot(*arguments); });
}

} // namespace hpart_command
