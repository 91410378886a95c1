// hpart report: one page that shows a platform file and results, without the network.
#include "report.hpp"
#include "arguments.hpp"
#include "core/characters.hpp"
#include "core/pluralise.hpp"
#include "failure.hpp"
#include "file.hpp"
#include "library.hpp"
#include "plots.hpp"
#include "table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>

namespace hpart_command
{

namespace
{

constexpr std::size_t most_sizes = 100;
constexpr std::array<std::pair<const char *, const char *>, 3> report_methods = {
    {{"optimal", "exact"}, {"balanced", "balanced"}, {"equal", "equal"}}};

using Cells = std::vector<std::string>;

// An image cannot run scripts, and its identifiers do not meet those of another drawing.
std::string drawing(const std::string &description, const std::function<void(Plot &)> &draw)
{
    const TemporaryFolder folder; // one each: a file that was read is not written again
    const auto path = folder.path() + "/drawing.svg";
    Plot plot(path);
    draw(plot);
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string data;
    for (const char c : read_file(path)) {
        const auto code = static_cast<unsigned char>(c);
        const bool is_plain =
            (code >= '0' && code <= '9') || (code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z');
        data += is_plain ? std::string(1, c) : std::string{'%', digits[code >> 4U], digits[code & 15U]};
    }
    return text("<img alt=\"", html_text(description), "\" src=\"data:image/svg+xml,", data, "\">\n");
}

std::string html_table(const std::string &caption, const Cells &headings, const std::vector<Cells> &rows)
{
    auto out = text("<table><caption>", html_text(caption), "</caption><thead><tr>");
    for (const auto &heading : headings) out += text("<th scope=\"col\">", html_text(heading), "</th>");
    out += "</tr></thead><tbody>\n";
    for (const auto &row : rows) {
        out += "<tr>";
        for (const auto &cell : row) out += text("<td>", html_text(cell), "</td>");
        out += "</tr>\n";
    }
    return out + "</tbody></table>\n";
}

// Up to some 100 multiples of the sizes' common divisor, evenly over all totals.
std::vector<std::int64_t> totals_of(const hpart_platform *platform)
{
    std::int64_t most = 0, divisor = 0;
    for (std::int64_t i = 0; i < hpart_platform_processors(platform); ++i) {
        const auto sizes = function_of(platform, i).sizes;
        if (!sizes.empty()) most += sizes.back();
        for (const auto size : sizes) divisor = std::gcd(divisor, size);
    }
    if (divisor == 0) return {};
    const auto steps = most / divisor, count = std::min(steps, static_cast<std::int64_t>(most_sizes));
    std::vector<std::int64_t> totals;
    for (std::int64_t k = 1; k <= count; ++k)
        totals.push_back(divisor *
                         static_cast<std::int64_t>(std::llround(static_cast<double>(steps) * static_cast<double>(k) /
                                                                static_cast<double>(count))));
    return totals;
}

// Null where the method has no distribution of that size.
Json split_by(const hpart_platform *platform, const char *method, std::int64_t size)
{
    const Common common;
    const auto options = make_options(common, {{"method", method}});
    std::vector<std::int64_t> x(static_cast<std::size_t>(hpart_platform_processors(platform)));
    double seconds = 0, joules = 0;
    const auto status =
        hpart_partition(platform, HPART_OBJECTIVE_TIME, size, options.get(), x.data(), &seconds, &joules, nullptr);
    if (status == HPART_ERR_INFEASIBLE) return nullptr;
    check(status);
    return {{"distribution", x}, {"time", seconds}, {"text", seconds_text(seconds)}};
}

std::string platform_section(const std::string &path, Json &data)
{
    const auto platform = read_platform(path);
    const auto names = processor_names(platform.get());
    const auto number = data.size();
    Json sizes = Json::array();
    std::vector<Cells> rows;
    for (const auto size : totals_of(platform.get())) {
        Json entry{{"size", size}};
        Cells row{std::to_string(size)};
        for (const auto &[name, method] : report_methods) {
            entry[name] = split_by(platform.get(), method, size);
            const bool is_known = !entry[name].is_null();
            row.push_back(is_known ? distribution_text(entry[name]["distribution"].get<std::vector<std::int64_t>>())
                                   : "-");
            row.push_back(is_known ? entry[name]["text"].get<std::string>() : "-");
        }
        if (entry["optimal"].is_null()) continue;
        sizes.push_back(std::move(entry));
        rows.push_back(std::move(row));
    }
    auto out =
        drawing("functions of the processors against size", [&](Plot &plot) { plot_platform(plot, platform.get()); });
    if (rows.empty()) return out;
    data.push_back({{"processors", names}, {"sizes", sizes}});
    std::string columns;
    for (const auto &name : names) columns += (columns.empty() ? "" : " | ") + name;
    out += text(R"(<div class="sizes" data-platform=")", number,
                R"(" hidden><label>size <input type="range" min="0" max=")", rows.size() - 1, R"(" value=")",
                rows.size() / 2, R"("></label> <output></output><div class="bars"></div></div>)", "\n");
    return out + "<details><summary>distributions of " + hpart::pluralise(rows.size(), "size") + "</summary>\n" +
           html_table(columns, {"size", "optimal", "time", "balanced", "time", "equal", "time"}, rows) + "</details>\n";
}

std::string names_in(const Json &result, const std::string &path)
{
    std::string names;
    for (const auto &name : member(result, "processors", Json::value_t::array, path)) {
        if (!name.is_string()) refuse(input_name(path), " has a processor whose name is no text");
        names += (names.empty() ? "" : " | ") + name.get<std::string>();
    }
    return names;
}

std::string distribution_in(const Json &object, const std::string &path)
{
    const auto found = object.is_object() ? object.find("distribution") : object.end();
    if (!object.is_object() || found == object.end() || found->is_null()) return "-";
    std::vector<std::int64_t> x;
    for (const auto &part : *found) {
        if (!part.is_number_integer()) refuse(input_name(path), " has a distribution whose part is no whole number");
        x.push_back(part.get<std::int64_t>());
    }
    return distribution_text(x);
}

double optional_number(const Json &object, const char *name, const std::string &path)
{
    return object.is_object() && object.contains(name) ? number_member(object, name, path) : std::nan("");
}

std::string size_in(const Json &result, const std::string &path) { return text(number_member(result, "size", path)); }

std::string measured_in(const Json &row, const std::string &path)
{
    return seconds_text(optional_number(row, "measured_seconds", path),
                        {optional_number(row, "measured_low", path), optional_number(row, "measured_high", path)});
}

std::string front_section(const Json &result, const std::string &path)
{
    std::vector<Cells> rows;
    for (const auto &point : member(result, "points", Json::value_t::array, path))
        rows.push_back({seconds_text(number_member(point, "time", path)),
                        joules_text(number_member(point, "energy", path)), distribution_in(point, path)});
    return drawing("front of time and energy",
                   [&](Plot &plot) {
                       plot_fronts(plot, {{path, result}});
                   }) +
           html_table("front of size " + size_in(result, path),
                      {"time", text_member(result, "energy", path) + " energy", names_in(result, path)}, rows);
}

std::string splits_section(const Json &result, const std::string &path)
{
    std::vector<Cells> rows;
    for (const auto &split : member(result, "splits", Json::value_t::array, path))
        rows.push_back({text_member(split, "method", path), distribution_in(split, path),
                        seconds_text(number_member(split, "predicted_seconds", path)), measured_in(split, path)});
    return drawing("predicted and measured times", [&](Plot &plot) { plot_run(plot, result, path); }) +
           html_table("predicted and measured times of size " + size_in(result, path),
                      {"method", names_in(result, path), "predicted", "measured"}, rows);
}

std::string partition_section(const Json &result, const std::string &path)
{
    const auto time = seconds_text(number_member(result, "time", path));
    return drawing("sizes of the processors", [&](Plot &plot) { plot_partition(plot, result, path); }) +
           html_table("distribution of size " + size_in(result, path), {names_in(result, path), "time"},
                      {{distribution_in(result, path), time}});
}

std::string study_section(const Json &result, const std::string &path)
{
    std::vector<Cells> rows;
    for (const auto &size : member(result, "sizes", Json::value_t::array, path))
        for (const auto &row : member(size, "methods", Json::value_t::array, path)) {
            const double gain = optional_number(row, "gain", path);
            rows.push_back({size_in(size, path), text_member(row, "method", path), distribution_in(row, path),
                            seconds_text(optional_number(row, "time", path)), measured_in(row, path),
                            std::isfinite(gain) ? fixed_text(100 * gain, 1) + " %" : "-"});
        }
    const auto &summary = member(result, "summary", Json::value_t::object, path);
    return text("<p>", html_text(text_member(summary, "text", path)), "</p>\n") +
           html_table("gains of the optimal distribution",
                      {"size", "method", names_in(result, path), "predicted", "measured", "gain"}, rows);
}

std::string section_of(const std::string &path, Json &data)
{
    const auto content = read_file(path);
    if (are_samples(content)) refuse(input_name(path), " is a file of samples; hpart plot draws it");
    if (!looks_like_json(content)) return platform_section(path, data);
    const auto result = parse_result(content, path);
    if (result.contains("points") && result.contains("energy")) return front_section(result, path);
    if (result.contains("splits")) return splits_section(result, path);
    if (result.contains("summary")) return study_section(result, path);
    if (result.contains("distribution") && !result.contains("baselines")) return partition_section(result, path);
    refuse(input_name(path), " is no result of hpart partition, pareto, run or study of one call and size; a report "
                             "shows these and platform files");
}

void write_report(const std::vector<std::string> &paths, const std::string &output)
{
    require_writable(output);
    Json data = Json::array();
    std::string sections;
    for (const auto &path : paths)
        sections += text("<section><h2>", html_text(path == "-" ? "standard input" : path), "</h2>\n",
                         section_of(path, data), "</section>\n");
    // "<" of a name would end the element of the data.
    std::string numbers;
    for (const char c : json_text(data)) numbers += c == '<' ? std::string("\\u003c") : std::string(1, c);
    write_file(output,
               text("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>hpart report</title>\n"
                    "<meta name=\"viewport\" content=\"width=device-width\">\n<style>\n",
                    report_style(), "</style></head>\n<body><main><h1>hpart report</h1>\n", sections,
                    "</main>\n<script type=\"application/json\" id=\"data\">", numbers, "</script>\n<script>\n",
                    report_script(), "</script></body></html>\n"));
}

} // namespace

std::string html_text(std::string_view text)
{
    std::string out;
    for (const char c : hpart::printable(text)) switch (c) {
        case '&': out += "&amp;"; break;
        case '<': out += "&lt;"; break;
        case '>': out += "&gt;"; break;
        case '"': out += "&quot;"; break;
        default: out += c;
        }
    return out;
}

void add_report(CLI::App &app)
{
    struct ReportArguments {
        std::vector<std::string> inputs;
        std::string output;
    };
    auto arguments = std::make_shared<ReportArguments>();
    auto *sub = app.add_subcommand("report", "one page of functions, distributions by size, and results");
    sub->add_option("FILE", arguments->inputs,
                    "platform files (CSV) and results of partition, pareto, run and study (JSON)")
        ->required();
    sub->add_option("-o,--output", arguments->output, "the page")->required()->type_name("OUT.html");
    sub->footer("Needs gnuplot on the PATH.\nExample: hpart report platform.csv run.json -o report.html");
    sub->callback([arguments] {
        if (!arguments->output.ends_with(".html"))
            refuse("--output is ", in_quotes(arguments->output), "; its name must end in .html");
        write_report(arguments->inputs, arguments->output);
    });
}

} // namespace hpart_command
