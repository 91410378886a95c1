// The characters of texts from outside: which are like others, and which are fit for a terminal.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace hpart
{

// Letters to add, to leave out or to change, or neighbours to exchange (Damerau's distance, restricted).
std::size_t edit_distance(std::string_view a, std::string_view b);

// The name that a misspelt or shortened word probably means; empty when none is like it.
std::string_view nearest_name(std::string_view word, std::span<const std::string_view> names);

// For a message: "did you mean 'NAME'? " and the sentence, or the sentence alone if no name is near. `sentence` begins with a small
// letter.
std::string did_you_mean(std::string_view word, std::span<const std::string_view> names, std::string_view sentence);

// Bytes of the well-formed UTF-8 sequence at the beginning of the text; 0 when there is none.
std::size_t utf8_length(std::string_view text);

// For a terminal: replaces bytes that are not UTF-8, and control characters that are not in `kept`.
std::string printable(std::string_view text, char replacement = '?', std::string_view kept = "");

} // namespace hpart
