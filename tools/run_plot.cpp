#include "failure.hpp"
#include "file.hpp"
#include "plots.hpp"
#include "split_runner.hpp"
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

// The rows of `hpart tune` as splits of `hpart run`; their times or energies are measured, none is predicted.
Json splits_of(const Json &result, const std::string &path)
{
    if (!result.contains("baselines")) return member(result, "splits", Json::value_t::array, path);
    Json splits = Json::array();
    for (const auto &row : member(result, "baselines", Json::value_t::array, path)) {
        auto split = row;
        split["predicted_seconds"] = nullptr;
        split["measured_seconds"] = number_member(row, row.contains("energy") ? "energy" : "time", path);
        splits.push_back(std::move(split));
    }
    return splits;
}

std::string quantity_of(const Json &objective)
{
    if (objective == "sum-time") return "sum of times";
    if (objective == "energy") return "dynamic energy";
    return objective == "total-energy" ? "total energy" : "time";
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
// top: of the axis.
std::string bars_command(const std::string &table, bool are_predicted, const Bars &bars, double top)
{
    const double width = are_predicted ? 1.0 / 3 : 1.0 / 2; // the bars of a cluster and a gap
    const double place = are_predicted ? width / 2 : 0;     // of the measured bar, from the cluster's middle
    constexpr double left = 0.12, right = 0.38;             // of a bar's width
    std::string command = "plot ";
    if (are_predicted)
        command += text("'", table, "' using 2:xtic(1) title columnheader(2) lc rgb '", plot_colour(predicted_style),
                        "', '' skip 1 using ($0-", place,
                        "):2:(sprintf('%.3g', $2)) with labels font ',13' offset 0,0.6 notitle, ");
    command += text("'", table, "' using 3:xtic(1) title columnheader(3) lc rgb '", plot_colour(measured_style),
                    "', '' skip 1 using ($0+", place, "-($5 > $4 ? ", left * width,
                    " : 0)):3:(sprintf('%.3g', $3)) with labels font ',13' offset 0,0.6 notitle");
    if (!bars.has_interval) return command;
    const auto whiskers = [&](const char *which, const char *style) {
        return text(", '' skip 1 using ($5 > $4 && $5 ", which, " ", top, " ? $0+", place + right * width,
                    " : NaN):4:(0):(($5 > ", top, " ? ", top, " : $5)-$4) with vectors ", style,
                    " lw 1.5 lc rgb '#222222' title ");
    };
    command += whiskers("<=", "heads size graph 0.008,90") + "'confidence interval'";
    if (bars.has_cut()) command += whiskers(">", "head") + "'interval beyond the axis'";
    return command;
}

} // namespace

void plot_run(Plot &plot, const Json &result, const std::string &path)
{
    const auto splits = splits_of(result, path);
    const bool are_predicted = result.contains("splits");
    auto bars = bars_of(splits, are_predicted, path);
    if (bars.rows.empty()) refuse(input_name(path), " has no split with times; there is nothing to plot");
    const auto scale = scale_for(bars.longest > 0 ? bars.longest : 1);
    for (auto &row : bars.rows)
        for (auto &value : row) value *= scale.factor;
    bars.longest *= scale.factor;
    bars.highest *= scale.factor;

    const auto quantity = quantity_of(result.value("objective", Json()));
    const auto *const unit = quantity.ends_with("energy") ? "J" : "s";
    auto shown =
        text(quantity, " of ", work_text(number_member(result, "size", path), kernel_in(result, path)), ", per split");
    shown.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(shown.front())));
    const auto title = wide_lines(title_text(shown, path));
    const auto table = plot.add_data({"method", "predicted", "measured", "low", "high"}, bars.names, bars.rows);
    const auto title_lines = static_cast<int>(title.size()), label_lines = static_cast<int>(bars.name_lines);
    const auto processors = wide_lines("sizes of " + names_text(names_in(result, path)));
    const auto processor_lines = static_cast<int>(processors.size());

    constexpr int least_width = 900, bars_width = 150, frame_width = 120; // a label is as wide as a cluster of bars
    constexpr int axes_height = 360, line_height = 20, legend_room = 58, tics_room = 16;
    constexpr int label_height = 25; // an SVG sets the lines of a label wider apart than a PNG
    const int top = line_height * title_lines + legend_room;
    const int bottom = label_height * label_lines + line_height * processor_lines + tics_room;
    const int width = std::max(least_width, frame_width + bars_width * static_cast<int>(bars.rows.size()));
    const int height = top + axes_height + bottom;
    const auto from_top = [&](int points) { return 1 - static_cast<double>(points) / height; };
    plot.add_line("set style data histogram\nset style histogram clustered gap 1\nset style fill solid 0.9 border -1");
    plot.add_line(
        text("set label 1 ", lines_literal(title), " at screen 0.5, screen ", from_top(line_height), " center"));
    plot.add_line(text("set label 2 ", lines_literal(processors), " at screen 0.53, screen ",
                       static_cast<double>(line_height * processor_lines) / height, " center"));
    plot.add_line(text("set ylabel '", quantity, " of the whole [", scale.prefix, unit,
                       "]' offset -1\nset xrange [-0.7:", bars.rows.size() - 1, ".7]\nset yrange [0:", bars.top(),
                       "]\nset lmargin 11"));
    plot.add_line(
        text("set tmargin at screen ", from_top(top), "\nset bmargin at screen ", from_top(height - bottom),
             "\nset key at screen 0.53, screen ", from_top(top - legend_room + line_height - 4),
             " center top horizontal Left reverse samplen 2.5 width -3\nset grid noxtics\nset xtics scale 0"));
    plot.add_line(bars_command(table, are_predicted, bars, bars.top()));
    plot.draw(width, height);
}

} // namespace hpart_command
