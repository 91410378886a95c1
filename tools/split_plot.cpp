// Plots of one distribution: the results of hpart partition and hpart schedule.
#include "core/pluralise.hpp"
#include "failure.hpp"
#include "file.hpp"
#include "plots.hpp"
#include "table.hpp"

#include <algorithm>
#include <map>

namespace hpart_command
{

namespace
{

// A bar per processor, of one block or several.
struct Bars {
    std::string title;
    std::vector<std::string> names;
    std::vector<std::vector<double>> blocks; // of each processor
    std::vector<double> utilisation = {};    // of each processor, drawn below; empty: unknown
};

// The busy share of the time of each processor.
void draw_utilisation(Plot &plot, const Bars &bars)
{
    std::vector<std::vector<double>> rows;
    for (const double share : bars.utilisation) rows.push_back({100 * share});
    const auto table = plot.add_data({"processor", "utilisation"}, bars.names, rows);
    plot.add_line(text("unset title\nset ylabel 'utilisation [%]' offset -1\nset yrange [0:100]\nplot '", table,
                       "' skip 1 using 2:xtic(1) lc rgb '", plot_colour(2), "'\nunset multiplot"));
}

// The values of a result under that key, one a processor.
std::vector<double> utilisation_in(const Json &result, std::size_t processors, const std::string &path)
{
    std::vector<double> shares;
    const auto found = result.find("utilisation");
    if (found == result.end() || found->is_null()) return shares;
    for (const auto &share : member(result, "utilisation", Json::value_t::array, path))
        shares.push_back(share.is_number() ? share.get<double>() : 0);
    if (!shares.empty() && shares.size() != processors)
        refuse(input_name(path), " has the utilisation of ", hpart::pluralise(shares.size(), "processor"), ", not of ",
               processors);
    return shares;
}

void draw(Plot &plot, const Bars &bars, const std::string &path)
{
    std::size_t most = 0;
    for (const auto &blocks : bars.blocks) most = std::max(most, blocks.size());
    if (most == 0) refuse(input_name(path), " gives no processor any work; there is nothing to plot");
    auto rows = bars.blocks;
    std::vector<std::string> titles = {"processor"};
    for (std::size_t k = 0; k < most; ++k) titles.push_back(std::to_string(k + 1));
    for (auto &row : rows) row.resize(most, 0);
    const auto table = plot.add_data(titles, bars.names, rows);
    const bool has_two = !bars.utilisation.empty();
    if (has_two) plot.add_line("set multiplot layout 2,1");
    plot.add_line(text("set title ", plot_literal(bars.title)));
    plot.add_line("set style data histogram\nset style histogram rowstacked\nset style fill solid 0.9 border -1\n"
                  "set boxwidth 0.6\nset key off\nset grid noxtics\nset xtics scale 0\nset lmargin 11\n"
                  "set ylabel 'size' offset -1\nset xlabel 'processor'\nset yrange [0:*]");
    std::string command;
    for (std::size_t k = 0; k < most; ++k)
        command += text(k == 0 ? "plot '" : ", '", table, "' skip 1 using ", k + 2, k == 0 ? ":xtic(1)" : "",
                        " lc rgb '", plot_colour(k), "'");
    plot.add_line(command);
    if (has_two) draw_utilisation(plot, bars);
    constexpr int width = 900, height = 520;
    plot.draw(width, has_two ? 2 * height : height);
}

} // namespace

void plot_partition(Plot &plot, const Json &result, const std::string &path)
{
    const auto &distribution = member(result, "distribution", Json::value_t::array, path);
    const auto &names = member(result, "processors", Json::value_t::array, path);
    if (distribution.size() != names.size())
        refuse(input_name(path), " has ", hpart::pluralise(distribution.size(), "size"), " for ",
               hpart::pluralise(names.size(), "processor"));
    Bars bars;
    bars.title =
        text("size ", number_member(result, "size", path), ", ", text_member(result, "objective", path), " by method ",
             text_member(result, "method", path), ", ", seconds_text(number_member(result, "time", path)));
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (!names[i].is_string() || !distribution[i].is_number())
            refuse(input_name(path), " has a distribution that is not of names and sizes");
        bars.names.push_back(names[i].get<std::string>());
        bars.blocks.push_back({distribution[i].get<double>()});
    }
    bars.utilisation = utilisation_in(result, names.size(), path);
    draw(plot, bars, path);
}

void plot_schedule(Plot &plot, const Json &result, const std::string &path)
{
    Bars bars;
    bars.title = text("size ", number_member(result, "size", path), " in packages, makespan ",
                      seconds_text(number_member(result, "makespan", path)));
    std::map<std::string, std::size_t> index;
    for (const auto &task : member(result, "tasks", Json::value_t::array, path)) {
        const auto name = text_member(task, "processor", path);
        const auto [found, is_new] = index.emplace(name, bars.names.size());
        if (is_new) {
            bars.names.push_back(name);
            bars.blocks.emplace_back();
        }
        bars.blocks[found->second].push_back(number_member(task, "size", path) * number_member(task, "repeats", path));
    }
    draw(plot, bars, path);
}

} // namespace hpart_command
