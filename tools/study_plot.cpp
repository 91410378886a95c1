// Drawings of a study: gains against size, distributions, functions, predicted against measured.

#include "core/text.hpp"
#include "file.hpp"
#include "library.hpp"
#include "plot.hpp"
#include "study.hpp"
#include "table.hpp"
#include "team.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numbers>
#include <set>

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
        Curve curve{method, style++};
        if (!compared.contains(method)) continue;
        for (const auto &size : study.list(study.result, "sizes"))
            for (const auto &row : study.list(size, "methods"))
                if (text_member(row, "method", study.path) == method)
                    curve.add(number_member(size, "size", study.path), 100 * study.number(row, kind.key));
        panel.add(std::move(curve));
    }
    return panel;
}

// The fastest distributions as predicted and as they ran.
Panel prediction(const Source &study, bool is_of_time)
{
    Curve predicted{is_of_time ? "predicted" : "predicted: sum of the functions", predicted_style};
    Curve measured{is_of_time ? "measured" : "measured together", measured_style};
    for (const auto &size : study.list(study.result, "sizes")) {
        const auto &rows = study.list(size, "methods");
        if (rows.empty() || !rows.front().contains("measured_seconds")) continue;
        const auto &row = rows.front();
        const double at = number_member(size, "size", study.path);
        const auto value = study.number(row, is_of_time ? "measured_seconds" : "measured_joules");
        const auto error = study.number(row, "measured_joules_error");
        const std::string key = is_of_time ? "time" : "energy";
        predicted.add(at, study.number(row, key.c_str()), study.interval(row, key));
        measured.add(at, value, is_of_time ? study.interval(row, "measured") : Interval{value - error, value + error});
    }
    Panel panel;
    panel.add(std::move(predicted));
    panel.add(std::move(measured));
    const auto prefix = rescale(panel).prefix;
    panel.label = is_of_time ? text("time [", prefix, "s]") : text("dynamic energy [", prefix, "J]");
    return panel;
}

