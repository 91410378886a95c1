// The text of platform files and of family files, which have one more column.
#pragma once

#include "models/platform.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace hpart
{

enum class TableKind : std::uint8_t { platform, family };

// The platforms by parameter; that of a platform file under 0. Status::format with name:line:column and the offending text.
std::map<std::int64_t, Platform> parse_table(std::string_view content, const std::string &name, TableKind kind);

bool has_energies(const Platform &platform);

// The optional columns that a file needs.
struct RowColumns {
    bool energy = false;
    bool time_low = false, time_high = false, energy_low = false, energy_high = false;
    bool repetitions = false;

    // Adds those that the platform has a value for.
    void add(const Platform &platform);
    // "processor,size,time" and the others.
    std::string header() const;
};

// The rows, each behind `prefix`.
void append_rows(std::string &out, const Platform &platform, std::string_view prefix, const RowColumns &columns);

// "at 512: " before a metadata line of a family file: it belongs to that slice alone. Takes it off the line, which begins
// behind its '#'; nothing when there is none.
std::optional<std::int64_t> take_slice(std::string_view &line);

// "parameters = 256,512" of a family file: the slices that it has, with rows or without.
bool declares_slices(std::string_view line);

} // namespace hpart
