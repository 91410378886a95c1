// The seconds that a program prints.
#pragma once

#include <cstddef>
#include <optional>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

namespace hpart
{

enum class Unit { none, time, other };

// A number of a line with its unit, from `begin` to `end`; in seconds. NaN if it is written in a way that has another meaning elsewhere, as
// 0,53 or 0m1.5s, or if its unit is another, as of 17 GFLOPS.
struct PrintedNumber {
    double value = 0;
    std::size_t begin = 0, end = 0;
    Unit unit = Unit::none;
    double unit_seconds = 1; // of a unit of time
};

// All numbers of the line. Letters before one make it a word: "GPU0", "v1.2". unit: seconds of those without a unit.
std::vector<PrintedNumber> numbers_in(std::string_view line, double unit = 1);
// Numbers with nothing but blanks, commas, semicolons and units of time beside them; nothing if the line has other words. All NaN if only
// the last one's unit is another than `unit`, since it may be that of all.
std::vector<PrintedNumber> numbers_alone(std::string_view line, double unit = 1);
// The whole text as a number; Fortran's exponents 1.5D-3 count.
std::optional<double> parse_seconds(std::string_view text);
// "printed '0,53', which is no number of seconds; ..."
std::string describe_bad_number(std::string_view written);

class PrintedTime
{
  public:
    // pattern: an ECMAScript regular expression whose first group is the number; "": any number counts.
    // unit: seconds of a number without a unit.
    // Status::invalid_argument when it is none or has no group.
    explicit PrintedTime(const std::string &pattern, double unit = 1);

    // The last number of the line with a unit of time; else the last one; or that of the line's last match. NaN where it is none;
    // nothing without a match.
    std::optional<PrintedNumber> last_in(std::string_view line) const;
    // All of them, in order.
    std::vector<PrintedNumber> all_in(std::string_view line) const;

  private:
    std::optional<std::regex> pattern_;
    double unit_;
};

} // namespace hpart
