#include "comparison.hpp"
#include "core/text.hpp"
#include "file.hpp"
#include "library.hpp"
#include "plot.hpp"
#include "table.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

namespace hpart_command
{

namespace
{

// As `hpart run` says it, in the words that fit below a bar.
std::string comparison_in(const Json &split, const Json &first, const std::string &path)
{
    if (&split == &first || !split.contains("ratio_low") || !split.contains("ratio_high")) return {};
    const double ratio = number_member(split, "ratio", path);
    const Interval interval{number_member(split, "ratio_low", path), number_member(split, "ratio_high", path)};
    switch (compare(interval, split["distribution"] == first["distribution"])) {
    case Comparison::same: return "the same split";
    case Comparison::faster: return fixed_text(ratio, 2) + " x as long";
    case Comparison::slower: return fixed_text(1 / ratio, 2) + " x faster";
    case Comparison::undecided: return "cannot be\ntold apart";
    case Comparison::scattered: break;
    }
    return "cannot be\ncompared";
}

// Else of `hpart tune`; results_in lets no other pass.
bool is_of_run(const Json &result) { return result.at("subcommand") == "run"; }

// The rows of `hpart tune` as splits of `hpart run`; their times or energies are measured, none is predicted.
Json splits_of(const Json &result, const std::string &path)
{
    if (is_of_run(result)) return member(result, "splits", Json::value_t::array, path);
    Json splits = Json::array();
    for (const auto &row : member(result, "baselines", Json::value_t::array, path)) {
        auto split = row;
        split["predicted_seconds"] = nullptr;
        split["measured_seconds"] = number_member(row, row.contains("energy") ? "energy" : "time", path);
        splits.push_back(std::move(split));
    }
    return splits;
}

// Results without an objective are of times.
const hpart::ObjectiveKind &objective_of_result(const Json &result)
{
    const auto *const found = hpart::find_objective(result.value("objective", "time"));
    return found != nullptr ? *found : hpart::objective_kind(hpart::Objective::time);
}

struct Bars {
    std::vector<std::string> names;        // of several lines
    std::vector<std::vector<double>> rows; // predicted, measured, and the ends of its interval
    std::size_t name_lines = 1;
    double longest = 0; // bar
    double highest = 0; // end of an interval
    bool has_interval = false;

