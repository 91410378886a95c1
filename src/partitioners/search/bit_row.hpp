// A row of bits with the one operation that sums of sets need.
#pragma once

#include "partitioners/search/simd/kernels.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace hpart
{

class BitRow
{
  public:
    static constexpr std::int64_t word_bits = 64;

    // Bits 0 .. highest.
    explicit BitRow(std::int64_t highest, SimdLevel level = best_simd_level()) : or_shifted_(or_shifted_of(level))
    {
        words_.resize(word_of(highest) + 1);
    }

    static std::size_t word_of(std::int64_t bit) { return static_cast<std::size_t>(bit / word_bits); }
    bool test(std::int64_t bit) const { return ((words_[word_of(bit)] >> (bit % word_bits)) & 1U) != 0; }
    void set(std::int64_t bit) { words_[word_of(bit)] |= std::uint64_t{1} << (bit % word_bits); }
    std::uint64_t word(std::size_t w) const { return words_[w]; }
    std::size_t words() const { return words_.size(); }

    // This row's words 0 .. last become the words of `other`.
    void copy(const BitRow &other, std::size_t last) { std::copy_n(other.words_.begin(), last + 1, words_.begin()); }

    // this |= other << shift, in words 0 .. last; other is another row.
    void or_shifted(const BitRow &other, std::int64_t shift, std::size_t last)
    {
        const auto whole = word_of(shift);
        const auto rest = static_cast<unsigned>(shift % word_bits);
        if (whole > last) return;
        const auto *from = other.words_.data();
        auto *to = words_.data() + whole;
        if (rest == 0) {
            for (std::size_t w = 0; w <= last - whole; ++w) to[w] |= from[w];
            return;
        }
        to[0] |= from[0] << rest;
        or_shifted_(to + 1, from + 1, last - whole, rest);
    }

  private:
    OrShifted or_shifted_;
    std::vector<std::uint64_t> words_;
};

} // namespace hpart
