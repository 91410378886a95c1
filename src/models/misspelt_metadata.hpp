// Comments of platform files that were meant as metadata.
#pragma once

#include <string>
#include <string_view>

namespace hpart
{

// How the metadata line should read that a comment, without its '#', was probably meant as; empty for free text. A key counts as
// such when it differs in two letters at most, or in case, and a value follows as it would in metadata; docs/platform-files.md.
std::string meant_metadata(std::string_view comment);

} // namespace hpart
