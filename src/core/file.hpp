// Files read whole and written atomically, by the library and by the command.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hpart
{

// The target of a symbolic link, which need not exist. A link of /proc names an open file and is kept.
std::string resolve_link(const std::string &path);

// Names in a folder, sorted; none when it cannot be read.
std::vector<std::string> names_in(const std::string &folder);

// Status::io with the system's reason when the file cannot be read.
std::string read_file(const std::string &path);
// "" when it cannot be read.
std::string content_of_file(const std::string &path);

// "./app: 12345 bytes, changed 2026-11-29 12:00:03.123456789 UTC"; "" when the system does not tell.
std::string describe_file(const std::string &path);

// The file has either its old content or the new one, whatever happens: written beside it, synchronised, renamed. Its mode and
// a symbolic link to it stay.
// Status::io with the system's reason; nothing is left behind.
void write_file(const std::string &path, std::string_view content);

// Returns when the content stands at the end of the file, on the disk. A kill meanwhile leaves a part of it. Status::io.
void append_to_file(const std::string &path, std::string_view content);

// Fails as write_file would, before hours are spent on content that cannot be kept. The file is left as it is.
void require_writable_file(const std::string &path);

// All of it to a descriptor: 0, or the system's error.
int write_all(int descriptor, std::string_view content);

} // namespace hpart