// "Time saved by optimal distributions: dgemm n=256 k=256 by cpu:0 and cpu:1 (p.csv)": the file is the platform's.
std::vector<std::string> study_title(const std::string &shown, const Json &result, const std::string &path)
{
    const auto platform = result.value("platform", Json::object());
    const auto kernel = kernel_in(platform, path);
    const auto file = platform.contains("file") ? text_member(platform, "file", path) : path;
    const auto names = processors_text(names_in(result, path));
    const auto whose = is_of_programs(kernel) ? "the programs of " : kernel.empty() ? "" : kernel + " by ";
    return title_lines(text(shown, ": ", whose, names), file);
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

std::vector<std::string> drawings_of_study()
{
    std::vector<std::string> names{"run.svg", "run-energy.svg", "distributions.svg", "functions.svg"};
    for (const auto &kind : gain_kinds) names.push_back(text(kind.file, ".svg"));
    return names;
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

// Results of `hpart schedule` as Gantt charts, one below the other.

namespace
{

constexpr int chart_width = 900, row_height = 52, chart_title = 55, axis_height = 80;
constexpr std::size_t most_charts = 12;

struct Package {
    double size, seconds, repeats;
};

struct Queue {
    std::string name;
    std::vector<Package> packages;
    double seconds() const
    {
        double sum = 0;
        for (const auto &package : packages) sum += package.repeats * package.seconds;
        return sum;
    }
};

std::vector<Queue> queues_in(const Json &result, const std::string &path)
{
    std::vector<Queue> queues;
    std::map<std::string, std::size_t> index;
    for (const auto &task : member(result, "tasks", Json::value_t::array, path)) {
        const auto name = text_member(task, "processor", path);
        const auto [found, is_new] = index.emplace(name, queues.size());
        if (is_new) queues.push_back({name, {}});
        queues[found->second].packages.push_back({number_member(task, "size", path), number_member(task, "time", path),
                                                  number_member(task, "repeats", path)});
    }
    return queues;
}

// A schedule. Its size and its places are in points of the drawing.
struct Chart {
    double size, makespan, measured;
    std::vector<Queue> queues;

    double end() const
    {
        double end = std::fmax(0.0, std::fmax(makespan, measured));
        for (const auto &queue : queues) end = std::max(end, queue.seconds());
        return std::isfinite(end) ? end : 0;
    }
    int height() const
    {
        constexpr std::size_t most_rows = 60;
        return row_height * static_cast<int>(std::min(queues.size(), most_rows)) + chart_title + axis_height;
    }
};

Chart chart_of(const Json &result, const std::string &path)
{
    const bool was_run = result.contains("measured_makespan");
    return {number_member(result, "size", path), number_member(result, "makespan", path),
            was_run ? number_member(result, "measured_makespan", path) : std::nan(""), queues_in(result, path)};
}

// Packages of one size are one block where they would be too narrow to see: a third of a character. Blocks side by side are told
// apart by their borders and the sizes in them.
TimeRow row_of(const Queue &queue, double character)
{
    TimeRow row{queue.name, predicted_style};
    double at = 0;
    for (const auto &[size, seconds, repeats] : queue.packages) {
        const bool is_one = !(3 * seconds >= character && std::isfinite(repeats));
        const double length = is_one ? repeats * seconds : seconds;
        const auto label = is_one && repeats > 1 ? whole_text(repeats) + " x " + whole_text(size) : whole_text(size);
        for (auto left = is_one ? 1 : std::llround(repeats); left > 0; --left) {
            row.blocks.push_back({at, at + length, label});
            at += length;
        }
    }
    return row;
}

// Common to all charts of a drawing.
struct Frame {
    TimeAxis axis;
    int height;
    int top; // of the next chart
    std::string path;
};

void add_chart(Plot &plot, const Chart &chart, const Frame &frame)
{
    std::vector<TimeRow> rows;
    for (const auto &queue : chart.queues) rows.push_back(row_of(queue, frame.axis.character()));
    const auto place = [&](int from_top) { return 1 - static_cast<double>(from_top) / frame.height; };
    const auto title = text("Size ", whole_text(chart.size), " in packages, makespan ", seconds_text(chart.makespan));
    plot.add_line("unset arrow\nunset label\nset title ", lines_literal(title_lines(title, frame.path)));
    add_time_rows(plot, frame.axis, rows, 1);
    plot.add_line("set tmargin at screen ", place(frame.top + chart_title), "\nset bmargin at screen ",
                  place(frame.top + chart.height() - axis_height));
    const double factor = frame.axis.scale.factor;
    const auto add_end = [&](double seconds, const char *label, int line, std::size_t colour) {
        if (std::isfinite(seconds))
            plot.add_line("set arrow from ", seconds * factor, ", graph 0 to ", seconds * factor,
                          ", graph 1 nohead lw 2 dt 2 lc rgb '", plot_colour(colour), "' front\nset label '", label,
                          "' at ", std::fmin(chart.makespan, chart.measured) * factor, ", graph 1 right offset -0.6, -",
                          line, " textcolor rgb '", plot_colour(colour), "' front");
    };
    add_end(chart.makespan, "makespan", 0, 1);
    add_end(chart.measured, "measured", 1, 3);
    plot.end_panel();
}

} // namespace

void plot_schedules(Plot &plot, const std::vector<Json> &results, const std::string &path)
{
    std::vector<Chart> charts;
    for (const auto &result : results)
        if (auto chart = chart_of(result, path); !chart.queues.empty()) charts.push_back(std::move(chart));
    if (charts.empty()) refuse(input_name(path), " gives no processor any work; there is nothing to plot");
    if (charts.size() > most_charts)
        refuse(input_name(path), " has schedules of ", charts.size(), " sizes; a drawing shows at most ", most_charts,
               ": choose one by --size");
    double longest = 0;
    std::size_t longest_name = 0;
    int height = 0;
    for (const auto &chart : charts) {
        longest = std::max(longest, chart.end());
        height += chart.height();
        for (const auto &queue : chart.queues) longest_name = std::max(longest_name, plot_literal(queue.name).size());
    }
    if (!(longest > 0)) longest = 1;
    constexpr double room = 1.04;
    Frame frame{{room * longest, longest_name, scale_for(longest)}, height, 0, path};
    plot.add_line("set multiplot\nset key off\nset style fill solid 0.9 border lc rgb 'white'\nset grid noytics");
    for (const auto &chart : charts) {
        add_chart(plot, chart, frame);
        frame.top += chart.height();
    }
    plot.add_line("unset multiplot");
    plot.draw(chart_width, height);
}

// The density of samples by Gaussian kernels. Source of the bandwidth: Silverman, Density Estimation, 1986, 3.31.

namespace
{

constexpr std::string_view header = "processor,size,repetition,seconds,outlier";

struct Samples {
    std::vector<std::string> names; // in the file's order
    std::map<std::string, std::map<std::int64_t, std::vector<double>>> seconds;
    std::set<std::int64_t> sizes;
};

Samples parse_samples(std::string_view content, const std::string &path)
{
    Samples out;
    std::size_t number = 0;
    while (!content.empty()) {
        const auto line = hpart::trim(content.substr(0, content.find('\n')));
        content.remove_prefix(std::min(content.find('\n'), content.size() - 1) + 1);
        if (++number == 1 || line.empty()) continue;
        std::array<std::string_view, 5> fields;
        auto rest = line;
        for (auto &field : fields) {
            field = rest.substr(0, rest.find(','));
            rest.remove_prefix(std::min(field.size() + 1, rest.size()));
        }
        const auto size = hpart::parse_int(fields[1]);
        const auto seconds = hpart::parse_double(fields[3]);
        if (!size || !seconds || !std::isfinite(*seconds) || fields[0].empty())
            refuse(input_name(path), ", line ", number, ", is ", in_quotes(line), "; it must be as ", header);
        const std::string name(fields[0]);
        if (!out.seconds.contains(name)) out.names.push_back(name);
        out.seconds[name][*size].push_back(*seconds);
        out.sizes.insert(*size);
    }
    return out;
}

double bandwidth_of(const std::vector<double> &sorted)
{
    const auto n = static_cast<double>(sorted.size());
    double mean = 0, squares = 0;
    for (const double value : sorted) mean += value / n;
    for (const double value : sorted) squares += (value - mean) * (value - mean);
    const double quartiles = sorted[sorted.size() * 3 / 4] - sorted[sorted.size() / 4];
    double spread = std::sqrt(squares / std::max(n - 1, 1.0));
    if (quartiles > 0) spread = std::min(spread, quartiles / 1.34);
    return 0.9 * spread * std::pow(n, -0.2);
}

// Empty if all samples are equal.
Curve density_of(std::vector<double> samples)
{
    constexpr double reach = 3, points_a_bandwidth = 4, least_count = 256, most_count = 2000;
    std::sort(samples.begin(), samples.end());
    Curve curve;
    const double width = bandwidth_of(samples);
    if (!(width > 0)) return curve;
    const double begin = samples.front() - reach * width, length = samples.back() + reach * width - begin;
    const auto points =
        static_cast<int>(std::clamp(std::ceil(points_a_bandwidth * length / width), least_count, most_count));
    const double unit = 1 / (static_cast<double>(samples.size()) * width * std::sqrt(2 * std::numbers::pi));
    for (int k = 0; k <= points; ++k) {
        const double at = begin + length * k / points;
        double sum = 0;
        for (const double value : samples) sum += std::exp(-0.5 * (at - value) * (at - value) / (width * width));
        curve.add(at, sum * unit);
    }
    return curve;
}

} // namespace

bool are_samples(const std::string &content) { return content.starts_with(header); }

void plot_samples(Plot &plot, const std::string &content, std::optional<std::int64_t> size, const std::string &path)
{
    const auto samples = parse_samples(content, path);
    if (samples.sizes.empty()) refuse(input_name(path), " has no samples; there is nothing to plot");
    if (!size && samples.sizes.size() > 1)
        refuse(input_name(path), " has samples of ", samples.sizes.size(), " sizes, ", *samples.sizes.begin(), " to ",
               *samples.sizes.rbegin(), "; choose one with --size");
    const auto chosen = size.value_or(*samples.sizes.begin());
    if (!samples.sizes.contains(chosen))
        refuse("--size is ", chosen, ", of which ", input_name(path), " has no samples");
    Panel panel;
    double longest = 0;
    for (std::size_t i = 0; i < samples.names.size(); ++i) {
        const auto &sizes = samples.seconds.at(samples.names[i]);
        const auto found = sizes.find(chosen);
        if (found == sizes.end()) continue;
        auto curve = density_of(found->second);
        if (curve.points.empty()) continue;
        curve.name = text(samples.names[i], ", ", found->second.size(), " samples");
        curve.style = i;
        longest = std::max(longest, curve.points.back().size);
        panel.curves.push_back(std::move(curve));
    }
    if (panel.curves.empty())
        refuse(input_name(path), " has equal samples only at size ", chosen, "; they have no density");
    const auto scale = scale_for(longest);
    for (auto &curve : panel.curves)
        for (auto &point : curve.points) point = {point.size * scale.factor, point.value / scale.factor};
    panel.label = text("density [1/", scale.prefix, "s]");
    draw_panels(plot, title_lines(text("Density of the samples of size ", chosen), path),
                text("time [", scale.prefix, "s]"), {panel});
}

} // namespace hpart_command
