#include "partitioners/simd/bits.hpp"

namespace hpart
{

namespace
{

constexpr unsigned word_bits = 64;

void or_shifted_plain(std::uint64_t *to, const std::uint64_t *from, std::size_t count, unsigned shift)
{
    for (std::size_t w = 0; w < count; ++w) to[w] |= from[w] << shift | *(from + w - 1) >> (word_bits - shift);
}

constexpr BitKernels plain{or_shifted_plain};

#if defined(__x86_64__)

// Several words, anywhere in memory.
using Words4 = std::uint64_t __attribute__((vector_size(32), aligned(8), may_alias));
using Words8 = std::uint64_t __attribute__((vector_size(64), aligned(8), may_alias));

HPART_AVX2 void or_shifted_avx2(std::uint64_t *to, const std::uint64_t *from, std::size_t count, unsigned shift)
{
    constexpr std::size_t lanes = 4;
    std::size_t w = 0;
    for (; w + lanes <= count; w += lanes)
        *reinterpret_cast<Words4 *>(to + w) |= *reinterpret_cast<const Words4 *>(from + w) << shift |
                                               *reinterpret_cast<const Words4 *>(from + w - 1) >> (word_bits - shift);
    for (; w < count; ++w) to[w] |= from[w] << shift | *(from + w - 1) >> (word_bits - shift);
}

HPART_AVX512 void or_shifted_avx512(std::uint64_t *to, const std::uint64_t *from, std::size_t count, unsigned shift)
{
    constexpr std::size_t lanes = 8;
    std::size_t w = 0;
    for (; w + lanes <= count; w += lanes)
        *reinterpret_cast<Words8 *>(to + w) |= *reinterpret_cast<const Words8 *>(from + w) << shift |
                                               *reinterpret_cast<const Words8 *>(from + w - 1) >> (word_bits - shift);
    for (; w < count; ++w) to[w] |= from[w] << shift | *(from + w - 1) >> (word_bits - shift);
}

constexpr BitKernels avx2{or_shifted_avx2};
constexpr BitKernels avx512{or_shifted_avx512};

#endif

} // namespace

const BitKernels &bit_kernels([[maybe_unused]] SimdLevel level)
{
#if defined(__x86_64__)
    if (level == SimdLevel::avx512) return avx512;
    if (level == SimdLevel::avx2) return avx2;
#endif
    return plain;
}

} // namespace hpart
