// The parts of the page of `hpart report`.
#pragma once

#include "plots.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace hpart_command
{

// The text for an element or a quoted attribute; control characters become "?".
std::string html_text(std::string_view text);
// An SVG as an image.
std::string html_drawing(const std::string &description, const std::function<void(Plot &)> &draw);
using Cells = std::vector<std::string>;
std::string html_table(const std::string &caption, const Cells &headings, const std::vector<Cells> &rows);
// A paragraph a line.
std::string html_paragraphs(std::string_view lines);
// Content that the reader opens first.
std::string html_folded(const std::string &summary, const std::string &content);
// The drawing and the tables of a file of results; adds to the data of the script.
std::string results_section(const Json &result, const std::string &path, Json &data);
// tools/report.js and tools/report.css.
std::string_view report_script();
std::string_view report_style();

} // namespace hpart_command
