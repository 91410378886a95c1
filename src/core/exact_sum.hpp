// Sums of doubles without rounding, rounded once at the end.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <compare>
#include <cstddef>
#include <cstdint>

namespace hpart
{

// A fixed-point number that holds every sum of up to 2^62 finite doubles, and the differences of such sums. Terms that are NaN or infinite
// are summed in double beside it: they decide rounded() and nothing else.
class ExactSum
{
  public:
    ExactSum() = default;
    explicit ExactSum(double value) { add(value); }

    // Adds value x copies.
    void add(double value, std::int64_t copies = 1)
    {
        if (!std::isfinite(value)) {
            unusual_ += value;
            return;
        }
        constexpr std::uint64_t mantissa_bits = 52;
        const auto bits = std::bit_cast<std::uint64_t>(value);
        const auto exponent = (bits >> mantissa_bits) & 0x7ffU;
        const auto fraction = bits & ((std::uint64_t{1} << mantissa_bits) - 1);
        const auto digits = exponent == 0 ? fraction : fraction | (std::uint64_t{1} << mantissa_bits);
        const auto place = exponent == 0 ? 0 : exponent - 1; // of the last digit above 2^-1074
        const auto product = static_cast<Double>(digits) * static_cast<std::uint64_t>(copies);
        const auto low = static_cast<std::uint64_t>(product);
        const auto high = static_cast<std::uint64_t>(product >> word_bits);
        add_word(place, low, value < 0);
        if (high != 0) add_word(place + word_bits, high, value < 0);
    }

    // Adds the product. It is exact unless its last digit is below the smallest double.
    void add_product(double a, double b)
    {
        const auto product = a * b;
        add(product);
        if (std::isfinite(product)) add(std::fma(a, b, -product));
    }

    ExactSum &operator+=(const ExactSum &other)
    {
        unsigned carry = 0;
        for (std::size_t k = 0; k < words; ++k) {
            const auto sum = static_cast<Double>(words_[k]) + other.words_[k] + carry;
            words_[k] = static_cast<std::uint64_t>(sum);
            carry = static_cast<unsigned>(sum >> word_bits);
        }
        unusual_ += other.unusual_;
        return *this;
    }
    friend ExactSum operator+(ExactSum a, const ExactSum &b) { return a += b; }

    std::strong_ordering operator<=>(const ExactSum &other) const
    {
        const auto sign =
            static_cast<std::int64_t>(words_[words - 1]) <=> static_cast<std::int64_t>(other.words_[words - 1]);
        if (std::is_neq(sign)) return sign;
        for (auto k = words - 1; k-- > 0;)
            if (words_[k] != other.words_[k]) return words_[k] <=> other.words_[k];
        return std::strong_ordering::equal;
    }
    bool operator==(const ExactSum &other) const { return words_ == other.words_; }

    // The nearest double; of two that are equally near, the even one.
    double rounded() const;

  private:
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wpedantic" // a type of GCC and Clang
    using Double = unsigned __int128;
#pragma GCC diagnostic pop
    static constexpr std::uint64_t word_bits = 64;
    static constexpr std::size_t words = 34; // 2098 bits of doubles, 62 of their number, a sign

    // Adds or takes off word x 2^place, in units of 2^-1074.
    void add_word(std::uint64_t place, std::uint64_t word, bool takes_off)
    {
        const auto shifted = static_cast<Double>(word) << (place % word_bits);
        auto k = static_cast<std::size_t>(place / word_bits);
        unsigned carry = 0;
        const auto step = [&](std::uint64_t by) {
            const auto changed = static_cast<Double>(words_[k]);
            const auto result = takes_off ? changed - by - carry : changed + by + carry;
            words_[k++] = static_cast<std::uint64_t>(result);
            carry = (result >> word_bits) != 0 ? 1 : 0;
        };
        step(static_cast<std::uint64_t>(shifted));
        step(static_cast<std::uint64_t>(shifted >> word_bits));
        while (carry != 0 && k < words) step(0);
    }

    std::array<std::uint64_t, words> words_{}; // two's complement, in units of 2^-1074
    double unusual_ = 0;                       // sum of the terms that are not finite
};

} // namespace hpart
