// The seconds, or the rate, that a program prints.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

namespace hpart
{

// Bytes; the rest of a line is cut, since a regular expression may take quadratic time.
constexpr std::size_t longest_line = 65536;
// The end of a line that was longer: its last number is none.
constexpr std::string_view cut_mark = " ... nan";

// A rate is in units of the size a second.
enum class Printed : std::uint8_t { time, rate };
// sought: a unit of the quantity that is looked for.
enum class Unit : std::uint8_t { none, sought, other };
// Why a number is none.
enum class Flaw : std::uint8_t { none, several, unnamed, unclear, part, named, named_unit, zeros, cut };

// A number of a line with its unit, from `begin` to `end`; in seconds. NaN if it is written in a way that has another meaning elsewhere, as
// 0,53 or 0m1.5s, if its unit is another, as of 17 GFLOPS, or one of time in another form, as in 2 Minuten.
struct PrintedNumber {
    double value = 0;
    std::size_t begin = 0, end = 0;
    Unit unit = Unit::none;
    double unit_seconds = 1;    // of a unit of time; of a rate, units a second: 1000 for 1/ms
    double step = 1;            // of its last decimal, in seconds
    std::size_t digits_end = 0; // without the unit
    Flaw flaw = Flaw::none;
};

// All numbers of the line. Letters before one make it a word: "GPU0", "v1.2". unit: seconds of those without a unit.
// heeds_names: "sys 0.1" and "memory (kB): 5" are no times.
std::vector<PrintedNumber> numbers_in(std::string_view line, double unit = 1, bool heeds_names = true,
                                      Printed quantity = Printed::time);
// Numbers with nothing but blanks, commas, semicolons and units of time beside them; nothing if the line has other words. All NaN
// if they may be the parts of one time. All NaN, too, if only the last number has another unit than `unit`: it may be the unit of
// all.
std::vector<PrintedNumber> numbers_alone(std::string_view line, double unit = 1, Printed quantity = Printed::time);
// The only number with a unit of the quantity, or a number alone on its line. Else NaN: several times; Flaw::unclear, numbers that
// may be times; Flaw::unnamed, a number that need not be a time, as in "error = 1e-13". Nothing without numbers.
std::optional<PrintedNumber> time_in(std::string_view line, double unit = 1, Printed quantity = Printed::time);
// Makes one number that is none of the last two in 1 234 ms, 1 234.5, 1 min 5 s, or 1 s, 200 ms. has_unit: if the last one's is of time.
void join_last_two(std::string_view line, std::vector<PrintedNumber> &numbers, bool has_unit);
// The whole text as a number in this unit; NaN if it is none.
PrintedNumber parse_seconds(std::string_view text, double unit = 1);
// ", as '...'": a time_pattern that finds the number of this line; "" if there is none so simple.
std::string example_pattern(std::string_view line, Printed quantity = Printed::time);
// "printed '0,53', which is no number of seconds; ..."; of a whole line, with a time_pattern that finds its number.
std::string describe_bad_number(std::string_view written, Flaw flaw = Flaw::none, Printed quantity = Printed::time);

class PrintedTime
{
  public:
    // pattern: an ECMAScript regular expression whose first group is the number; "": any number counts.
    // unit: seconds of a number without a unit.
    // Status::invalid_argument when it is none or has no group.
    explicit PrintedTime(const std::string &pattern, double unit = 1, Printed quantity = Printed::time);

    // The number of time_in, or of the line's last match.
    std::optional<PrintedNumber> last_in(std::string_view line) const;
    // All of them, in order.
    std::vector<PrintedNumber> all_in(std::string_view line) const;

  private:
    std::optional<std::regex> pattern_;
    std::string literal_; // in each match
    double unit_;
    Printed quantity_;
};

// Numbers as programs print them.

constexpr double no_number = std::numeric_limits<double>::quiet_NaN();

bool is_digit(char c);
bool is_letter(char c);
bool is_foreign(char c); // a byte of a character beyond ASCII
bool has_digit_at(std::string_view text, std::size_t k);

// The number from `begin` on, where a digit or a point is. NaN if it is written in a way that has another meaning elsewhere: 0,53, 0m1.5s,
// 1.5 x 10^2.
struct WrittenNumber {
    double value;
    std::size_t end;
    double step; // the unit of its last decimal; 1 at most
};
WrittenNumber written_number(std::string_view line, std::size_t begin);

} // namespace hpart
