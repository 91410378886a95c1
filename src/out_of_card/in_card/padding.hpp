// The distance of rows on a device.
#pragma once

#include "core/numbers.hpp"
#include "out_of_card/scalar.hpp"

#include <cstdint>

namespace hpart
{

// Elements between rows of so many elements: whole cache lines and one more, so that rows do not lie a power of two apart;
// rows within a cache line lie close.
inline std::int64_t padded_row(std::int64_t elements, Scalar type)
{
    constexpr std::int64_t cache_line_bytes = 64;
    const auto line = cache_line_bytes / bytes_of(type);
    return elements <= line ? elements : round_up(elements, line) + line;
}

} // namespace hpart
