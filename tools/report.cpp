// hpart report: one page that shows a platform file and results, without the network.

#include "report.hpp"

#include "arguments.hpp"
#include "comparison.hpp"
#include "core/option_keys.hpp"
#include "core/text.hpp"
#include "file.hpp"
#include "library.hpp"
#include "meter.hpp"
#include "output.hpp"
#include "table.hpp"
#include "team.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <numeric>

namespace hpart_command
{

namespace
{

constexpr std::size_t shown_sizes = 100;
constexpr std::array<std::pair<const char *, const char *>, 3> report_methods = {
    {{"optimal", "exact"}, {"balanced", "balanced"}, {"equal", "equal"}}};

constexpr std::string_view about_methods =
    "optimal (exact): of all distributions over the points of the functions one of the least time or energy\n"
    "balanced: of all distributions one whose processors end most nearly at the same time\n"
    "equal: the same size for each processor\n"
    "cpm: constant performance model, sizes in proportion to one speed a processor\n"
    "fpm, smooth-fpm: functional performance model, speeds as functions of size; smooth-fpm smooths them\n";

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
    const auto steps = most / divisor, count = std::min(steps, static_cast<std::int64_t>(shown_sizes));
    std::vector<std::int64_t> totals;
    for (std::int64_t k = 1; k <= count; ++k)
        totals.push_back(divisor *
                         static_cast<std::int64_t>(std::llround(static_cast<double>(steps) * static_cast<double>(k) /
                                                                static_cast<double>(count))));
    return totals;
}

struct ReportArguments {
    Common common;
    std::vector<std::string> inputs;
    std::string output;
};

// The file's own words about its measurement.
std::string notes_section(const Facts &facts, const std::string &kernel)
{
    std::string out;
    if (!kernel.empty()) out += text("kernel: ", kernel, "\n");
    if (!facts.measured.empty()) out += text("measured ", facts.measured, "\n");
    out += energy_warning(facts.energy_source());
    if (facts.has_sizes_of_search)
        out += "The file has only the sizes that hpart tune measured: all splits below are of these sizes, and none is "
               "proved optimal.\n";
    for (const auto &chosen : facts.chosen)
        out += text("hpart tune chose ", distribution_text(chosen.x), " for ", chosen.size, " by ", chosen.objective,
                    ": ", facts_text(chosen), "\n");
    std::string notes, summary;
    const auto add = [&](std::string_view kind, const std::vector<std::string> &lines) {
        if (lines.empty()) return;
        summary += text(summary.empty() ? "notes on points: " : ", ", kind, ": ", lines.size());
        for (const auto &line : lines) notes += text(kind, ": ", line, "\n");
    };
    const auto lines_of = [&](std::string_view kind) {
        std::vector<std::string> lines;
        for (const auto &note : facts.notes_of(kind)) lines.push_back(note.line());
        return lines;
    };
    add("failed", lines_of("failed"));
    if (!facts.time_doubt.empty()) add("time doubt", {facts.time_doubt});
    for (const auto *const kind :
         {"binding not kept", "busy", "precision not reached", "drift", "outliers", "serial correlation"})
        add(kind, lines_of(kind));
    return html_paragraphs(out) + (notes.empty() ? "" : html_folded(summary, html_paragraphs(notes)));
}

// A part of the page, and what else the page takes from its file.
struct Section {
    std::string content;
    Finding finding;
    Json libraries = nullptr;
};

Section platform_section(const std::string &path, const Common &common, Json &data)
{
    const auto platform = read_platform(path);
    const auto facts = facts_of(platform.get());
    const auto names = processor_names(platform.get());
    const auto number = data.size();
    ProgressBar bar;
    const auto totals = totals_of(platform.get());
    Json sizes = Json::array();
    std::vector<Cells> rows;
    std::size_t first_shown = 0; // the size of hpart tune, or the largest size that a processor could do alone
    bool is_chosen_shown = false;
    std::int64_t largest = 0;
    const auto kernel = kernel_of(platform.get());
    PlatformSummary summary{is_of_programs(kernel) ? "" : kernel, names, 0, facts.notes_of("busy").size(), {}};
    for (std::size_t i = 0; i < names.size(); ++i) {
        const auto known = function_of(platform.get(), static_cast<std::int64_t>(i)).sizes;
        summary.points += known.size();
        if (!known.empty()) largest = std::max(largest, known.back());
    }
    for (std::size_t k = 0; k < totals.size(); ++k) {
        const auto size = totals[k];
        const auto all = static_cast<double>(totals.size());
        bar.set_part(static_cast<double>(k) / all, 1 / all, text(path, ", size ", size));
        Json entry{{"size", size}};
        Cells row{std::to_string(size)};
        for (const auto &[name, method] : report_methods) {
            const auto split = predict_measured({platform.get(), size, common, hpart::call_slice, false, {}, &bar},
                                                {name, method}, HPART_OBJECTIVE_TIME, facts);
            if (interrupted_by() != 0) give_up("interrupted; nothing was written");
            const auto &[seconds, interval] = split.costs[goal_time];
            const auto time_text = seconds_text(seconds, interval);
            entry[name] = nullptr;
            if (!split.x.empty()) entry[name] = {{"distribution", split.x}, {"time", seconds}, {"text", time_text}};
            row.push_back(split.x.empty() ? "-" : distribution_text(split.x));
            row.push_back(split.x.empty() ? "-" : time_text);
        }
        if (entry["optimal"].is_null()) continue;
        const auto time = [&](const char *name) {
            return entry[name].is_null() ? std::nan("") : entry[name]["time"].get<double>();
        };
        summary.times.push_back({time("optimal"), time("equal")});
        if (const auto chosen = facts.chosen_split("time", size)) {
            entry["chosen"] = {{"distribution", chosen->x}, {"text", facts_text(*chosen)}};
            is_chosen_shown = true;
            first_shown = rows.size();
        }
        if (size <= largest && !is_chosen_shown) first_shown = rows.size();
        sizes.push_back(std::move(entry));
        rows.push_back(std::move(row));
    }
    bar.clear();
    auto out = notes_section(facts, kernel) + html_drawing("functions of the processors against size", [&](Plot &plot) {
                   plot_platform(plot, platform.get(), path);
               });
    auto finding = finding_in(summary);
    for (const auto &chosen : facts.chosen)
        if (chosen.objective == "time") finding = finding_in(chosen, names, kernel);
    if (rows.empty()) return {out, finding};
    data.push_back({{"processors", names}, {"sizes", sizes}});
    out += text(R"(<div class="sizes" data-entry=")", number,
                R"(" hidden><label>size <input type="range" min="0" max=")", rows.size() - 1, R"(" value=")",
                first_shown, R"("></label> <output></output><div class="bars"></div></div>)", "\n");
    out += html_folded(
        "distributions of " + hpart::pluralise(rows.size(), "size"),
        html_table(names_text(names), {"size", "optimal", "time", "balanced", "time", "equal", "time"}, rows));
    return {out, finding};
}

