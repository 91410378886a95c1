#include "gnuplot.hpp"

#include "core/child_process.hpp"
#include "core/error.hpp"
#include "core/text.hpp"
#include "library.hpp"
#include "output.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>

#include <fcntl.h>

namespace hpart_command
{

namespace
{

// Okabe and Ito's palette, the darker colours first; yellow is left out for its poor contrast with white.
constexpr std::array<const char *, colours> palette = {"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                                       "#E69F00", "#56B4E9", "#000000"};

constexpr std::array<std::string_view, 3> endings = {".svg", ".png", ".pdf"};

bool ends_with(std::string_view text, std::string_view suffix)
{
    return text.size() > suffix.size() && std::equal(suffix.rbegin(), suffix.rend(), text.rbegin(), [](char a, char b) {
               return a == static_cast<char>(std::tolower(static_cast<unsigned char>(b)));
           });
}

// Runs the folder's script there; its messages are in the folder. Returns the exit status; -1: a signal ended it.
int run_script(const std::string &folder)
{
    std::string quoted;
    for (const char c : folder) quoted += c == '\'' ? std::string("''") : std::string(1, c);
    const hpart::Descriptor messages(::open((folder + "/messages").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    // Not the user's ~/.gnuplot.
    const hpart::ChildProcess gnuplot(
        {"gnuplot", "--default-settings", "-e", "cd '" + quoted + "'", folder + "/script"}, {-1, -1, messages.get()});
    while (!gnuplot.wait_until(hpart::Clock::now() + std::chrono::milliseconds(100)))
        if (interrupted_by() != 0) return -1;
    return gnuplot.exit_status();
}

// The lines of gnuplot that say something, as one.
std::string messages_of(const std::string &folder)
{
    const auto messages = one_line(read_file(folder + "/messages"));
    const auto first = messages.find_first_not_of(" ^");
    return first == std::string::npos ? "no message" : messages.substr(first, 300);
}

constexpr std::size_t longest_label = 48, longest_line = 90; // characters

// Valid UTF-8 without control characters or quotes, at most so many characters: fit for an XML file and a legend.
std::string plot_text(std::string_view text, std::size_t longest = longest_label)
{
    std::string out;
    std::size_t characters = 0;
    while (!text.empty() && characters < longest) {
        const auto length = hpart::utf8_length(text);
        const bool valid = length > 0;
        if (!valid)
            out += '?';
        else if (text.front() == '"')
            out += '\'';
        else
            out += text.substr(0, length);
        text.remove_prefix(valid ? length : 1);
        ++characters;
    }
    return one_line(text.empty() ? out : out + "...");
}

// A field of a table, perhaps of several lines. gnuplot reads a backslash there as in a C string.
std::string in_table(std::string_view text)
{
    std::string out = "\"";
    for (;;) {
        const auto end = text.find('\n');
        for (const char c : plot_text(text.substr(0, end))) out += c == '\\' ? std::string("\\\\") : std::string(1, c);
        if (end == std::string_view::npos) return out + "\"";
        out += "\\n";
        text.remove_prefix(end + 1);
    }
}

std::string value_in_table(double value) { return std::isfinite(value) ? hpart::format_double(value) : "?"; }

} // namespace

bool is_drawing(std::string_view name)
{
    return std::ranges::any_of(endings, [&](std::string_view ending) { return ends_with(name, ending); });
}

Plot::Plot(std::string output) : output_(std::move(output))
{
    if (!is_drawing(output_))
        refuse("--output is ", in_quotes(output_),
               "; its name must end in .svg, .png or .pdf, the format of the drawing");
}

const std::string &Plot::folder()
{
    if (!folder_) {
        watch_for_interrupts();
        folder_.emplace();
    }
    return folder_->path();
}

std::string Plot::add_data(const std::vector<std::string> &titles, const std::vector<std::vector<double>> &rows,
                           const std::vector<std::string> &row_names)
{
    std::string content;
    for (const auto &title : titles) content += (content.empty() ? "" : "\t") + in_table(title);
    content += '\n';
    for (std::size_t k = 0; k < rows.size(); ++k) {
        std::string line = row_names.empty() ? "" : in_table(row_names[k]);
        for (const double value : rows[k]) line += (line.empty() ? "" : "\t") + value_in_table(value);
        content += line + '\n';
    }
    const auto name = text("table", tables_++);
    write_file(folder() + "/" + name, content);
    return "'" + name + "'";
}

void Plot::end_panel()
{
    if (!series_.empty()) add_line(series_);
    series_.clear();
}

namespace
{

std::string terminal_of(std::string_view output, int width, int height)
{
    if (output.empty() || ends_with(output, ".svg"))
        return text("set terminal svg noenhanced size ", width, ",", height,
                    " font 'sans,15' background rgb 'white'\n");
    if (ends_with(output, ".png")) {
        const auto size = text(2 * width, ",", 2 * height);
        return text("if (strstrt(GPVAL_TERMINALS, 'pngcairo') > 0) {\n  set terminal pngcairo noenhanced size ", size,
                    " font 'sans,14' fontscale 1.6 linewidth 2\n} else {\n  set terminal png noenhanced size ", size,
                    " large\n}\n");
    }
    constexpr double points_an_inch = 100;
    return text("if (strstrt(GPVAL_TERMINALS, 'pdfcairo') == 0) {\n  exit error 'it has no pdfcairo here; name the "
                "drawing .svg or .png'\n}\nset terminal pdfcairo noenhanced size ",
                width / points_an_inch, "in,", height / points_an_inch, "in font 'sans,11'\n");
}

} // namespace

void Plot::draw(int width, int height)
{
    end_panel();
    require_gnuplot();
    const auto drawn = folder() + "/drawn";
    std::string head = "set encoding utf8\nset datafile separator '\\t'\nset datafile missing '?'\n" +
                       terminal_of(output_, width, height) + "set output 'drawn'\n";
    head += "set border 3 lc rgb '#444444'\nset tics nomirror textcolor rgb '#222222'\n"
            "set grid lc rgb '#cccccc' lw 0.7 dt solid\nset format x '%.8g'\nset format y '%.8g'\n";
    write_file(folder() + "/script", head + script_ + "unset output\n");

    const int status = run_script(folder());
    if (interrupted_by() != 0) give_up("interrupted; nothing was written");
    std::error_code error;
    if (status != 0 || !std::filesystem::exists(drawn, error) || std::filesystem::file_size(drawn, error) == 0)
        give_up("gnuplot failed: ", messages_of(folder()));
    drawing_ = read_file(drawn);
    if (!output_.empty()) write_file(output_, drawing_);
}

bool can_draw()
{
    try {
        hpart::find_program("gnuplot");
        return true;
    } catch (const hpart::Error &) {
        return false;
    }
}

void require_gnuplot()
{
    if (!can_draw()) give_up("gnuplot was not found on the PATH; it draws the plots (Debian package gnuplot-nox)");
}

namespace
{

// In single quotes nothing has a meaning but the quote itself; an apostrophe stands in its place.
std::string in_single_quotes(std::string_view text)
{
    std::string out = "'";
    for (const char c : text) out += c == '\'' ? std::string("\u2019") : std::string(1, c);
    return out + "'";
}

std::size_t characters_in(std::string_view text)
{
    return static_cast<std::size_t>(
        std::ranges::count_if(text, [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

} // namespace

std::string plot_literal(std::string_view text) { return in_single_quotes(plot_text(text)); }

std::vector<std::string> wide_lines(std::string_view text)
{
    constexpr std::size_t most_lines = 6;
    std::vector<std::string> lines(1);
    const auto whole = plot_text(text, longest_line * most_lines);
    std::string_view rest = whole;
    while (!rest.empty()) {
        auto word = rest.substr(0, rest.find(' '));
        if (rest.substr(word.size()).starts_with(" |")) word = rest.substr(0, word.size() + 2);
        if (characters_in(word) > longest_line) { // a path: it breaks anywhere
            std::size_t end = 0;
            for (std::size_t k = 0; k < longest_line; ++k) end += hpart::utf8_length(word.substr(end));
            word = word.substr(0, end);
        }
        if (!lines.back().empty() && characters_in(lines.back()) + 1 + characters_in(word) > longest_line)
            lines.emplace_back();
        if (!lines.back().empty()) lines.back() += ' ';
        lines.back() += word;
        rest.remove_prefix(word.size());
        rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    }
    return lines;
}

std::string lines_literal(const std::vector<std::string> &lines)
{
    std::string out;
    for (const auto &line : lines) out += (out.empty() ? "" : ".\"\\n\".") + in_single_quotes(line);
    return out;
}

std::vector<std::string> title_lines(std::string_view shown, std::string_view path)
{
    const auto file = path.substr(path.rfind('/') + 1);
    return wide_lines(file.empty() || file == "-" ? std::string(shown) : text(shown, " (", file, ")"));
}

std::string tic_literal(std::string_view text)
{
    std::string out;
    for (const char c : plot_literal(text)) out += c == '%' ? std::string("%%") : std::string(1, c);
    return out;
}

std::string plot_colour(std::size_t k) { return palette[k % palette.size()]; }

std::string line_style(std::size_t k, std::size_t points)
{
    constexpr std::size_t most_marks = 60, most_bold = 300;
    const bool with_points = points <= most_marks;
    constexpr std::array<int, 4> dashes = {1, 2, 4, 5};
    constexpr std::array<int, 7> marks = {7, 5, 9, 13, 11, 6, 4};
    return text(with_points ? "linespoints" : "lines", " lw ", points <= most_bold ? 2 : 0.8, " dt ",
                dashes[(k / palette.size()) % dashes.size()], " lc rgb '", plot_colour(k), "'",
                with_points ? text(" pt ", marks[k % marks.size()], " ps 0.6") : "");
}

} // namespace hpart_command
