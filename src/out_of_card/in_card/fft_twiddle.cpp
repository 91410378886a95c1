#include "out_of_card/in_card/fft_twiddle.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

namespace hpart
{

namespace
{

// Squares of so many numbers a side go through the cache together.
constexpr std::int64_t block = 16;

template <typename Real> void put_root(std::vector<unsigned char> &bytes, std::int64_t k, long double angle, int sign)
{
    const Real root[] = {static_cast<Real>(std::cos(angle)), static_cast<Real>(sign * std::sin(angle))};
    std::memcpy(bytes.data() + k * static_cast<std::int64_t>(sizeof root), root, sizeof root);
}

template <typename Real> struct Number {
    Real re, im;
};

template <typename Real> Number<Real> product(const Number<Real> &a, const Number<Real> &b)
{
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}

template <typename Real>
void twiddle_block(const DeviceTwiddle &what, const Number<Real> *from, Number<Real> *to, const Number<Real> *roots,
                   std::int64_t row, std::int64_t rows, std::int64_t column, std::int64_t columns)
{
    const auto fine = fine_twiddle_roots(what.n);
    for (std::int64_t c = column; c < column + columns; ++c) {
        // The exponent, in numbers of two digits: divisions take longer than all the rest.
        const auto step = what.first + c, step_low = step % fine, step_high = step / fine;
        auto low = step * row % fine, high = step * row / fine;
        for (std::int64_t k = row; k < row + rows; ++k) {
            to[c * what.rows + k] = product(from[k * what.columns + c], product(roots[low], roots[fine + high]));
            low += step_low;
            const std::int64_t carry = low >= fine ? 1 : 0;
            low -= carry * fine;
            high += step_high + carry;
        }
    }
}

template <typename Real>
void twiddle_columns(const DeviceTwiddle &what, const void *from, void *to, const void *roots, std::int64_t first,
                     std::int64_t end)
{
    for (std::int64_t c = first; c < end; c += block)
        for (std::int64_t k = 0; k < what.rows; k += block)
            twiddle_block(what, static_cast<const Number<Real> *>(from), static_cast<Number<Real> *>(to),
                          static_cast<const Number<Real> *>(roots), k, std::min(block, what.rows - k), c,
                          std::min(block, end - c));
}

} // namespace

std::int64_t fine_twiddle_roots(std::int64_t n)
{
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(std::sqrt(static_cast<double>(n)))));
}

std::int64_t count_twiddle_roots(std::int64_t n)
{
    const auto fine = fine_twiddle_roots(n);
    return fine + (n + fine - 1) / fine;
}

std::vector<unsigned char> twiddle_roots(std::int64_t n, int sign, bool is_double)
{
    const auto fine = fine_twiddle_roots(n), count = count_twiddle_roots(n);
    std::vector<unsigned char> bytes(static_cast<std::size_t>(count * (is_double ? 16 : 8)));
    for (std::int64_t k = 0; k < count; ++k) {
        const auto exponent = static_cast<long double>(k < fine ? k : (k - fine) * fine);
        const auto angle = 2 * std::numbers::pi_v<long double> * exponent / static_cast<long double>(n);
        if (is_double)
            put_root<double>(bytes, k, angle, sign);
        else
            put_root<float>(bytes, k, angle, sign);
    }
    return bytes;
}

void twiddle_rows(const DeviceTwiddle &what, const void *from, void *to, const void *roots, std::int64_t first_row,
                  std::int64_t end_row) noexcept
{
    if (what.is_double)
        twiddle_columns<double>(what, from, to, roots, first_row, end_row);
    else
        twiddle_columns<float>(what, from, to, roots, first_row, end_row);
}

} // namespace hpart