// About the printed times of a result; "" without a doubt.
std::string doubt_in(const Json &result)
{
    const auto doubt = result.value("time_doubt", Json());
    return doubt.is_string() ? doubt.get<std::string>() : "";
}

Section section_of(const std::string &path, const Common &common, Json &data)
{
    const auto content = read_file(path);
    if (are_samples(content)) refuse(input_name(path), " is a file of samples; hpart plot draws it");
    if (!looks_like_json(content)) return platform_section(path, common, data);
    const auto result = parse_result(content, path);
    const auto results = results_in(result, path);
    const auto run = result.value("run", Json()); // of a study
    const auto &whole = run.is_object() ? run : result;
    return {html_paragraphs(doubt_in(result)) + results_section(results, path, data), finding_in(results, path),
            whole.value("libraries", Json())};
}

// A failure names the file.
Section named_section_of(const std::string &path, const Common &common, Json &data)
{
    try {
        return section_of(path, common, data);
    } catch (const Failure &failure) {
        const auto name = input_name(path);
        const std::string_view message = failure.what();
        if (interrupted_by() != 0 || message.find(name) != std::string_view::npos) throw;
        throw Failure(failure.exit_status(), text(name, ": ", message));
    }
}

void write_report(const ReportArguments &arguments)
{
    const auto &output = arguments.output;
    if (!output.ends_with(".html")) refuse("--output is ", in_quotes(output), "; its name must end in .html");
    require_writable(output);
    require_gnuplot();
    watch_for_interrupts("interrupted; nothing was written");
    Json data = Json::array();
    std::string sections;
    std::vector<Finding> findings;
    Json libraries;
    for (const auto &path : arguments.inputs) {
        const auto name = html_text(path == "-" ? "standard input" : path.substr(path.rfind('/') + 1));
        const auto section = named_section_of(path, arguments.common, data);
        sections += text("<section><h2>", name, "</h2>\n", section.content, "</section>\n");
        if (!section.finding.sentence.empty()) findings.push_back(section.finding);
        if (libraries.is_null() && section.libraries.is_object()) libraries = section.libraries;
    }
    // The title is the first of the worthiest sentences, and the others stand below it.
    std::ranges::stable_sort(findings, std::ranges::greater(), &Finding::worth);
    const auto title = html_text(findings.empty() ? "" : findings.front().sentence);
    std::string others;
    for (std::size_t k = 1; k < findings.size() && findings[k].worth == findings.front().worth; ++k)
        others += findings[k].sentence + "\n";
    sections += html_folded("methods", html_paragraphs(about_methods));
    // "<" of a name would end the element of the data.
    std::string numbers;
    for (const char c : json_text(data)) numbers += c == '<' ? std::string("\\u003c") : std::string(1, c);
    write_file(output, text("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>", title,
                            "</title>\n"
                            "<meta name=\"viewport\" content=\"width=device-width\">\n<style>\n",
                            report_style(), "</style></head>\n<body><main><h1>", title, "</h1>\n",
                            html_paragraphs(others), origin_section(libraries.is_null() ? libraries_json() : libraries),
                            sections, "</main>\n<script type=\"application/json\" id=\"data\">", numbers,
                            "</script>\n<script>\n", report_script(), "</script></body></html>\n"));
}

} // namespace

