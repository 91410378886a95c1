#include "partitioners/search/simd/kernels.hpp"

#include "core/numbers.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

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
    constexpr std::size_t lanes =
        sizeof(Words) / sizeof(std::uint64_t); // NOLINT(bugprone-sizeof-expression): of one word, too
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

// Blocks of 64 outputs stay in registers while the part of the list that touches them slides by. Values are only added and compared,
// one rounding each: equal results on every instruction set.

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

// A product and a difference, one rounding each: equal results on every instruction set. AVX2 has no conversion from 64-bit integers;
// below 2^52 they are the low digits of 2^52 + size.

namespace hpart
{

namespace
{

std::uint64_t blocks_plain(const double *least_costs, const double *extreme_sizes, std::size_t count,
                           const ReducedCostBound &bound)
{
    const auto largest = static_cast<double>(bound.largest_size);
    std::uint64_t mask = 0;
    for (std::size_t b = 0; b < count; ++b) {
        const bool within = least_costs[b] - bound.multiplier * std::min(extreme_sizes[b], largest) <= bound.most;
        mask |= static_cast<std::uint64_t>(within ? 1 : 0) << b;
    }
    return mask;
}

std::size_t points_plain(const std::int64_t *sizes, const double *costs, std::size_t count,
                         const ReducedCostBound &bound, std::uint32_t *indices, double *reduced)
{
    std::size_t found = 0;
    for (std::size_t k = 0; k < count; ++k) {
        const auto value = costs[k] - bound.multiplier * static_cast<double>(sizes[k]);
        if (!(value <= bound.most) || sizes[k] > bound.largest_size) continue;
        indices[found] = static_cast<std::uint32_t>(k);
        reduced[found++] = value;
    }
    return found;
}

std::size_t least_plain(const std::int64_t *sizes, const double *costs, std::size_t count, double multiplier)
{
    auto least = std::numeric_limits<double>::infinity();
    auto best = count;
    for (std::size_t k = 0; k < count; ++k) {
        const auto value = costs[k] - multiplier * static_cast<double>(sizes[k]);
        if (!(value < least)) continue;
        least = value;
        best = k;
    }
    return best;
}

template <typename Size>
std::size_t least_within_plain(const Size *sizes, const double *costs, const double *seconds, std::size_t count,
                               double multiplier, double longest)
{
    auto least = std::numeric_limits<double>::infinity();
    auto best = count;
    for (std::size_t k = 0; k < count; ++k) {
        const auto value = costs[k] - multiplier * static_cast<double>(sizes[k]);
        if (!(value < least) || seconds[k] > longest) continue;
        least = value;
        best = k;
    }
    return best;
}

#if defined(__x86_64__)
// For sizes in 0 .. 2^52 - 1.
HPART_AVX2 std::size_t least_avx2(const std::int64_t *sizes, const double *costs, std::size_t count, double multiplier)
{
    constexpr std::size_t lanes = 4;
    const auto shift = _mm256_set1_pd(0x1p52);
    const auto factor = _mm256_set1_pd(multiplier);
    auto least = _mm256_set1_pd(std::numeric_limits<double>::infinity());
    auto best = _mm256_set1_epi64x(static_cast<std::int64_t>(count));
    auto index = _mm256_setr_epi64x(0, 1, 2, 3);
    std::size_t k = 0;
    for (; k + lanes <= count; k += lanes) {
        const auto digits = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(sizes + k));
        const auto size = _mm256_sub_pd(_mm256_or_pd(_mm256_castsi256_pd(digits), shift), shift);
        const auto value = _mm256_sub_pd(_mm256_loadu_pd(costs + k), _mm256_mul_pd(factor, size));
        const auto lower = _mm256_cmp_pd(value, least, _CMP_LT_OQ);
        least = _mm256_blendv_pd(least, value, lower);
        best = _mm256_blendv_epi8(best, index, _mm256_castpd_si256(lower));
        index = _mm256_add_epi64(index, _mm256_set1_epi64x(lanes));
    }
    alignas(32) double values[lanes];
    alignas(32) std::int64_t places[lanes];
    _mm256_store_pd(values, least);
    _mm256_store_si256(reinterpret_cast<__m256i *>(places), best);
    std::size_t lane = 0;
    for (std::size_t l = 1; l < lanes; ++l)
        if (values[l] < values[lane] || (values[l] == values[lane] && places[l] < places[lane])) lane = l;
    auto lowest = values[lane];
    auto place = static_cast<std::size_t>(places[lane]);
    for (; k < count; ++k) {
        const auto value = costs[k] - multiplier * static_cast<double>(sizes[k]);
        if (!(value < lowest)) continue;
        lowest = value;
        place = k;
    }
    return place;
}

HPART_AVX512 std::uint64_t blocks_avx512(const double *least_costs, const double *extreme_sizes, std::size_t count,
                                         const ReducedCostBound &bound)
{
    constexpr std::size_t lanes = 8;
    const auto largest = _mm512_set1_pd(static_cast<double>(bound.largest_size));
    const auto multiplier = _mm512_set1_pd(bound.multiplier);
    const auto most = _mm512_set1_pd(bound.most);
    std::uint64_t mask = 0;
    for (std::size_t b = 0; b < count; b += lanes) {
        const auto used = static_cast<__mmask8>(count - b >= lanes ? 0xFFU : (1U << (count - b)) - 1U);
        const auto size = _mm512_maskz_min_pd(used, _mm512_maskz_loadu_pd(used, extreme_sizes + b), largest);
        const auto value = _mm512_sub_pd(_mm512_maskz_loadu_pd(used, least_costs + b), _mm512_mul_pd(multiplier, size));
        mask |= static_cast<std::uint64_t>(_mm512_mask_cmp_pd_mask(used, value, most, _CMP_LE_OQ)) << b;
    }
    return mask;
}

HPART_AVX512 std::size_t points_avx512(const std::int64_t *sizes, const double *costs, std::size_t count,
                                       const ReducedCostBound &bound, std::uint32_t *indices, double *reduced)
{
    constexpr std::size_t lanes = 8;
    const auto multiplier = _mm512_set1_pd(bound.multiplier);
    const auto most = _mm512_set1_pd(bound.most);
    const auto largest = _mm512_set1_epi64(bound.largest_size);
    std::size_t found = 0;
    for (std::size_t k = 0; k < count; k += lanes) {
        const auto used = static_cast<__mmask8>(count - k >= lanes ? 0xFFU : (1U << (count - k)) - 1U);
        const auto size = _mm512_maskz_loadu_epi64(used, sizes + k);
        const auto product = _mm512_mul_pd(multiplier, _mm512_maskz_cvtepi64_pd(used, size));
        const auto value = _mm512_sub_pd(_mm512_maskz_loadu_pd(used, costs + k), product);
        const auto within = _mm512_mask_cmp_pd_mask(used, value, most, _CMP_LE_OQ) &
                            _mm512_mask_cmp_epi64_mask(used, size, largest, _MM_CMPINT_LE);
        if (within == 0) continue;
        _mm512_storeu_pd(reduced + found, _mm512_maskz_compress_pd(static_cast<__mmask8>(within), value));
        for (auto rest = static_cast<unsigned>(within); rest != 0; rest &= rest - 1)
            indices[found++] = static_cast<std::uint32_t>(k) + static_cast<std::uint32_t>(__builtin_ctz(rest));
    }
    return found;
}

HPART_AVX512 inline __m512d sizes_avx512(__mmask8 used, const std::int64_t *sizes)
{
    return _mm512_maskz_cvtepi64_pd(used, _mm512_maskz_loadu_epi64(used, sizes));
}

HPART_AVX512 inline __m512d sizes_avx512(__mmask8 used, const double *sizes)
{
    return _mm512_maskz_loadu_pd(used, sizes);
}

// Without times none is too long.
template <typename Size>
HPART_AVX512 std::size_t least_avx512(const Size *sizes, const double *costs, const double *seconds, std::size_t count,
                                      double multiplier, double longest)
{
    constexpr std::size_t lanes = 8;
    const auto factor = _mm512_set1_pd(multiplier);
    const auto most = _mm512_set1_pd(longest);
    auto least = _mm512_set1_pd(std::numeric_limits<double>::infinity());
    auto best = _mm512_set1_epi64(static_cast<std::int64_t>(count));
    auto index = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
    for (std::size_t k = 0; k < count; k += lanes) {
        auto used = static_cast<__mmask8>(count - k >= lanes ? 0xFFU : (1U << (count - k)) - 1U);
        if (seconds != nullptr)
            used = _mm512_mask_cmp_pd_mask(used, _mm512_maskz_loadu_pd(used, seconds + k), most, _CMP_LE_OQ);
        const auto value =
            _mm512_sub_pd(_mm512_maskz_loadu_pd(used, costs + k), _mm512_mul_pd(factor, sizes_avx512(used, sizes + k)));
        const auto lower = _mm512_mask_cmp_pd_mask(used, value, least, _CMP_LT_OQ);
        least = _mm512_mask_mov_pd(least, lower, value);
        best = _mm512_mask_mov_epi64(best, lower, index);
        index = _mm512_add_epi64(index, _mm512_set1_epi64(lanes));
    }
    alignas(64) double values[lanes];
    alignas(64) std::int64_t places[lanes];
    _mm512_store_pd(values, least);
    _mm512_store_epi64(places, best);
    // In pairs, without branches.
    const auto lower = [&](std::size_t a, std::size_t b) { return values[b] < values[a] ? values[b] : values[a]; };
    const double pairs[] = {lower(0, 1), lower(2, 3), lower(4, 5), lower(6, 7)};
    const auto low = pairs[1] < pairs[0] ? pairs[1] : pairs[0];
    const auto high = pairs[3] < pairs[2] ? pairs[3] : pairs[2];
    const auto lowest = high < low ? high : low;
    auto place = static_cast<std::int64_t>(count);
    auto equal = static_cast<unsigned>(_mm512_cmp_pd_mask(least, _mm512_set1_pd(lowest), _CMP_EQ_OQ));
    for (; equal != 0; equal &= equal - 1) {
        const auto at = places[static_cast<std::size_t>(__builtin_ctz(equal))];
        place = at < place ? at : place;
    }
    return static_cast<std::size_t>(place);
}
#endif

} // namespace

