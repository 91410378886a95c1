#include "partitioners/search/simd/kernels.hpp"

#include <cstring>

namespace hpart
{

namespace
{

constexpr unsigned word_bits = 64;

void or_shifted_plain(std::uint64_t *to, const std::uint64_t *from, std::size_t count, unsigned shift)
{
    for (std::size_t w = 0; w < count; ++w) to[w] |= from[w] << shift | *(from + w - 1) >> (word_bits - shift);
}

constexpr BitKernels plain_kernels{or_shifted_plain};

#if defined(__x86_64__)

// Several words. They are copied from and to memory, where they may stand anywhere.
using Words4 = std::uint64_t __attribute__((vector_size(32)));
using Words8 = std::uint64_t __attribute__((vector_size(64)));

HPART_AVX2 void or_shifted_avx2(std::uint64_t *to, const std::uint64_t *from, std::size_t count, unsigned shift)
{
    constexpr std::size_t lanes = 4;
    std::size_t w = 0;
    for (; w + lanes <= count; w += lanes) {
        Words4 words, here, before;
        std::memcpy(&words, to + w, sizeof words);
        std::memcpy(&here, from + w, sizeof here);
        std::memcpy(&before, from + w - 1, sizeof before);
        words |= here << shift | before >> (word_bits - shift);
        std::memcpy(to + w, &words, sizeof words);
    }
    for (; w < count; ++w) to[w] |= from[w] << shift | *(from + w - 1) >> (word_bits - shift);
}

HPART_AVX512 void or_shifted_avx512(std::uint64_t *to, const std::uint64_t *from, std::size_t count, unsigned shift)
{
    constexpr std::size_t lanes = 8;
    std::size_t w = 0;
    for (; w + lanes <= count; w += lanes) {
        Words8 words, here, before;
        std::memcpy(&words, to + w, sizeof words);
        std::memcpy(&here, from + w, sizeof here);
        std::memcpy(&before, from + w - 1, sizeof before);
        words |= here << shift | before >> (word_bits - shift);
        std::memcpy(to + w, &words, sizeof words);
    }
    for (; w < count; ++w) to[w] |= from[w] << shift | *(from + w - 1) >> (word_bits - shift);
}

constexpr BitKernels avx2_kernels{or_shifted_avx2};
constexpr BitKernels avx512_kernels{or_shifted_avx512};

#endif

} // namespace

const BitKernels &bit_kernels([[maybe_unused]] SimdLevel level)
{
#if defined(__x86_64__)
    if (level == SimdLevel::avx512) return avx512_kernels;
    if (level == SimdLevel::avx2) return avx2_kernels;
#endif
    return plain_kernels;
}

} // namespace hpart
