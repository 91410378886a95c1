// Which vector instructions the kernels may use. Every kernel gives the same results on every level.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

// Before the definition of a function of that level: it alone is compiled for these instructions, so that nothing else needs them.
// What it calls must be of that level too, or an intrinsic.
#if defined(__x86_64__)
#define HPART_AVX2 __attribute__((target("avx2,bmi,bmi2,popcnt")))
#define HPART_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi,bmi2,popcnt")))
#endif

namespace hpart
{

// In increasing order. Plain is what the compiler makes of the code for any machine of the architecture: on arm64 that has NEON.
enum class SimdLevel : std::uint8_t { plain, avx2, avx512 };

// The highest that this machine has. What was prepared for calls carries a level (prepared.hpp): this one, unless a test asks for a lower.
SimdLevel best_simd_level();

// From plain up to the best.
std::vector<SimdLevel> available_simd_levels();

std::string_view simd_level_name(SimdLevel level);

} // namespace hpart
