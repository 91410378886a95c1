// Which vector instructions the kernels may use. Every kernel gives the same results on every level.
#pragma once

#include <cstdint>
#include <vector>

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

// From plain up to the best.
std::vector<SimdLevel> available_simd_levels();

} // namespace hpart
