// The parts of the page of `hpart report`.
#pragma once

#include "file.hpp"
#include "plot.hpp"

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
// A member of an object of the file; NaN, or "", where there is none.
double number_in(const Json &object, const char *name, const std::string &path);
std::string word_in(const Json &object, const char *name);
// The members NAME_low and NAME_high.
Interval interval_in(const Json &object, const std::string &name, const std::string &path);
// The drawing and the tables of a file of results; adds to the data of the script.
std::string results_section(const Results &results, const std::string &path, Json &data);
// The finding, as a sentence. The page begins with the finding of most worth.
struct Finding {
    int worth = 0;
    std::string sentence;
};
Finding finding_in(const Results &results, const std::string &path);
struct PlatformSummary {
    std::string kernel; // "" of programs
    std::vector<std::string> processors;
    std::size_t points, busy;                 // measured points, and how many of them on a busy machine
    std::vector<std::array<double, 2>> times; // of the optimal and of equal distributions; NaN where there is none
};
Finding finding_in(const PlatformSummary &platform);
Finding finding_in(const ChosenSplit &chosen, const std::vector<std::string> &processors, const std::string &kernel);
// The date, the machine and the libraries.
std::string origin_section(const Json &libraries);
// tools/report.js and tools/report.css.
std::string_view report_script();
std::string_view report_style();

} // namespace hpart_command
