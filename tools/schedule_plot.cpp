// Results of `hpart schedule` as Gantt charts, one below the other.
#include "failure.hpp"
#include "file.hpp"
#include "plots.hpp"
#include "table.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace hpart_command
{

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

// Blocks side by side are told apart by their borders and the sizes in them.
struct Blocks {
    std::vector<std::vector<double>> rows; // x, y, begin, end, lower and upper end
    std::vector<std::vector<double>> places;
    std::vector<std::string> labels;

    // character: its width, in the unit of the times.
    void add(double begin, double end, double row, const std::string &label, double character)
    {
        constexpr double half_height = 0.32;
        rows.push_back({(begin + end) / 2, row, begin, end, row - half_height, row + half_height});
        if (end - begin < character * static_cast<double>(label.size() + 1)) return;
        places.push_back({(begin + end) / 2, row});
        labels.push_back(label);
    }
};

// Packages of one size are one block where they would be too narrow to see: a third of a character.
Blocks blocks_of(const Queue &queue, double row, double factor, double character)
{
    Blocks blocks;
    double at = 0;
    for (const auto &[size, seconds, repeats] : queue.packages) {
        const bool is_one = !(3 * seconds * factor >= character && std::isfinite(repeats));
        const auto blocks_here = is_one ? 1 : std::llround(repeats);
        const double length = factor * (is_one ? repeats * seconds : seconds);
        const auto label = is_one && repeats > 1 ? whole_text(repeats) + " x " + whole_text(size) : whole_text(size);
        for (std::int64_t k = 0; k < blocks_here; ++k) {
            blocks.add(at, at + length, row, label, character);
            at += length;
        }
    }
    return blocks;
}

// Common to all charts of a drawing.
struct Frame {
    Scale scale;
    double longest = 0; // seconds
    std::size_t longest_name = 0;
    int height = 0;
    int top = 0; // of the next chart
    std::string path{};
};

void add_chart(Plot &plot, const Chart &chart, const Frame &frame)
{
    const double factor = frame.scale.factor;
    const auto &queues = chart.queues;
    // In widths of the drawing.
    constexpr double character_width = 0.0105, axis_right = 0.97, room = 1.04;
    const double axis_left = 0.01 + character_width * static_cast<double>(frame.longest_name);
    const double character = character_width * room * frame.longest * factor / (axis_right - axis_left);
    std::string tics, command;
    for (std::size_t i = 0; i < queues.size(); ++i) {
        const auto row = static_cast<double>(queues.size() - i);
        tics += text(tics.empty() ? "" : ", ", tic_literal(queues[i].name), " ", row);
        const auto blocks = blocks_of(queues[i], row, factor, character);
        command += text(command.empty() ? "plot '" : ", '",
                        plot.add_data({"at", "row", "begin", "end", "low", "high"}, blocks.rows),
                        "' skip 1 using 1:2:3:4:5:6 with boxxyerror lc rgb '", plot_colour(5), "'");
        if (!blocks.labels.empty())
            command += text(", '", plot.add_data({"size", "at", "row"}, blocks.labels, blocks.places),
                            "' skip 1 using 2:3:1 with labels");
    }
    const auto place = [&](int from_top) { return 1 - static_cast<double>(from_top) / frame.height; };
    plot.add_line(text(
        "unset arrow\nunset label\nset title ",
        lines_literal(wide_lines(
            title_text(text("Size ", whole_text(chart.size), " in packages, makespan ", seconds_text(chart.makespan)),
                       frame.path))),
        "\nset xlabel 'time [", frame.scale.prefix, "s]'\nset ytics (", tics,
        ") scale 0\nset yrange [0.4:", queues.size() + 1, "]\nset xrange [0:", room * frame.longest * factor,
        "]\nset lmargin at screen ", axis_left, "\nset rmargin at screen ", axis_right, "\nset tmargin at screen ",
        place(frame.top + chart_title), "\nset bmargin at screen ", place(frame.top + chart.height() - axis_height)));
    const auto add_end = [&](double seconds, const char *label, int line, std::size_t colour) {
        if (std::isfinite(seconds))
            plot.add_line(text("set arrow from ", seconds * factor, ", graph 0 to ", seconds * factor,
                               ", graph 1 nohead lw 2 dt 2 lc rgb '", plot_colour(colour), "' front\nset label '",
                               label, "' at ", std::fmin(chart.makespan, chart.measured) * factor,
                               ", graph 1 right offset -0.6, -", line, " textcolor rgb '", plot_colour(colour),
                               "' front"));
    };
    add_end(chart.makespan, "makespan", 0, 1);
    add_end(chart.measured, "measured", 1, 3);
    plot.add_line(command);
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
    Frame frame{scale_for(longest), longest, longest_name, height, 0, path};
    plot.add_line("set multiplot\nset key off\nset style fill solid 0.9 border lc rgb 'white'\nset grid noytics");
    for (const auto &chart : charts) {
        add_chart(plot, chart, frame);
        frame.top += chart.height();
    }
    plot.add_line("unset multiplot");
    plot.draw(chart_width, height);
}

} // namespace hpart_command
