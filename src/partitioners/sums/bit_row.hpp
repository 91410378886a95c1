// A row of bits with the one operation that sums of sets need.
#pragma once

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
    explicit BitRow(std::int64_t highest) { words_.resize(word_of(highest) + 1); }

    static std::size_t word_of(std::int64_t bit) { return static_cast<std::size_t>(bit / word_bits); }
    bool test(std::int64_t bit) const { return ((words_[word_of(bit)] >> (bit % word_bits)) & 1U) != 0; }
    void set(std::int64_t bit) { words_[word_of(bit)] |= std::uint64_t{1} << (bit % word_bits); }
    std::uint64_t word(std::size_t w) const { return words_[w]; }
    std::size_t words() const { return words_.size(); }

    // This row's words 0 .. last become those of `other`.
    void copy(const BitRow &other, std::size_t last)
    {
        for (std::size_t w = 0; w <= last; ++w) words_[w] = other.words_[w];
    }

    // this |= other << shift, in words 0 .. last; other may be this row.
    void or_shifted(const BitRow &other, std::int64_t shift, std::size_t last)
    {
        const auto whole = word_of(shift);
        const auto rest = static_cast<unsigned>(shift % word_bits);
        if (whole > last) return;
        const auto *from = other.words_.data();
        auto *to = words_.data();
        if (rest == 0) {
            for (auto w = last + 1; w-- > whole;) to[w] |= from[w - whole];
            return;
        }
        for (auto w = last; w > whole; --w)
            to[w] |= from[w - whole] << rest | from[w - whole - 1] >> (static_cast<unsigned>(word_bits) - rest);
        to[whole] |= from[0] << rest;
    }

    // this |= this << 1 | this << 2 | ... | this << (length - 1), in log2(length) shifts.
    void dilate(std::int64_t length, std::size_t last)
    {
        std::int64_t reached = 1;
        for (; reached <= length / 2; reached *= 2) or_shifted(*this, reached, last);
        if (reached < length) or_shifted(*this, length - reached, last);
    }

  private:
    std::vector<std::uint64_t> words_;
};

} // namespace hpart
