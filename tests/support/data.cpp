// Alone in knowing where the repository is: a compiler cache serves the other files in all its clones.
#include "data.hpp"

namespace support
{

std::string repository(const std::string &name) { return HPART_SOURCE_DIR "/" + name; }

std::string data(const std::string &name) { return repository("tests/data/" + name); }

} // namespace support
