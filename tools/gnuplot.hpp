// Plots by gnuplot, run as a child process on a script and data files. No text of the user's passes through a shell or is
// interpreted by gnuplot.
#pragma once

#include "file.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hpart_command
{

class Plot
{
  public:
    // An SVG that stays in memory.
    Plot() = default;
    // The suffix of the path, .svg, .png or .pdf, selects the format.
    explicit Plot(std::string output);

    // A table for gnuplot, its columns' titles in the first row; returns the file's name in quotes, for add_series. NaN is a missing
    // value, and an empty row ends a line or an area. row_names: texts, of one line or more, before the values of each row.
    std::string add_data(const std::vector<std::string> &titles, const std::vector<std::vector<double>> &rows,
                         const std::vector<std::string> &row_names = {});
    // A command, such as a setting of the panel.
    template <typename... Parts> void add_line(const Parts &...parts) { script_ += text(parts..., '\n'); }
    // A series of the panel: a table, '' for the one before, its columns and its style.
    template <typename... Parts> void add_series(const Parts &...parts)
    {
        series_ += text(series_.empty() ? "plot " : ", ", parts...);
    }
    // Plots the series. The next lines and series belong to the next panel.
    void end_panel();

    // Ends the last panel, draws on a canvas of that size (in points of the SVG) and writes the output.
    void draw(int width, int height);
    const std::string &drawing() const { return drawing_; }

  private:
    // Made when the drawing begins: from then on an interrupt is noted, so that the folder does not stay.
    const std::string &folder();

    std::string output_, drawing_;
    std::optional<TemporaryFolder> folder_;
    std::string script_, series_;
    int tables_ = 0;
};

// True if the name ends as a drawing's does.
bool is_drawing(std::string_view name);
// True if gnuplot is on the PATH.
bool can_draw();
// Fails if it is not.
void require_gnuplot();
// A text as a gnuplot literal without special characters.
std::string plot_literal(std::string_view text);
// The lines of a text that is as wide as a drawing, broken between words.
std::vector<std::string> wide_lines(std::string_view text);
// Lines as one literal.
std::string lines_literal(const std::vector<std::string> &lines);
// The wide lines of "TITLE (FILE)".
std::vector<std::string> title_lines(std::string_view shown, std::string_view path);
// A text as a literal for a label of an axis, where a % begins a format.
std::string tic_literal(std::string_view text);
// Line k of a plot: colours that remain distinct for colour-blind readers, with dashes and marks that differ too; thin and
// without marks where the points are many.
std::string line_style(std::size_t k, std::size_t points);
std::string plot_colour(std::size_t k);
// Line k + colours has the colour of line k and other dashes.
constexpr std::size_t colours = 7;
// Predictions are light and stand first, measured values are dark: in bars and in curves, here and in Python's plots.
constexpr std::size_t predicted_style = 5, measured_style = 0;

} // namespace hpart_command
