// The text of platform files and of family files, which have one more column.
#pragma once

#include "models/platform.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace hpart
{

enum class TableKind : std::uint8_t { platform, family };

// The platforms by parameter; the platform of a platform file under 0. Status::format with name:line:column and the offending text.
std::map<std::int64_t, Platform> parse_table(std::string_view content, const std::string &name, TableKind kind);

bool has_energies(const Platform &platform);

// The line of the columns and the rows; optional columns only if the platform has a value for them.
void append_table(std::string &out, const Platform &platform);

} // namespace hpart
