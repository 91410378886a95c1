// Comments of platform files that were meant as metadata.
#pragma once

#include <string>
#include <string_view>

namespace hpart
{

// Returns the metadata line that a comment (without its '#') probably meant; empty for free text. A word counts as a key if it differs
// in at most two letters, or in case, and a value follows as in metadata; docs/reference/platform-files.md.
std::string meant_metadata(std::string_view comment);

} // namespace hpart
