// The drawings of `hpart plot`, one function a kind of input.
#pragma once

#include "core/numbers.hpp"
#include "gnuplot.hpp"
#include "library.hpp"
#include "output.hpp"
#include "table.hpp"

#include <array>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace hpart_command
{

// Speed, time and, if known, energy against size. degree: draws the speeds' trend lines of that degree too, as smooth-fpm takes them.
// size: marks each processor's part of the optimal distribution of that size. path: the file's, for the title.
void plot_platform(Plot &plot, const hpart_platform *platform, const std::string &path,
                   std::optional<std::int64_t> degree = {}, std::optional<std::int64_t> size = {});
// A result and the file that has it.
struct Input {
    std::string path;
    Json result;
};
// Results of `hpart pareto`. Returns the places of all points in the drawing, from its left upper corner, as parts of its width and height.
std::vector<std::array<double, 2>> plot_fronts(Plot &plot, const std::vector<Input> &inputs);
// The samples of a size, as the option samples_file writes them: their density by processor. size: may be missing if there is one.
void plot_samples(Plot &plot, const std::string &content, std::optional<std::int64_t> size, const std::string &path);
bool are_samples(const std::string &content);
// The result of `hpart run`, predicted against measured times, or of `hpart tune`, the measured times or energies.
void plot_run(Plot &plot, const Json &result, const std::string &path);

// The result of `hpart partition`: a bar a processor.
void plot_partition(Plot &plot, const Json &result, const std::string &path);
// Results of several sizes: a bar a size, in blocks of the processors' shares. shown: the title, without the file.
void plot_shares(Plot &plot, const std::string &shown, const std::vector<Json> &results, const std::string &path);
// "Distributions by method exact, for time": such a title.
std::string shares_title(const std::vector<Json> &results);
// Results of `hpart schedule`: each processor's packages over time, a chart a size.
void plot_schedules(Plot &plot, const std::vector<Json> &results, const std::string &path);
// A trace's line: the disjoint times, in seconds, in which its commands run, and their sum.
struct TraceLine {
    std::string name;
    std::size_t commands;
    double seconds;
    std::vector<std::array<double, 2>> busy;
};
std::vector<TraceLine> trace_lines(const Json &trace, const std::string &path);
// A trace, as the option trace_file of an operation writes it.
void plot_trace(Plot &plot, const Json &trace, const std::string &path);
// The result of `hpart study`: all its gains, one kind a panel.
void plot_study(Plot &plot, const Json &result, const std::string &path);
// Its optimal distributions.
void plot_distributions(Plot &plot, const Json &study, const std::string &path);

// Results by the command that writes them, and the traces of operations.
enum class Kind { partition, front, schedule, run, study, trace, tune };
// The results of a file: one, or one for each of several sizes. The sizes without a distribution have a reason instead.
struct Results {
    Kind kind;
    std::vector<Json> solved, infeasible;
};
Results results_in(const Json &result, const std::string &path);

// True if the content begins as a result does.
bool looks_like_json(const std::string &content);
Json parse_result(const std::string &content, const std::string &path);

// A member of an untrusted result. Refuses a missing one, or one of another type, by name.
const Json &member(const Json &object, const char *name, Json::value_t type, const std::string &path);
double number_member(const Json &object, const char *name, const std::string &path);
std::string text_member(const Json &object, const char *name, const std::string &path);
// The names of a result's processors.
std::vector<std::string> names_in(const Json &result, const std::string &path);

// "100000": a size, without an exponent.
std::string whole_text(double size);
// "dgemm n=256 k=256"; "" of a result that does not know.
std::string kernel_in(const Json &result, const std::string &path);
// "1024 rows", or "size 1024" of a kernel that is not hpart's.
std::string size_text(double size, std::string_view kernel);
// "1024 rows of dgemm n=256 k=256"
std::string work_text(double size, std::string_view kernel);
// "CPU and GPU", "12 processors"
std::string processors_text(const std::vector<std::string> &names);
// "64 | 128 | 0", in up to three lines of so many characters. Three dots stand for the rest.
std::vector<std::string> distribution_lines(const Json &result, std::size_t widest, const std::string &path);

// Curves over the size, in panels one below the other.

struct CurvePoint {
    double size, value;
    Interval interval{}; // where not known, the band has a gap
};

struct Curve {
    std::string name;
    std::size_t style = 0; // as line_style numbers them: alike in all panels
    std::vector<CurvePoint> points{};
    double marked = hpart::unknown; // a size whose point has a ring

    // Leaves out a value that is not finite.
    void add(double size, double value, const Interval &interval = {})
    {
        if (std::isfinite(value)) points.push_back({size, value, interval});
    }
};

// One quantity of all processors.
struct Panel {
    std::string label; // with unit
    std::vector<Curve> curves{};

    // Leaves out a curve without points.
    void add(Curve curve)
    {
        if (!curve.points.empty()) curves.push_back(std::move(curve));
    }
};

// Brings the values to a unit with the prefix that suits the largest, and returns it.
Scale rescale(Panel &panel);
// One legend, above the first panel. The axes end with the points: bands may be cut.
void draw_panels(Plot &plot, const std::vector<std::string> &title, const std::string &x_label,
                 const std::vector<Panel> &panels);

// Blocks over time, in rows below each other.

struct TimeBlock {
    double begin, end;   // seconds
    std::string label{}; // left out where it does not fit
};

struct TimeRow {
    std::string label;
    std::size_t colour;
    std::vector<TimeBlock> blocks{};
};

struct TimeAxis {
    double end;                // seconds
    std::size_t longest_label; // of a row
    Scale scale = scale_for(end);

    // In widths of the drawing.
    static constexpr double character_width = 0.0105, right = 0.97;
    double left() const { return 0.01 + character_width * static_cast<double>(longest_label); }
    // In seconds.
    double character() const { return character_width * end / (right - left()); }
};

// The rows and their axes as a panel. room: above the first row.
void add_time_rows(Plot &plot, const TimeAxis &axis, const std::vector<TimeRow> &rows, double room);

} // namespace hpart_command