void add_report(CLI::App &app)
{
    auto arguments = std::make_shared<ReportArguments>();
    auto *sub = app.add_subcommand("report", "one page of functions, distributions by size, and results");
    sub->add_option(
           "FILE", arguments->inputs,
           "platform files (CSV), results of partition, pareto, schedule, run, tune and study, and traces (JSON)")
        ->required();
    sub->add_option("-o,--output", arguments->output, "the page")->required()->type_name("OUT.html");
    add_settings(*sub, arguments->common);
    sub->footer("Needs gnuplot on the PATH. --option applies to the distributions of platform files.\n"
                "Example: hpart report run.json platform.csv -o report.html");
    sub->callback([arguments] {
        arguments->common.settle();
        write_report(*arguments);
    });
}

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

// With a mark for the script. An image cannot run scripts, and its identifiers do not meet the identifiers of another drawing.
std::string html_drawing(const std::string &description, const std::function<void(Plot &)> &draw)
{
    Plot plot;
    draw(plot);
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string data;
    for (const char c : plot.drawing()) {
        const auto code = static_cast<unsigned char>(c);
        const bool is_plain =
            (code >= '0' && code <= '9') || (code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z');
        data += is_plain ? std::string(1, c) : std::string{'%', digits[code >> 4U], digits[code & 15U]};
    }
    return text(R"(<div class="wide" tabindex="0"><div class="chart"><img alt=")", html_text(description),
                R"(" src="data:image/svg+xml,)", data, R"("><span class="mark" hidden></span></div></div>)", "\n");
}

// A wide table scrolls by itself, also by keys.
std::string html_table(const std::string &caption, const Cells &headings, const std::vector<Cells> &rows)
{
    auto out = text(R"(<div class="wide" tabindex="0"><table><caption>)", html_text(caption), "</caption><thead><tr>");
    for (const auto &heading : headings) out += text("<th scope=\"col\">", html_text(heading), "</th>");
    out += "</tr></thead><tbody>\n";
    for (const auto &row : rows) {
        out += "<tr>";
        for (const auto &cell : row) out += text("<td>", html_text(cell), "</td>");
        out += "</tr>\n";
    }
    return out + "</tbody></table></div>\n";
}

std::string html_paragraphs(std::string_view lines)
{
    std::string out;
    while (!lines.empty()) {
        const auto line = lines.substr(0, lines.find('\n'));
        out += text("<p>", html_text(line), "</p>\n");
        lines.remove_prefix(std::min(line.size() + 1, lines.size()));
    }
    return out;
}

std::string html_folded(const std::string &summary, const std::string &content)
{
    return text("<details><summary>", html_text(summary), "</summary>\n", content, "</details>\n");
}

} // namespace hpart_command
