// The trace of an operation out of card: the commands of each queue over time.
#include "core/text.hpp"
#include "failure.hpp"
#include "file.hpp"
#include "plots.hpp"
#include "table.hpp"

#include <algorithm>
#include <cmath>

namespace hpart_command
{

namespace
{

using Intervals = std::vector<std::array<double, 2>>; // begin and end, in seconds

// Those that are apart by more than `gap`, in order.
Intervals united(Intervals intervals, double gap)
{
    std::sort(intervals.begin(), intervals.end());
    Intervals result;
    for (const auto &[begin, end] : intervals)
        if (result.empty() || begin > result.back()[1] + gap)
            result.push_back({begin, end});
        else
            result.back()[1] = std::max(result.back()[1], end);
    return result;
}

// 0 in the traces of other programs.
std::int64_t left_out(const Json &trace)
{
    const auto data = trace.find("otherData");
    if (data == trace.end() || !data->is_object()) return 0;
    const auto count = data->find("commands left out");
    return count != data->end() && count->is_number_integer() ? count->get<std::int64_t>() : 0;
}

// The end of a long name, which tells it from others: gnuplot cuts labels at 50 bytes.
std::string shortened(std::string_view name)
{
    constexpr std::size_t longest = 36;
    if (name.size() <= longest) return std::string(name);
    auto end = name.substr(name.size() - longest);
    while (hpart::utf8_length(end) == 0 && end.size() > 1) end.remove_prefix(1);
    return text("\u2026", end);
}

std::map<std::string, Intervals> commands_in(const Json &trace, const std::string &path)
{
    constexpr double microsecond = 1e-6;
    std::map<double, std::string> names;
    std::map<std::string, Intervals> commands;
    const auto &events = member(trace, "traceEvents", Json::value_t::array, path);
    for (const auto &event : events)
        if (text_member(event, "ph", path) == "M" && text_member(event, "name", path) == "thread_name")
            names[number_member(event, "tid", path)] =
                text_member(member(event, "args", Json::value_t::object, path), "name", path);
    for (const auto &event : events) {
        if (text_member(event, "ph", path) != "X") continue;
        const auto thread = number_member(event, "tid", path);
        const auto begin = number_member(event, "ts", path) * microsecond;
        const auto seconds = number_member(event, "dur", path) * microsecond;
        if (!std::isfinite(begin) || !(seconds >= 0) || !std::isfinite(seconds)) continue;
        const auto name = names.find(thread);
        commands[name == names.end() ? text("line ", thread) : name->second].push_back({begin, begin + seconds});
    }
    return commands;
}

} // namespace

std::vector<TraceLine> trace_lines(const Json &trace, const std::string &path)
{
    std::vector<TraceLine> lines;
    for (const auto &[name, commands] : commands_in(trace, path)) {
        TraceLine line{name, commands.size(), 0, united(commands, 0)};
        for (const auto &[begin, end] : line.busy) line.seconds += end - begin;
        lines.push_back(std::move(line));
    }
    if (lines.empty()) refuse(input_name(path), " is a trace without commands; there is nothing to plot");
    return lines;
}

void plot_trace(Plot &plot, const Json &trace, const std::string &path)
{
    const auto lines = trace_lines(trace, path);
    double first = lines.front().busy.front()[0], last = first;
    for (const auto &line : lines)
        first = std::min(first, line.busy.front()[0]), last = std::max(last, line.busy.back()[1]);
    const double length = last > first ? last - first : 1;
    const auto scale = scale_for(length);
    // In widths of the drawing; gaps that nobody sees are not drawn.
    constexpr double character_width = 0.0105, axis_right = 0.97, least_gap = 1.0 / 1500;
    std::size_t longest_name = 0;
    std::string tics, command;
    for (std::size_t i = 0; i < lines.size(); ++i) {
        const auto row = static_cast<double>(lines.size() - i);
        const auto label = text(shortened(lines[i].name), "  ", std::llround(100 * lines[i].seconds / length), " %");
        longest_name = std::max(longest_name, label.size());
        tics += text(tics.empty() ? "" : ", ", tic_literal(label), " ", row);
        constexpr double half_height = 0.32;
        std::vector<std::vector<double>> boxes;
        for (const auto &[begin, end] : united(lines[i].busy, length * least_gap)) {
            const double from = (begin - first) * scale.factor, to = (end - first) * scale.factor;
            boxes.push_back({(from + to) / 2, row, from, to, row - half_height, row + half_height});
        }
        command +=
            text(command.empty() ? "plot '" : ", '", plot.add_data({"at", "row", "begin", "end", "low", "high"}, boxes),
                 "' skip 1 using 1:2:3:4:5:6 with boxxyerror lc rgb '", plot_colour(i % colours), "'");
    }
    const auto missing = left_out(trace);
    const auto title = text("Commands of ", seconds_text(length), missing > 0 ? text(" (", missing, " left out)") : "",
                            ", and each line's busy part");
    plot.add_line(text("set title ", lines_literal(wide_lines(title_text(title, path)))));
    plot.add_line(
        text("set key off\nset style fill solid 0.9 noborder\nset grid noytics\nset xlabel 'time [", scale.prefix,
             "s]'\nset ytics (", tics, ") scale 0\nset yrange [0.4:", static_cast<double>(lines.size()) + 0.6,
             "]\nset xrange [0:", length * scale.factor, "]\nset lmargin at screen ",
             0.01 + character_width * static_cast<double>(longest_name), "\nset rmargin at screen ", axis_right));
    plot.add_line(command);
    constexpr int width = 900, row_height = 44, frame_height = 120;
    plot.draw(width, frame_height + row_height * static_cast<int>(std::min<std::size_t>(lines.size(), 60)));
}

} // namespace hpart_command
