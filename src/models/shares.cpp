// Rounding each quotient alone gives shares that sum to nearly 1. Here the sums of the first i + 1 sizes are rounded to multiples
// of 2^-53, and a share is the difference of two neighbours: the differences and all sums of them are multiples of 2^-53 up to 1,
// which doubles represent exactly.
#include "models/shares.hpp"

#include "core/error.hpp"
#include "core/numbers.hpp"

#include <cmath>

namespace hpart
{

namespace
{

constexpr int binary_places = 53;

// part / whole in units of 2^-53, rounded half up; part <= whole. Long division: exact where doubles are not.
std::int64_t units_of(std::uint64_t part, std::uint64_t whole)
{
    std::int64_t units = part == whole ? 1 : 0;
    auto rest = part == whole ? 0 : part;
    for (int place = 0; place < binary_places; ++place) {
        rest *= 2;
        units *= 2;
        if (rest >= whole) {
            rest -= whole;
            ++units;
        }
    }
    return rest * 2 >= whole ? units + 1 : units;
}

std::int64_t sum_of(std::span<const std::int64_t> x)
{
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
        if (x[i] < 0) fail_argument("x[", i, "] is ", x[i], "; it must not be negative");
        const auto next = checked_add(sum, x[i]);
        if (!next) fail_argument("the sizes in x sum to more than 64 bits hold; they must sum to at most 2^63 - 1");
        sum = *next;
    }
    if (sum == 0) fail_argument("the sizes in x sum to 0; there is nothing to have a share of");
    return sum;
}

} // namespace

std::vector<double> shares_of(std::span<const std::int64_t> x)
{
    const auto whole = sum_of(x);
    std::vector<double> shares;
    shares.reserve(x.size());
    std::int64_t sum = 0;
    std::int64_t units_before = 0;
    for (const auto size : x) {
        sum += size;
        const auto units = units_of(static_cast<std::uint64_t>(sum), static_cast<std::uint64_t>(whole));
        shares.push_back(std::ldexp(static_cast<double>(units - units_before), -binary_places));
        units_before = units;
    }
    return shares;
}

} // namespace hpart
