// Numbers of things in messages.
#pragma once

#include "core/text.hpp"

namespace hpart
{

// "1 byte", "2 bytes", "0.5 seconds"
template <typename Number> std::string pluralise(Number number, std::string_view noun)
{
    return text(number, " ", noun, number == 1 ? "" : "s");
}

} // namespace hpart
