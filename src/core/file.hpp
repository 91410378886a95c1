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

// Returns when the content stands at the end of the file, on the disk. A kill meanwhile leaves a part of it. Status::io.
void append_to_file(const std::string &path, std::string_view content);

// Status::io when no file can be made in the folder of this one, or this one is there and may not be written: told before hours are spent on what cannot be kept.
void require_writable_folder(const std::string &path);

} // namespace hpart
