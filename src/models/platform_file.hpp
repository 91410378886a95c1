// Platform files: CSV with metadata lines. docs/reference/platform-files.md has the format.
#pragma once

#include "core/error.hpp"
#include "models/platform.hpp"

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace hpart
{

// A place in a text file, for messages: file:line:column.

struct TextPosition {
    const std::string &file;
    std::int64_t line;
    std::int64_t column;

    template <typename... Parts> [[noreturn]] void fail(const Parts &...parts) const
    {
        hpart::fail(Status::format, file, ":", line, ":", column, ": ", parts...);
    }

    // Runs a check of the value at this position. Its errors become errors of the file, with the position.
    template <typename Check> void accept(Check &&check) const
    {
        try {
            check();
        } catch (const Error &error) {
            fail(error.what());
        }
    }
};

enum class Sign : std::uint8_t { positive, not_negative };

// A finite number of that sign, or a failure that says what stands there.
double parse_quantity(std::string_view field, const TextPosition &position, std::string_view name, Sign sign,
                      bool may_be_infinite = false);
std::int64_t parse_size(std::string_view field, const TextPosition &position, std::string_view name);

// Rows of one size are runs: their mean and its 95 % confidence interval count.

struct MeanOfRuns {
    double mean, low, high;
};

// Student's interval; its lower end is at least 0. At least two values, none negative.
MeanOfRuns mean_of_runs(std::span<const double> values);

// Status::format with name:line:column and the offending text. `name` is the file's, for messages.
Platform parse_platform(std::string_view content, const std::string &name);
std::string format_platform(const Platform &platform);

Platform read_platform(const std::string &path);
void write_platform(const Platform &platform, const std::string &path);

// A family: functions of two parameters t(x; n), one platform, a slice, for each n that was measured.

enum class BetweenSlices : std::uint8_t { refuse, linear };

// The slices by parameter: one at least, all with the same processors in the same order.
using Family = std::map<std::int64_t, Platform>;

// Status::format with name:line:column and the offending text. docs/background/functions.md has the format.
Family parse_family(std::string_view content, const std::string &name);

// A slice that is not there is refused, the message names its neighbours, or interpolated between them: time and energy linearly in
// the parameter, at the sizes that both have.
Platform slice_of(const Family &family, std::int64_t parameter, BetweenSlices between);

Platform read_slice(const std::string &path, std::int64_t parameter, BetweenSlices between);

// The text of platform files and of family files, which have one more column.

enum class TableKind : std::uint8_t { platform, family };

// The platforms by parameter; the platform of a platform file under 0. Status::format with name:line:column and the offending text.
std::map<std::int64_t, Platform> parse_table(std::string_view content, const std::string &name, TableKind kind);

bool has_energies(const Platform &platform);

// The line of the columns and the rows; optional columns only if the platform has a value for them.
void append_table(std::string &out, const Platform &platform);

} // namespace hpart
