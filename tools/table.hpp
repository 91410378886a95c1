// Tables and numbers for people.
#pragma once

#include "library.hpp"
#include "output.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hpart_command
{

// Columns as wide as they must be; numbers stand to the right.
class Table
{
  public:
    // A heading that begins with '>' stands to the right, with its column.
    explicit Table(std::vector<std::string> headings);
    void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
    std::string text() const;

  private:
    std::vector<std::string> headings_;
    std::vector<bool> right_;
    std::vector<std::vector<std::string>> rows_;
};

// "12.35 ms": four significant digits and the unit that fits; "-" for NaN.
std::string seconds_text(double seconds);
std::string joules_text(double joules);
// True if an interval is worth its numbers: its ends are finite, and of a positive value they are above 0 and no further apart than
// twice the value.
bool is_telling(double value, const Interval &interval);
// Stands in place of any other interval.
constexpr std::string_view more_than_itself = "+- more than itself";
// "13.2 ms (12.6 to 13.9)", with as many digits as the interval needs; without an interval the value alone.
std::string seconds_text(double seconds, const Interval &interval);
std::string joules_text(double joules, const Interval &interval);
// The same of an energy that may be below 0, within its error.
std::string signed_joules_text(double joules);
// "6.82 +- 0.31 mJ": value and standard error in one unit, to two significant digits of the error; the value may be negative.
// Without an error (0, NaN): "6.82 mJ".
std::string with_error(double value, double error, std::string_view unit);
// "26s", "12m", "3h": a budget of at least so many seconds.
std::string budget_text(double seconds);
// "about 26 seconds", "about 12 minutes", "about 3 hours": the same for a sentence.
std::string about_text(double seconds);
// "1.25": digits after the point as asked.
std::string fixed_text(double value, int digits);
// "1.12 (1.05 to 1.19)", "1.12 x (1.05 to 1.19)" with the unit " x".
std::string ratio_text(double ratio, const Interval &interval, std::string_view unit = "");
// "29 %", "2.5 %", "5 %": a share with two digits.
std::string percent_text(double share);
// "95 %", "99.9 %": a confidence level below 1 never becomes 100 %.
std::string confidence_text(double level);
// "3.1e-15": digits significant.
std::string scientific_text(double value, int digits);
// "CPU | GPU"
std::string names_text(const std::vector<std::string> &names);
// "64 | 128 | 0"
std::string distribution_text(const std::vector<std::int64_t> &x);

// The factor and prefix ("m", 1e3) that bring a positive value to 1..1000.
struct Scale {
    double factor;
    std::string_view prefix;
};
Scale scale_for(double value);

// Results as rows under a header.

// The rows of the result's one list of objects, such as the points of a front or the tasks of a schedule, each with the result's
// own values before its own; of a result without a list one row. Sizes of a distribution have columns of the processors' names.
std::string csv_text(const Json &result);

} // namespace hpart_command