std::uint64_t blocks_within([[maybe_unused]] SimdLevel level, const double *least_costs, const double *extreme_sizes,
                            std::size_t count, const ReducedCostBound &bound)
{
#if defined(__x86_64__)
    if (level == SimdLevel::avx512) return blocks_avx512(least_costs, extreme_sizes, count, bound);
#endif
    return blocks_plain(least_costs, extreme_sizes, count, bound);
}

std::size_t points_within([[maybe_unused]] SimdLevel level, const std::int64_t *sizes, const double *costs,
                          std::size_t count, const ReducedCostBound &bound, std::uint32_t *indices, double *reduced)
{
#if defined(__x86_64__)
    if (level == SimdLevel::avx512) return points_avx512(sizes, costs, count, bound, indices, reduced);
#endif
    return points_plain(sizes, costs, count, bound, indices, reduced);
}

std::size_t least_reduced([[maybe_unused]] SimdLevel level, const std::int64_t *sizes, const double *costs,
                          std::size_t count, double multiplier)
{
#if defined(__x86_64__)
    if (level == SimdLevel::avx512) return least_avx512(sizes, costs, nullptr, count, multiplier, 0);
    constexpr std::int64_t beyond = std::int64_t{1} << 52;
    if (level == SimdLevel::avx2 && count > 0 && sizes[count - 1] < beyond)
        return least_avx2(sizes, costs, count, multiplier);
#endif
    return least_plain(sizes, costs, count, multiplier);
}

namespace
{

template <typename Size>
std::size_t least_of([[maybe_unused]] SimdLevel level, const Size *sizes, const double *costs, const double *seconds,
                     std::size_t count, double multiplier, double longest)
{
#if defined(__x86_64__)
    if (level == SimdLevel::avx512) return least_avx512(sizes, costs, seconds, count, multiplier, longest);
#endif
    return least_within_plain(sizes, costs, seconds, count, multiplier, longest);
}

} // namespace

std::size_t least_reduced_within(SimdLevel level, const std::int64_t *sizes, const double *costs, const double *seconds,
                                 std::size_t count, double multiplier, double longest)
{
    return least_of(level, sizes, costs, seconds, count, multiplier, longest);
}

std::size_t least_reduced_within(SimdLevel level, const double *sizes, const double *costs, const double *seconds,
                                 std::size_t count, double multiplier, double longest)
{
    return least_of(level, sizes, costs, seconds, count, multiplier, longest);
}

} // namespace hpart
