// The words of a command, grouped as a POSIX shell groups them, without a shell.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace hpart
{

// Blanks separate words. 'text' is taken as it is; in "text" a backslash escapes $ ` " \ and a line's end; elsewhere it escapes any
// character. Nothing is expanded. Status::invalid_argument for an open quote, no word at all, or an unquoted shell
// operator (| & ; < >), since there is no shell.
std::vector<std::string> split_command(std::string_view command);

// The words on one line for people: those that need quotes have them.
std::string join_command(const std::vector<std::string> &words);

} // namespace hpart
