#include "core/exact_sum.hpp"

namespace hpart
{

double ExactSum::rounded() const
{
    if (!(unusual_ == 0)) return unusual_;
    auto digits = words_;
    const bool is_negative = static_cast<std::int64_t>(digits.back()) < 0;
    if (is_negative) {
        unsigned carry = 1;
        for (auto &word : digits) {
            word = ~word + carry;
            carry = carry != 0 && word == 0 ? 1 : 0;
        }
    }
    auto top = words;
    while (top > 0 && digits[top - 1] == 0) --top;
    if (top == 0) return 0;
    // The highest 64 digits; the last of them is set if any digit below is.
    const auto zeros = static_cast<std::uint64_t>(std::countl_zero(digits[top - 1]));
    const auto below = top > 1 ? digits[top - 2] : 0;
    auto head = digits[top - 1] << zeros;
    if (zeros > 0) head |= below >> (word_bits - zeros);
    bool is_inexact = (below << zeros) != 0;
    for (std::size_t k = 0; k + 2 < top; ++k) is_inexact = is_inexact || digits[k] != 0;
    const auto place = static_cast<int>((top - 1) * word_bits) - static_cast<int>(zeros); // of the head's last digit
    constexpr int dropped = 11;                                                           // of the head's 64
    auto kept = head >> dropped;
    const auto lost = head & ((std::uint64_t{1} << dropped) - 1);
    const auto half = std::uint64_t{1} << (dropped - 1);
    if (lost > half || (lost == half && (is_inexact || (kept & 1U) != 0))) ++kept;
    const auto magnitude = std::ldexp(static_cast<double>(kept), place + dropped - 1074);
    return is_negative ? -magnitude : magnitude;
}

} // namespace hpart
