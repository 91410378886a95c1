#include "core/text.hpp"
#include "failure.hpp"
#include "report.hpp"

namespace hpart_command
{

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
