// Platform files: CSV with metadata lines. docs/reference/platform-files.md has the format.
#pragma once

#include "models/platform.hpp"

#include <string>
#include <string_view>

namespace hpart
{

// Status::format with name:line:column and the offending text. `name` is the file's, for messages.
Platform parse_platform(std::string_view content, const std::string &name);
std::string format_platform(const Platform &platform);

Platform read_platform(const std::string &path);
void write_platform(const Platform &platform, const std::string &path);

} // namespace hpart