    // A wide interval does not flatten the bars: it is cut.
    double top() const
    {
        constexpr double room = 1.12, most = 2.2;
        return longest > 0 ? room * std::min(std::max(longest, highest), most * longest) : 1;
    }
    bool has_cut() const { return highest > top(); }
};

Bars bars_of(const Json &splits, bool are_predicted, const std::string &path)
{
    constexpr std::size_t widest = 17;
    Bars bars;
    for (const auto &split : splits) {
        const double predicted = number_member(split, "predicted_seconds", path);
        const double measured = number_member(split, "measured_seconds", path);
        // A method that has no distribution here.
        if (!std::isfinite(measured) || (are_predicted && !std::isfinite(predicted))) continue;
        auto &label = bars.names.emplace_back(one_line(text_member(split, "method", path)));
        for (const auto &line : distribution_lines(split, widest, path)) label += "\n" + line;
        if (const auto comparison = comparison_in(split, splits.front(), path); !comparison.empty())
            label += "\n" + comparison;
        bars.name_lines = std::max(bars.name_lines, 1 + static_cast<std::size_t>(std::ranges::count(label, '\n')));
        // Without an interval both ends are the value, which draws no whisker.
        const auto end = [&](const char *key) {
            const double value = split.contains(key) ? number_member(split, key, path) : measured;
            return std::isfinite(value) ? value : measured;
        };
        bars.rows.push_back({predicted, measured, end("measured_low"), end("measured_high")});
        bars.longest = std::max(bars.longest, are_predicted ? std::max(predicted, measured) : measured);
        bars.highest = std::max(bars.highest, bars.rows.back()[3]);
        bars.has_interval = bars.has_interval || bars.rows.back()[2] < bars.rows.back()[3];
    }
    return bars;
}

// The numbers stand on the bars, and the whiskers beside them: a number at a whisker's end would be read as that end.
void add_bars(Plot &plot, bool are_predicted, const Bars &bars)
{
    const auto table = plot.add_data({"method", "predicted", "measured", "low", "high"}, bars.rows, bars.names);
    const double top = bars.top();
    const double width = are_predicted ? 1.0 / 3 : 1.0 / 2; // the bars of a cluster and a gap
    const double place = are_predicted ? width / 2 : 0;     // of the measured bar, from the cluster's middle
    constexpr double left = 0.12, right = 0.38;             // of a bar's width
    constexpr const char *labels = " with labels font ',13' offset 0,0.6 notitle";
    if (are_predicted) {
        plot.add_series(table, " using 2:xtic(1) title columnheader(2) lc rgb '", plot_colour(predicted_style), "'");
        plot.add_series("'' skip 1 using ($0-", place, "):2:(sprintf('%.3g', $2))", labels);
    }
    plot.add_series(table, " using 3:xtic(1) title columnheader(3) lc rgb '", plot_colour(measured_style), "'");
    plot.add_series("'' skip 1 using ($0+", place, "-($5 > $4 ? ", left * width, " : 0)):3:(sprintf('%.3g', $3))",
                    labels);
    const auto add_whiskers = [&](const char *which, const char *style, const char *title) {
        plot.add_series("'' skip 1 using ($5 > $4 && $5 ", which, " ", top, " ? $0+", place + right * width,
                        " : NaN):4:(0):(($5 > ", top, " ? ", top, " : $5)-$4) with vectors ", style,
                        " lw 1.5 lc rgb '#222222' title '", title, "'");
    };
    if (bars.has_interval) add_whiskers("<=", "heads size graph 0.008,90", "confidence interval");
    if (bars.has_interval && bars.has_cut()) add_whiskers(">", "head", "interval beyond the axis");
}

} // namespace

void plot_run(Plot &plot, const Json &result, const std::string &path)
{
    const auto splits = splits_of(result, path);
    const bool are_predicted = is_of_run(result);
    auto bars = bars_of(splits, are_predicted, path);
    if (bars.rows.empty()) refuse(input_name(path), " has no split with times; there is nothing to plot");
    const auto scale = scale_for(bars.longest > 0 ? bars.longest : 1);
    for (auto &row : bars.rows)
        for (auto &value : row) value *= scale.factor;
    bars.longest *= scale.factor;
    bars.highest *= scale.factor;

    const auto &objective = objective_of_result(result);
    auto shown = text(objective.quantity, " of ",
                      work_text(number_member(result, "size", path), kernel_in(result, path)), ", per split");
    shown.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(shown.front())));
    const auto title = title_lines(shown, path);
    const auto label_lines = static_cast<int>(bars.name_lines);
    const auto processors = wide_lines("sizes of " + names_text(names_in(result, path)));
    const auto processor_lines = static_cast<int>(processors.size());

    constexpr int least_width = 900, bars_width = 150, frame_width = 120; // a label is as wide as a cluster of bars
    constexpr int axes_height = 360, line_height = 20, legend_room = 58, tics_room = 16;
    constexpr int label_height = 25; // an SVG sets the lines of a label wider apart than a PNG
    const int top = line_height * static_cast<int>(title.size()) + legend_room;
    const int bottom = label_height * label_lines + line_height * processor_lines + tics_room;
    const int width = std::max(least_width, frame_width + bars_width * static_cast<int>(bars.rows.size()));
    const int height = top + axes_height + bottom;
    const auto from_top = [&](int points) { return 1 - static_cast<double>(points) / height; };
    plot.add_line("set style data histogram\nset style histogram clustered gap 1\nset style fill solid 0.9 border -1");
    plot.add_line("set label 1 ", lines_literal(title), " at screen 0.5, screen ", from_top(line_height), " center");
    plot.add_line("set label 2 ", lines_literal(processors), " at screen 0.53, screen ",
                  static_cast<double>(line_height * processor_lines) / height, " center");
    plot.add_line("set ylabel '", objective.quantity, " of the whole [", scale.prefix, objective.unit,
                  "]' offset -1\nset xrange [-0.7:", bars.rows.size() - 1, ".7]\nset yrange [0:", bars.top(),
                  "]\nset lmargin 11");
    plot.add_line("set tmargin at screen ", from_top(top), "\nset bmargin at screen ", from_top(height - bottom),
                  "\nset key at screen 0.53, screen ", from_top(top - legend_room + line_height - 4),
                  " center top horizontal Left reverse samplen 2.5 width -3\nset grid noxtics\nset xtics scale 0");
    add_bars(plot, are_predicted, bars);
    plot.draw(width, height);
}

