// Rows of 64-bit words taken as one long row of bits.
#pragma once

#include "partitioners/search/simd/level.hpp"

#include <cstddef>
#include <cstdint>

namespace hpart
{

struct BitKernels {
    // to[w] |= from[w] << shift | from[w - 1] >> (64 - shift) for w in 0 .. count - 1; 0 < shift < 64; from[-1] is read. The rows
    // do not overlap.
    void (*or_shifted)(std::uint64_t *to, const std::uint64_t *from, std::size_t count, unsigned shift);
};

const BitKernels &bit_kernels(SimdLevel level);

} // namespace hpart
