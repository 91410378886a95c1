// A place in a text file, for messages: file:line:column.
#pragma once

#include "core/error.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace hpart
{

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

} // namespace hpart
