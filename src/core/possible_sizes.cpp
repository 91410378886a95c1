#include "core/possible_sizes.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace hpart
{

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

} // namespace hpart