// Plots of distributions: results of hpart partition.

namespace
{

// The distribution.
std::vector<double> sizes_in(const Json &result, std::size_t processors, const std::string &path)
{
    std::vector<double> sizes;
    for (const auto &size : member(result, "distribution", Json::value_t::array, path)) {
        if (!size.is_number() || size.get<double>() < 0)
            refuse(input_name(path), " has a distribution that is not of sizes");
        sizes.push_back(size.get<double>());
    }
    if (sizes.size() != processors)
        refuse(input_name(path), " has ", hpart::pluralise(sizes.size(), "size"), " for ",
               hpart::pluralise(processors, "processor"));
    return sizes;
}

// A bar a processor.
void add_processor_bars(Plot &plot, const char *quantity, const std::vector<std::string> &names,
                        const std::vector<double> &values, std::size_t colour)
{
    std::vector<std::vector<double>> rows;
    for (const double value : values) rows.push_back({value});
    plot.add_series(plot.add_data({"processor", quantity}, rows, names), " skip 1 using 2:xtic(1) lc rgb '",
                    plot_colour(colour), "'");
}

// The busy share of the time of each processor, in per cent.
std::vector<double> utilisation_in(const Json &result, std::size_t processors, const std::string &path)
{
    std::vector<double> shares;
    const auto found = result.find("utilisation");
    if (found == result.end() || found->is_null()) return shares;
    for (const auto &share : member(result, "utilisation", Json::value_t::array, path))
        shares.push_back(share.is_number() ? 100 * share.get<double>() : 0);
    if (!shares.empty() && shares.size() != processors)
        refuse(input_name(path), " has the utilisation of ", hpart::pluralise(shares.size(), "processor"), ", not of ",
               processors);
    return shares;
}

} // namespace

std::vector<std::string> names_in(const Json &result, const std::string &path)
{
    std::vector<std::string> names;
    for (const auto &name : member(result, "processors", Json::value_t::array, path)) {
        if (!name.is_string()) refuse(input_name(path), " has a processor whose name is no text");
        names.push_back(name.get<std::string>());
    }
    return names;
}

void plot_partition(Plot &plot, const Json &result, const std::string &path)
{
    const auto names = names_in(result, path);
    const auto sizes = sizes_in(result, names.size(), path);
    if (names.empty()) refuse(input_name(path), " gives no processor any work; there is nothing to plot");
    const auto utilisation = utilisation_in(result, names.size(), path);
    const bool has_two = !utilisation.empty();
    if (has_two) plot.add_line("set multiplot layout 2,1");
    const auto title =
        text("Distribution of ", size_text(number_member(result, "size", path), kernel_in(result, path)), " by method ",
             text_member(result, "method", path), " for ", text_member(result, "objective", path), ": ",
             seconds_text(number_member(result, "time", path)));
    plot.add_line("set title ", lines_literal(title_lines(title, path)));
    plot.add_line("set style data histogram\nset style histogram rowstacked\nset style fill solid 0.9 border -1\n"
                  "set boxwidth 0.6\nset key off\nset grid noxtics\nset xtics scale 0\nset lmargin 11\nset bmargin 4\n"
                  "set ylabel 'size' offset -1\nset xlabel 'processor'\nset yrange [0:*]\n"
                  "set offsets 0, 0, graph 0.08, 0");
    add_processor_bars(plot, "size", names, sizes, 0);
    plot.add_series("'' skip 1 using 0:2:(sprintf('%.15g', $2)) with labels offset 0,0.6");
    if (has_two) {
        plot.end_panel();
        plot.add_line("unset title\nset ylabel 'utilisation [%]' offset -1\nset yrange [0:100]");
        add_processor_bars(plot, "utilisation", names, utilisation, 2);
        plot.end_panel();
        plot.add_line("unset multiplot");
    }
    constexpr int width = 900, height = 520;
    plot.draw(width, has_two ? 2 * height : height);
}

