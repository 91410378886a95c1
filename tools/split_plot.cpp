// Plots of distributions: results of hpart partition.
#include "core/text.hpp"
#include "failure.hpp"
#include "file.hpp"
#include "plots.hpp"
#include "table.hpp"

namespace hpart_command
{

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

// The busy share of the time of each processor.
void draw_utilisation(Plot &plot, const std::vector<std::string> &names, const std::vector<double> &utilisation)
{
    std::vector<std::vector<double>> rows;
    rows.reserve(utilisation.size());
    for (const double share : utilisation) rows.push_back({100 * share});
    const auto table = plot.add_data({"processor", "utilisation"}, names, rows);
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
    std::vector<std::vector<double>> rows;
    rows.reserve(sizes.size());
    for (const double size : sizes) rows.push_back({size});
    const auto table = plot.add_data({"processor", "size"}, names, rows);
    const auto utilisation = utilisation_in(result, names.size(), path);
    const bool has_two = !utilisation.empty();
    if (has_two) plot.add_line("set multiplot layout 2,1");
    const auto title = wide_lines(title_text(
        text("Distribution of ", size_text(number_member(result, "size", path), kernel_in(result, path)), " by method ",
             text_member(result, "method", path), " for ", text_member(result, "objective", path), ": ",
             seconds_text(number_member(result, "time", path))),
        path));
    plot.add_line("set title " + lines_literal(title));
    plot.add_line("set style data histogram\nset style histogram rowstacked\nset style fill solid 0.9 border -1\n"
                  "set boxwidth 0.6\nset key off\nset grid noxtics\nset xtics scale 0\nset lmargin 11\nset bmargin 4\n"
                  "set ylabel 'size' offset -1\nset xlabel 'processor'\nset yrange [0:*]\n"
                  "set offsets 0, 0, graph 0.08, 0");
    plot.add_line(text("plot '", table, "' skip 1 using 2:xtic(1) lc rgb '", plot_colour(0),
                       "', '' skip 1 using 0:2:(sprintf('%.15g', $2)) with labels offset 0,0.6"));
    if (has_two) draw_utilisation(plot, names, utilisation);
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
    std::string command;
    for (auto i = blocks.size(); i-- > 0;)
        command += text(command.empty() ? "plot '" : ", '", table, "' skip 1 using 0:", i + 2, " with boxes lc rgb '",
                        plot_colour(i), "' title ", plot_literal(blocks[i]));
    plot.add_line("set title " + lines_literal(wide_lines(title_text(shown, path))));
    plot.add_line("set style fill solid 0.9 border -1\nset boxwidth 1\n"
                  "set key outside right reverse Left noenhanced\nset xlabel 'size'\n"
                  "set ylabel 'share [%]' offset -1\nset yrange [0:100]\nset lmargin 9");
    plot.add_line(text("set xrange [-0.5:", bars.size() - 1, ".5]\nset xtics (", tics, ") scale 0"));
    plot.add_line(command);
    plot.draw(width, height);
}

} // namespace hpart_command
