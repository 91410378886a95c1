#include "failure.hpp"
#include "file.hpp"
#include "plots.hpp"
#include "programs.hpp"
#include "split_runner.hpp"
#include "table.hpp"

#include <algorithm>
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

// "64 | 128 | 0", in lines that are no wider than a method's bars. Three dots stand for the rest.
std::vector<std::string> distribution_lines(const Json &split, const std::string &path)
{
    constexpr std::size_t widest = 17, most_lines = 3;
    std::vector<std::string> lines;
    const auto sizes = split.value("distribution", Json());
    for (std::size_t i = 0; sizes.is_array() && i < sizes.size(); ++i) {
        if (!sizes[i].is_number()) refuse(input_name(path), " has a distribution that is not of sizes");
        const auto part = text(sizes[i].get<double>(), i + 1 < sizes.size() ? " |" : "");
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

} // namespace

void plot_run(Plot &plot, const Json &result, const std::string &path)
{
    const auto &splits = member(result, "splits", Json::value_t::array, path);
    std::vector<std::string> names;
    std::vector<std::vector<double>> rows;
    std::size_t label_lines = 1;
    double most = 0;
    bool has_interval = false;
    for (const auto &split : splits) {
        const double predicted = number_member(split, "predicted_seconds", path);
        const double measured = number_member(split, "measured_seconds", path);
        if (!std::isfinite(predicted) || !std::isfinite(measured)) continue; // a method that has no distribution here
        auto &label = names.emplace_back(one_line(text_member(split, "method", path)));
        for (const auto &line : distribution_lines(split, path)) label += "\n" + line;
        if (const auto comparison = comparison_in(split, splits.front(), path); !comparison.empty())
            label += "\n" + comparison;
        label_lines = std::max(label_lines, 1 + static_cast<std::size_t>(std::ranges::count(label, '\n')));
        // Without an interval both ends are the value, which draws no whisker.
        const auto end = [&](const char *key) {
            const double value = split.contains(key) ? number_member(split, key, path) : measured;
            return std::isfinite(value) ? value : measured;
        };
        rows.push_back({predicted, measured, end("measured_low"), end("measured_high")});
        most = std::max({most, predicted, rows.back()[3]});
        has_interval = has_interval || rows.back()[2] < rows.back()[3];
    }
    if (rows.empty()) refuse(input_name(path), " has no split with times; there is nothing to plot");
    const auto scale = scale_for(most > 0 ? most : 1);
    for (auto &row : rows)
        for (auto &value : row) value *= scale.factor;

    const auto kernel = text_member(result, "kernel", path);
    const auto size = text("size ", number_member(result, "size", path));
    const auto table = plot.add_data({"method", "predicted", "measured", "low", "high"}, names, rows);
    plot.add_line(text("set title ", plot_literal(is_of_programs(kernel) ? size : text(kernel, ", ", size))));
    plot.add_line("set style data histogram\nset style histogram clustered gap 1\nset style fill solid 0.9 border -1");
    plot.add_line(text("set ylabel 'time of the whole [", scale.prefix, "s]' offset -1"));
    std::string processors;
    for (const auto &name : names_in(result, path)) processors += (processors.empty() ? "" : " | ") + name;
    constexpr double room_for_values = 1.12;
    plot.add_line(text("set xlabel ", plot_literal("sizes of " + processors), " offset 0, -",
                       static_cast<double>(label_lines) - 1, "\nset xrange [-0.7:", rows.size() - 1,
                       ".7]\nset yrange [0:", most > 0 ? room_for_values * most * scale.factor : 1,
                       "]\nset lmargin 11\nset bmargin ", 3 + label_lines));
    plot.add_line("set tmargin 4.5\nset title offset 0, 1.5\nset key at graph 0.5, graph 1.11 center top horizontal "
                  "Left reverse samplen 2.5 width -3\nset grid noxtics\nset xtics scale 0");
    const auto label_width = 1.0 / 3; // two bars and a gap a cluster
    plot.add_line(text(
        "plot '", table, "' using 2:xtic(1) title columnheader(2) lc rgb '", plot_colour(5),
        "', '' using 3 title columnheader(3) lc rgb '", plot_colour(0), "', '' skip 1 using ($0-", label_width / 2,
        "):2:(sprintf('%.3g', $2)) with labels offset 0,0.6 notitle", ", '' skip 1 using ($0+", label_width / 2,
        "):5:(sprintf('%.3g', $3)) with labels offset 0,0.6 notitle",
        !has_interval ? ""
                      : text(", '' skip 1 using ($5 > $4 ? $0+", label_width / 2,
                             " : NaN):4:(0):($5-$4) with vectors heads size graph 0.008,90 lw 1.5 lc rgb '#222222' "
                             "title 'confidence interval'")));
    constexpr int width = 900, height = 500, line_height = 20;
    plot.draw(width, height + line_height * static_cast<int>(label_lines));
}

} // namespace hpart_command
