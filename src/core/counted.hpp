// Numbers of things in messages.
#pragma once

#include "core/text.hpp"

namespace hpart
{

// "1 byte", "2 bytes"
inline std::string counted(std::int64_t number, std::string_view noun)
{
    return text(number, " ", noun, number == 1 ? "" : "s");
}

} // namespace hpart
