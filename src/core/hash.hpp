// A hash of numbers. Not for defence: where two contents meet, a comparison decides.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>

namespace hpart
{

// Adds the values, 8 bytes each, to a hash of the values before them.
template <typename Value> std::uint64_t add_to_hash(std::uint64_t hash, std::span<const Value> values)
{
    constexpr std::uint64_t odd = 0x9E3779B97F4A7C15U; // 2^64 / golden ratio
    constexpr std::size_t lanes = 4;                   // independent multiplications
    std::array<std::uint64_t, lanes> lane{hash, hash + 1, hash + 2, hash + 3};
    const auto mix = [](std::uint64_t state, Value value) {
        return std::rotl((state ^ std::bit_cast<std::uint64_t>(value)) * odd, 29);
    };
    std::size_t k = 0;
    for (; k + lanes <= values.size(); k += lanes)
        for (std::size_t l = 0; l < lanes; ++l) lane[l] = mix(lane[l], values[k + l]);
    for (; k < values.size(); ++k) lane[0] = mix(lane[0], values[k]);
    for (std::size_t l = 1; l < lanes; ++l) lane[0] = std::rotl((lane[0] ^ lane[l]) * odd, 31);
    return lane[0] ^ lane[0] >> 32U;
}

} // namespace hpart