std::string shares_title(const std::vector<Json> &results)
{
    const auto word = [&](const char *key) {
        const auto value = results.front().value(key, Json());
        return value.is_string() ? value.get<std::string>() : std::string("unknown");
    };
    return text("Distributions by size: method ", word("method"), ", for ", word("objective"));
}

// The last of too many blocks has the rest.
void plot_shares(Plot &plot, const std::string &shown, const std::vector<Json> &results, const std::string &path)
{
    constexpr int width = 900, height = 520;
    constexpr std::size_t most_blocks = 12;
    std::vector<std::string> blocks;
    std::vector<std::vector<double>> bars;
    for (const auto &result : results) {
        const auto names = names_in(result, path);
        const auto sizes = sizes_in(result, names.size(), path);
        if (blocks.empty()) blocks = names;
        if (names.size() != blocks.size()) refuse(input_name(path), " has results of different processors");
        auto &bar = bars.emplace_back(1, number_member(result, "size", path));
        double sum = 0;
        for (const double size : sizes) bar.push_back(100 * (sum += size) / bar.front());
        if (bar.size() > most_blocks + 1) {
            bar.resize(most_blocks);
            bar.push_back(100);
        }
    }
    if (bars.empty()) refuse(input_name(path), " has no distribution; there is nothing to plot");
    if (blocks.size() > most_blocks) {
        const auto more = text(blocks.size() - most_blocks + 1, " more");
        blocks.resize(most_blocks);
        blocks.back() = more;
    }
    std::vector<std::string> titles = {"size"};
    titles.insert(titles.end(), blocks.begin(), blocks.end());
    const auto table = plot.add_data(titles, bars);
    // Bars stand side by side, also where the sizes are uneven.
    constexpr std::size_t most_tics = 12;
    std::string tics;
    for (std::size_t k = 0; k < bars.size(); k += (bars.size() + most_tics - 1) / most_tics)
        tics += text(tics.empty() ? "'" : ", '", whole_text(bars[k].front()), "' ", k);
    // A bar covers the lower part of the one before it.
    for (auto i = blocks.size(); i-- > 0;)
        plot.add_series(table, " skip 1 using 0:", i + 2, " with boxes lc rgb '", plot_colour(i), "' title ",
                        plot_literal(blocks[i]));
    plot.add_line("set title ", lines_literal(title_lines(shown, path)));
    plot.add_line("set style fill solid 0.9 border -1\nset boxwidth 1\n"
                  "set key outside right reverse Left noenhanced\nset xlabel 'size'\n"
                  "set ylabel 'share [%]' offset -1\nset yrange [0:100]\nset lmargin 9");
    plot.add_line("set xrange [-0.5:", bars.size() - 1, ".5]\nset xtics (", tics, ") scale 0");
    plot.draw(width, height);
}

// The trace of an operation out of card: the commands of each queue over time.

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
    TimeAxis axis{length, 0};
    std::vector<TimeRow> rows;
    constexpr double least_gap = 1.0 / 1500; // of the drawing's width: nobody sees a smaller one
    for (const auto &line : lines) {
        auto &row = rows.emplace_back(
            TimeRow{text(shortened(line.name), "  ", std::llround(100 * line.seconds / length), " %"), rows.size()});
        axis.longest_label = std::max(axis.longest_label, row.label.size());
        for (const auto &[begin, end] : united(line.busy, length * least_gap))
            row.blocks.push_back({begin - first, end - first});
    }
    const auto missing = left_out(trace);
    const auto title = text("Commands of ", seconds_text(length), missing > 0 ? text(" (", missing, " left out)") : "",
                            ", and each line's busy part");
    plot.add_line("set title ", lines_literal(title_lines(title, path)));
    plot.add_line("set key off\nset style fill solid 0.9 noborder\nset grid noytics");
    add_time_rows(plot, axis, rows, 0.6);
    constexpr int width = 900, row_height = 44, frame_height = 120;
    plot.draw(width, frame_height + row_height * static_cast<int>(std::min<std::size_t>(lines.size(), 60)));
}

} // namespace hpart_command
