#include "partitioners/search/simd/kernels.hpp"

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

} // namespace

SimdLevel best_simd_level()
{
    static const auto best = detect();
    return best;
}

std::vector<SimdLevel> available_simd_levels()
{
    std::vector<SimdLevel> levels;
    for (const auto level : {SimdLevel::plain, SimdLevel::avx2, SimdLevel::avx512})
        if (level <= best_simd_level()) levels.push_back(level);
    return levels;
}

} // namespace hpart
