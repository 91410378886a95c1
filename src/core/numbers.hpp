// Arithmetic of sizes and of sums: checked, rounded, exact.
#pragma once

#include "core/text.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace hpart
{

// Integer sums and products that cannot wrap.

inline std::optional<std::int64_t> checked_add(std::int64_t a, std::int64_t b)
{
    std::int64_t sum = 0;
    if (__builtin_add_overflow(a, b, &sum)) return std::nullopt;
    return sum;
}

inline std::optional<std::int64_t> checked_mul(std::int64_t a, std::int64_t b)
{
    std::int64_t product = 0;
    if (__builtin_mul_overflow(a, b, &product)) return std::nullopt;
    return product;
}

// The sum, or the largest value if it does not fit: for bounds, where "at least that many" suffices.
inline std::int64_t saturating_add(std::int64_t a, std::int64_t b)
{
    return checked_add(a, b).value_or(b > 0 ? std::numeric_limits<std::int64_t>::max()
                                            : std::numeric_limits<std::int64_t>::min());
}

inline std::int64_t saturating_mul(std::int64_t a, std::int64_t b)
{
    return checked_mul(a, b).value_or((a > 0) == (b > 0) ? std::numeric_limits<std::int64_t>::max()
                                                         : std::numeric_limits<std::int64_t>::min());
}

// Whole numbers rounded to multiples.

// For a >= 0 and b > 0.
constexpr std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return a / b + (a % b != 0 ? 1 : 0); }
constexpr std::int64_t round_up(std::int64_t a, std::int64_t multiple) { return ceil_div(a, multiple) * multiple; }
constexpr std::int64_t round_down(std::int64_t a, std::int64_t multiple) { return a / multiple * multiple; }

// Sizes joined by x, as in "12x30x5".

// Nothing when a part is no whole number above 0.
inline std::optional<std::vector<std::int64_t>> parse_sizes(std::string_view text)
{
    std::vector<std::int64_t> sizes;
    for (;;) {
        const auto end = text.find('x');
        const auto size = parse_int(text.substr(0, end));
        if (!size || *size < 1) return std::nullopt;
        sizes.push_back(*size);
        if (end == std::string_view::npos) return sizes;
        text.remove_prefix(end + 1);
    }
}

// Sums of doubles without rounding, rounded once at the end.

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

// Names for doubles that the whole library needs.

inline constexpr double infinity = std::numeric_limits<double>::infinity();
inline constexpr double unknown = std::numeric_limits<double>::quiet_NaN(); // a value that nobody measured
inline constexpr double unit_roundoff = 0x1p-53;

// The least number for which something holds, nearly.

// At most 1/64 above the least number, `from` at least, from which on it holds; nothing where it does not hold up to `most`.
template <typename Holds>
std::optional<std::int64_t> nearly_least(std::int64_t from, std::int64_t most, const Holds &holds)
{
    auto low = from, high = from;
    while (high <= most && !holds(high)) {
        low = high;
        high *= 2;
    }
    if (high > most) return std::nullopt;
    constexpr std::int64_t parts = 64;
    while (high - low > std::max<std::int64_t>(1, high / parts)) {
        const auto middle = low + (high - low) / 2;
        (holds(middle) ? high : low) = middle;
    }
    return high;
}

// The sizes that a split of a workload can have.

// Those of the sizes, each 1 or more, that are part of a sum of at most `processors` of them which is the size of the workload. Empty if
// there is no such sum. If a search of all sums would take long, those up to the size.
std::vector<std::int64_t> possible_sizes(std::span<const std::int64_t> sizes, std::size_t processors,
                                         std::int64_t size);

// The smooth line that stands for a function: method smooth-fpm and hpart plot.

// The polynomial of that degree nearest to the points by least squares, at each x. Of count points, a degree of count - 1 at most is used.
std::vector<double> trend_line(const std::vector<double> &x, std::vector<double> y, std::int64_t degree);

} // namespace hpart
