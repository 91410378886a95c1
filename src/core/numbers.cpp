#include "core/numbers.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>

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

namespace
{

constexpr std::int64_t word_bits = 64;
constexpr std::int64_t longest_row = std::int64_t{1} << 22; // words
constexpr std::int64_t most_words = std::int64_t{1} << 27;  // read in all: a tenth of a second

// A row of bits: the sums, in units, of so many sizes.
class Sums
{
  public:
    explicit Sums(std::int64_t highest) { words_.resize(static_cast<std::size_t>(highest / word_bits + 1)); }

    bool has(std::int64_t sum) const
    {
        return (words_[static_cast<std::size_t>(sum / word_bits)] >> (sum % word_bits) & 1U) != 0;
    }

    // All words, which a copy reads.
    std::int64_t words() const { return static_cast<std::int64_t>(words_.size()); }

    // Adds the other one's sums, each with the value added, and returns the number of words.
    std::int64_t add(const Sums &others, std::int64_t value)
    {
        const auto first = static_cast<std::size_t>(value / word_bits);
        const auto shift = static_cast<unsigned>(value % word_bits);
        const auto end = std::min(others.end_, words_.size() - first);
        for (std::size_t w = 0; w < end; ++w) {
            words_[first + w] |= others.words_[w] << shift;
            if (shift > 0 && first + w + 1 < words_.size())
                words_[first + w + 1] |= others.words_[w] >> (word_bits - shift);
        }
        end_ = std::max(end_, std::min(first + end + 1, words_.size()));
        return static_cast<std::int64_t>(end);
    }

  private:
    std::vector<std::uint64_t> words_{1}; // no size
    std::size_t end_ = 1;                 // words beyond are 0
};

} // namespace

std::vector<std::int64_t> possible_sizes(std::span<const std::int64_t> sizes, std::size_t processors, std::int64_t size)
{
    std::vector<std::int64_t> up_to_size;
    std::int64_t unit = 0;
    for (const auto one : sizes) {
        if (one > size) continue;
        up_to_size.push_back(one);
        unit = std::gcd(unit, one);
    }
    if (unit == 0 || size % unit != 0) return {};
    const auto units = size / unit;
    if (units / word_bits >= longest_row) return up_to_size;
    Sums sums(units);
    std::int64_t words = 0;
    const auto is_possible = [&](std::int64_t one) { return sums.has(units - one / unit); };
    for (std::size_t others = 1; others < processors; ++others) {
        if (std::all_of(up_to_size.begin(), up_to_size.end(), is_possible)) break;
        const auto before = sums;
        words += before.words();
        for (const auto one : up_to_size)
            if (words += sums.add(before, one / unit); words > most_words) return up_to_size;
    }
    std::vector<std::int64_t> possible;
    std::copy_if(up_to_size.begin(), up_to_size.end(), std::back_inserter(possible), is_possible);
    return possible;
}

// The fit is by least squares, on polynomials orthogonal over the function's own sizes: no ill-conditioned equations at any degree.
// Source: G. E. Forsythe, Generation and use of orthogonal polynomials for data-fitting, J. SIAM 5 (1957) 74-88. Time O(m degree).

// Squared norms at degree 20 are about 1e-12 a point; of a polynomial that is 0 but for rounding, 1e-32.
constexpr double noise = 1e-20;

std::vector<double> trend_line(const std::vector<double> &x, std::vector<double> y, std::int64_t degree)
{
    const auto count = x.size();
    std::vector<double> fitted(count, 0);
    if (count == 0) return fitted;
    // On [-1, 1], where no power is large.
    const auto [least, most] = std::minmax_element(x.begin(), x.end());
    const auto middle = *least + (*most - *least) / 2;
    const auto half = std::max(*most - middle, 1.0);
    std::vector<double> u(count);
    for (std::size_t k = 0; k < count; ++k) u[k] = (x[k] - middle) / half;

    std::vector<double> before(count, 0);
    std::vector<double> now(count, 1);
    double norm_before = 1;
    const auto highest = std::min(static_cast<std::size_t>(degree), count - 1);
    for (std::size_t d = 0;; ++d) {
        const auto norm = std::inner_product(now.begin(), now.end(), now.begin(), 0.0);
        if (norm < noise * static_cast<double>(count)) return fitted; // fewer distinct sizes than that, as doubles
        // `y` is the rest to fit: less rounding than with the values themselves.
        const auto weight = std::inner_product(y.begin(), y.end(), now.begin(), 0.0) / norm;
        double mean = 0;
        for (std::size_t k = 0; k < count; ++k) {
            fitted[k] += weight * now[k];
            y[k] -= weight * now[k];
            mean += u[k] * now[k] * now[k] / norm;
        }
        if (d == highest) return fitted;
        for (std::size_t k = 0; k < count; ++k) {
            const auto next = (u[k] - mean) * now[k] - (d == 0 ? 0 : norm / norm_before) * before[k];
            before[k] = now[k];
            now[k] = next;
        }
        norm_before = norm;
    }
}

} // namespace hpart
