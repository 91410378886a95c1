// The files of tests/data.
#pragma once

#include <string>

namespace support
{

std::string data(const std::string &name);
// A file of the repository.
std::string repository(const std::string &name);
std::string content_of(const std::string &name); // of such a file

} // namespace support
