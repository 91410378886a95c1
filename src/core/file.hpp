// Files read whole and written atomically.
#pragma once

#include <string>
#include <string_view>

namespace hpart
{

// Status::io with the system's reason when the file cannot be read.
std::string read_file(const std::string &path);

// The file has either its old content or the new one, whatever happens: written beside it, synchronised, renamed.
// Status::io with the system's reason; nothing is left behind.
void write_file(const std::string &path, std::string_view content);

} // namespace hpart
