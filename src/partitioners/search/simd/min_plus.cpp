// Blocks of 64 outputs stay in registers while the part of the list that touches them slides by. Values are only added and compared,
// one rounding each: equal results on every instruction set.
#include "partitioners/search/simd/kernels.hpp"

#include "core/numbers.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <algorithm>

namespace hpart
{

namespace
{

using Kernel = void (*)(const double *in, const std::int64_t *offsets, const double *costs, std::size_t count,
                        double *out);

void pull_plain(const double *in, const std::int64_t *offsets, const double *costs, std::size_t count, double *out)
{
    std::fill_n(out, layer_padding, infinity);
    for (std::size_t k = 0; k < count; ++k) {
        const auto *from = in + offsets[k];
        const auto cost = costs[k];
        for (std::size_t j = 0; j < layer_padding; ++j) {
            const auto sum = from[j] + cost;
            out[j] = sum < out[j] ? sum : out[j];
        }
    }
}

#if defined(__x86_64__)
HPART_AVX2 void pull_avx2(const double *in, const std::int64_t *offsets, const double *costs, std::size_t count,
                          double *out)
{
    constexpr std::size_t lanes = 4;
    constexpr std::size_t registers = 8; // of outputs: half a block
    for (std::size_t half = 0; half < layer_padding; half += lanes * registers) {
        __m256d least[registers];
        for (auto &value : least) value = _mm256_set1_pd(infinity);
        for (std::size_t k = 0; k < count; ++k) {
            const auto *from = in + offsets[k] + half;
            const auto cost = _mm256_set1_pd(costs[k]);
            for (std::size_t r = 0; r < registers; ++r)
                least[r] = _mm256_min_pd(_mm256_add_pd(_mm256_loadu_pd(from + lanes * r), cost), least[r]);
        }
        for (std::size_t r = 0; r < registers; ++r) _mm256_storeu_pd(out + half + lanes * r, least[r]);
    }
}

HPART_AVX512 void pull_avx512(const double *in, const std::int64_t *offsets, const double *costs, std::size_t count,
                              double *out)
{
    constexpr std::size_t lanes = 8;
    constexpr std::size_t registers = 8;
    constexpr __mmask8 all = 0xFF;
    __m512d least[registers];
    for (auto &value : least) value = _mm512_set1_pd(infinity);
    for (std::size_t k = 0; k < count; ++k) {
        const auto *from = in + offsets[k];
        const auto cost = _mm512_set1_pd(costs[k]);
        for (std::size_t r = 0; r < registers; ++r) {
            const auto sum = _mm512_add_pd(_mm512_loadu_pd(from + lanes * r), cost);
            least[r] = _mm512_mask_min_pd(sum, all, sum, least[r]); // the plain form warns in GCC 12
        }
    }
    for (std::size_t r = 0; r < registers; ++r) _mm512_storeu_pd(out + lanes * r, least[r]);
}
#endif

Kernel kernel_of([[maybe_unused]] SimdLevel level)
{
#if defined(__x86_64__)
    if (level == SimdLevel::avx512) return pull_avx512;
    if (level == SimdLevel::avx2) return pull_avx2;
#endif
    return pull_plain;
}

} // namespace

void min_plus(SimdLevel level, const double *in, std::size_t in_count, std::span<const std::int64_t> offsets,
              const double *costs, double *out, std::size_t from, std::size_t to)
{
    auto *const kernel = kernel_of(level);
    // Offsets k0 .. k1 - 1 touch the block; both only fall from block to block.
    auto k0 = offsets.size();
    auto k1 = offsets.size();
    for (auto j = from; j < to; j += layer_padding) {
        const auto lowest = -static_cast<std::int64_t>(j + layer_padding - 1);
        const auto highest = static_cast<std::int64_t>(in_count) - 1 - static_cast<std::int64_t>(j);
        while (k1 > 0 && offsets[k1 - 1] > highest) --k1;
        while (k0 > 0 && offsets[k0 - 1] >= lowest) --k0;
        kernel(in + j, offsets.data() + k0, costs + k0, k1 > k0 ? k1 - k0 : 0, out + j);
    }
}

} // namespace hpart
