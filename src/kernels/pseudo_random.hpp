// Input data that is the same on every machine and in every slice of a problem.
#pragma once

#include <cstdint>

namespace hpart
{

// Which array an element belongs to.
enum class RandomArray : std::uint64_t {
    gemm_a = 1,
    gemm_b = 2,
    fft_signal = 3,
    check_points = 4,
    gemv_a = 5,
    gemv_x = 6
};

inline std::uint64_t pseudo_random_bits(RandomArray stream, std::uint64_t index)
{
    // SplitMix64 (Steele, Lea and Flood 2014): any element without those before it.
    std::uint64_t z = static_cast<std::uint64_t>(stream) * 0xD1342543DE82EF95ULL + index * 0x9E3779B97F4A7C15ULL;
    z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
    return z ^ (z >> 31U);
}

// Uniform in [-1, 1).
inline double pseudo_random(RandomArray stream, std::uint64_t index)
{
    return static_cast<double>(pseudo_random_bits(stream, index) >> 11U) * 0x1p-52 - 1;
}

// Rows first .. first + rows of a matrix of `columns` columns.
template <typename Real>
void fill_rows(RandomArray stream, Real *rows_data, std::int64_t first, std::int64_t rows, std::int64_t columns)
{
    const auto begin = static_cast<std::uint64_t>(first) * static_cast<std::uint64_t>(columns);
    const auto count = static_cast<std::uint64_t>(rows) * static_cast<std::uint64_t>(columns);
    for (std::uint64_t k = 0; k < count; ++k) rows_data[k] = static_cast<Real>(pseudo_random(stream, begin + k));
}

} // namespace hpart
