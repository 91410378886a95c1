// Files of the command itself: results and plots.
#pragma once

#include "hpart.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hpart_command
{

// The path to read for a file of the call: "-" is the standard input, which may be read more than once.
std::string input_path(const std::string &argument);
// The argument as messages name it: in quotes, or "standard input".
std::string input_name(const std::string &argument);
// Fails as check does, after the library has read the file of an argument. Its message names the argument, not the copy of a pipe.
void check_read(hpart_status status, const std::string &argument);

// A file that cannot be read is a wrong call.
std::string read_file(const std::string &path);

// Replaces the file atomically. If it cannot be written, the command ends with exit_other.
void write_file(const std::string &path, std::string_view content);

// Fails as write_file would if it can be known before there is content; the file is left as it is.
void require_writable(const std::string &path);

// A folder for files of one call, removed with all that is in it.
class TemporaryFolder
{
  public:
    TemporaryFolder();
    TemporaryFolder(const TemporaryFolder &) = delete;
    TemporaryFolder &operator=(const TemporaryFolder &) = delete;
    ~TemporaryFolder();
    const std::string &path() const { return path_; }

  private:
    std::string path_;
};

} // namespace hpart_command
