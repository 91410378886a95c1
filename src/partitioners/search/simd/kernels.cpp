#include "partitioners/search/simd/kernels.hpp"

#include <cstring>

namespace hpart
{

namespace
{

SimdLevel detect()
{
#if defined(__x86_64__)
    const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
                      __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
    const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
    if (avx512) return SimdLevel::avx512;
    if (avx2) return SimdLevel::avx2;
#endif
    return SimdLevel::plain;
}

constexpr unsigned word_bits = 64;

// Several words at once, which are copied from and to memory, where they may stand anywhere; the others one by one.
template <typename Words>
[[gnu::always_inline]] inline void or_shifted(std::uint64_t *to, const std::uint64_t *from, std::size_t count,
                                              unsigned shift)
{
    constexpr std::size_t lanes = sizeof(Words) / sizeof *to;
    std::size_t w = 0;
    for (; w + lanes <= count; w += lanes) {
        Words words, here, before;
        std::memcpy(&words, to + w, sizeof words);
        std::memcpy(&here, from + w, sizeof here);
        std::memcpy(&before, from + w - 1, sizeof before);
        words |= here << shift | before >> (word_bits - shift);
        std::memcpy(to + w, &words, sizeof words);
    }
    for (; w < count; ++w) to[w] |= from[w] << shift | *(from + w - 1) >> (word_bits - shift);
}

void or_shifted_plain(std::uint64_t *to, const std::uint64_t *from, std::size_t count, unsigned shift)
{
    or_shifted<std::uint64_t>(to, from, count, shift);
}

#if defined(__x86_64__)
HPART_AVX2 void or_shifted_avx2(std::uint64_t *to, const std::uint64_t *from, std::size_t count, unsigned shift)
{
    using Words4 = std::uint64_t __attribute__((vector_size(32)));
    or_shifted<Words4>(to, from, count, shift);
}

HPART_AVX512 void or_shifted_avx512(std::uint64_t *to, const std::uint64_t *from, std::size_t count, unsigned shift)
{
    using Words8 = std::uint64_t __attribute__((vector_size(64)));
    or_shifted<Words8>(to, from, count, shift);
}
#endif

} // namespace

SimdLevel best_simd_level()
{
    static const auto best = detect();
    return best;
}

OrShifted or_shifted_of([[maybe_unused]] SimdLevel level)
{
#if defined(__x86_64__)
    if (level == SimdLevel::avx512) return or_shifted_avx512;
    if (level == SimdLevel::avx2) return or_shifted_avx2;
#endif
    return or_shifted_plain;
}

} // namespace hpart
