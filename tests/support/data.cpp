// Alone in knowing where the repository is: a compiler cache serves the other files in all its clones.
#include "data.hpp"

#include <fstream>
#include <sstream>

namespace support
{

std::string repository(const std::string &name) { return HPART_SOURCE_DIR "/" + name; }

std::string content_of(const std::string &name)
{
    std::ifstream file(repository(name));
    std::ostringstream content;
    content << file.rdbuf();
    return content.str();
}

std::string data(const std::string &name) { return repository("tests/data/" + name); }

} // namespace support
