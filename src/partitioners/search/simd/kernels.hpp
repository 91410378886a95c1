// The kernels, and which vector instructions they may use. Every kernel gives the same results on every level.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

// Attributes of functions of that level. They alone are compiled for these instructions, and may call only intrinsics and functions of
// that level.
#if defined(__x86_64__)
#define HPART_AVX2 __attribute__((target("avx2,bmi,bmi2,popcnt")))
#define HPART_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi,bmi2,popcnt")))
#endif

namespace hpart
{

// In increasing order. Plain is what the compiler makes of the code for any machine of the architecture: on arm64 that has NEON.
enum class SimdLevel : std::uint8_t { plain, avx2, avx512 };

// The highest level of this machine. Prepared data carries a level (prepared.hpp): this one, unless a test asks for a lower.
SimdLevel best_simd_level();

// A layer has this many values of infinity on each side of it, and room for a multiple of it.
constexpr std::size_t layer_padding = 64;

// out[j] = min over k of in[j + offsets[k]] + costs[k] for from <= j < to; `from` is a multiple of layer_padding, and values up to
// the next multiple after `to` are written too. in[0 .. in_count) is padded; offsets increase.
void min_plus(SimdLevel level, const double *in, std::size_t in_count, std::span<const std::int64_t> offsets,
              const double *costs, double *out, std::size_t from, std::size_t to);

struct ReducedCostBound {
    double multiplier;
    std::int64_t largest_size;
    double most;
};

// Bit b: whether least_costs[b] - multiplier x min(extreme_sizes[b], largest size) <= most. count <= 64.
std::uint64_t blocks_within(SimdLevel level, const double *least_costs, const double *extreme_sizes, std::size_t count,
                            const ReducedCostBound &bound);

// The points of size <= largest size and reduced cost <= most: their indices and reduced costs, in order; gives how many.
// Both outputs have room for count, a multiple of 8 of them for the reduced costs; count <= 32.
std::size_t points_within(SimdLevel level, const std::int64_t *sizes, const double *costs, std::size_t count,
                          const ReducedCostBound &bound, std::uint32_t *indices, double *reduced);

// Index of the least cost - multiplier x size, the lowest of equals; count when no cost is finite.
std::size_t least_reduced(SimdLevel level, const std::int64_t *sizes, const double *costs, std::size_t count,
                          double multiplier);

// The same among the points of a time <= longest.
std::size_t least_reduced_within(SimdLevel level, const std::int64_t *sizes, const double *costs, const double *seconds,
                                 std::size_t count, double multiplier, double longest);
std::size_t least_reduced_within(SimdLevel level, const double *sizes, const double *costs, const double *seconds,
                                 std::size_t count, double multiplier, double longest);

// to[w] |= from[w] << shift | from[w - 1] >> (64 - shift) for w in 0 .. count - 1; 0 < shift < 64; from[-1] is read. The rows do not
// overlap.
using OrShifted = void (*)(std::uint64_t *to, const std::uint64_t *from, std::size_t count, unsigned shift);
OrShifted or_shifted_of(SimdLevel level);

} // namespace hpart
