// Work of the host on matrices, element by element.
#include "out_of_card/factorisations/lapack.hpp"
#include "out_of_card/factorisations/on_host.hpp"

#include <cmath>
#include <limits>
#include <utility>

namespace hpart::on_host
{

namespace
{

// The elements on and below the diagonal, by columns.
template <typename Value, typename Work> void for_lower(const Part<Value> &a, const Work &work)
{
    for (std::int64_t j = 0; j < a.columns; ++j)
        for (std::int64_t i = j; i < a.rows; ++i) work(i, j);
}

template <typename Value> void copy_turned(const Part<Value> &from, const Part<Value> &to)
{
    constexpr std::int64_t tile = 32; // read along and written across, it stays in the first cache
    for (std::int64_t i0 = 0; i0 < from.rows; i0 += tile)
        for (std::int64_t j0 = 0; j0 < from.columns; j0 += tile)
            for (std::int64_t i = i0; i < std::min(from.rows, i0 + tile); ++i)
                for (std::int64_t j = j0; j < std::min(from.columns, j0 + tile); ++j) to.at(i, j) = from.at(i, j);
}

} // namespace

void copy(const HostMatrix &source, const HostMatrix &target)
{
    with_type(source.type, [&]<typename Value>() {
        const auto from = part_of<Value>(source), to = part_of<Value>(target);
        if (from.row_major != to.row_major) return copy_turned(from, to);
        for (std::int64_t k = 0; k < from.lines(); ++k) std::ranges::copy(from.line(k), to.line(k).begin());
    });
}

void copy_lower(const HostMatrix &source, const HostMatrix &target, bool hermitian)
{
    with_type(source.type, [&]<typename Value>() {
        const auto from = part_of<Value>(source), to = part_of<Value>(target);
        for_lower(from, [&](std::int64_t i, std::int64_t j) {
            to.at(i, j) = hermitian && i == j ? std::real(from.at(i, j)) : from.at(i, j);
        });
    });
}

void multiply_to_triangle(Coefficient alpha, const Factor &a, const Factor &b, Coefficient beta, const HostMatrix &c)
{
    const Workspace square(c.type, c.rows, c.rows, c.row_major);
    multiply(alpha, a, b, 0, square.matrix());
    with_type(c.type, [&]<typename Value>() {
        const auto s = part_of<Value>(square.matrix()), to = part_of<Value>(c);
        const auto factor = coefficient_as<Value>(beta);
        for_lower(to, [&](std::int64_t i, std::int64_t j) {
            to.at(i, j) = factor == Value(0) ? s.at(i, j) : factor * to.at(i, j) + s.at(i, j);
        });
    });
}

void scale(Coefficient factor, const HostMatrix &a)
{
    const auto lines = a.row_major ? a.rows : a.columns, length = a.row_major ? a.columns : a.rows;
    scale_rows(a.type, factor, a.data, lines, length, a.ld);
}

void scale_lower(Coefficient factor, const HostMatrix &a)
{
    if (factor == Coefficient(1)) return;
    with_type(a.type, [&]<typename Value>() {
        const auto part = part_of<Value>(a);
        const auto by = coefficient_as<Value>(factor);
        for_lower(part, [&](std::int64_t i, std::int64_t j) {
            part.at(i, j) = by == Value(0) ? Value(0) : by * part.at(i, j);
        });
    });
}

void conjugate(const HostMatrix &a)
{
    with_type(a.type, [&]<typename Value>() {
        const auto part = part_of<Value>(a);
        if constexpr (is_complex_type<Value>)
            for (std::int64_t k = 0; k < part.lines(); ++k)
                for (auto &value : part.line(k)) value = std::conj(value);
    });
}

void make_diagonal_real(const HostMatrix &a)
{
    with_type(a.type, [&]<typename Value>() {
        const auto part = part_of<Value>(a);
        for (std::int64_t k = 0; k < a.rows; ++k) part.at(k, k) = std::real(part.at(k, k));
    });
}

void make_identity(const HostMatrix &a, std::int64_t first, std::int64_t columns)
{
    scale(0, a.block(0, first, a.rows, columns));
    with_type(a.type, [&]<typename Value>() {
        const auto part = part_of<Value>(a);
        for (std::int64_t j = first; j < first + columns; ++j) part.at(j, j) = 1;
    });
}

double norm_of_rows(Triangle triangle, bool unit_diagonal, const HostMatrix &matrix)
{
    return with_type(matrix.type, [&]<typename Value>() {
        const auto a = part_of<Value>(matrix);
        const bool lower = triangle == Triangle::lower;
        double largest = 0;
        for (std::int64_t i = 0; i < a.rows; ++i) {
            double sum = unit_diagonal ? 1 : static_cast<double>(std::abs(a.at(i, i)));
            for (std::int64_t j = lower ? 0 : i + 1; j < (lower ? i : a.columns); ++j)
                sum += static_cast<double>(std::abs(a.at(i, j)));
            if (!(sum <= largest)) largest = sum; // also when it is no number
        }
        return largest;
    });
}

std::int64_t first_unusable(const HostMatrix &a)
{
    return with_type(a.type, [&]<typename Value>() -> std::int64_t {
        constexpr auto least = std::numeric_limits<Real<Value>>::min();
        const auto part = part_of<Value>(a);
        for (std::int64_t k = 0, end = std::min(a.rows, a.columns); k < end; ++k) {
            const Real<Value> real = std::abs(std::real(part.at(k, k))), imaginary = std::abs(std::imag(part.at(k, k)));
            if (std::isnan(real) || std::isnan(imaginary) || std::max(real, imaginary) < least) return k + 1;
        }
        return 0;
    });
}

void swap_rows(const HostMatrix &matrix, std::span<const std::int64_t> pivots, bool forward, std::int64_t first)
{
    const auto count = static_cast<std::int64_t>(pivots.size());
    const auto in_order = [&](const auto &exchange) {
        for (std::int64_t step = 0; step < count; ++step) {
            const auto k = forward ? step : count - 1 - step;
            const auto row = first + k, other = pivots[static_cast<std::size_t>(k)] - 1;
            if (other != row) exchange(row, other);
        }
    };
    if (matrix.is_empty() || count == 0) return;
    with_type(matrix.type, [&]<typename Value>() {
        const auto a = part_of<Value>(matrix);
        if (a.row_major)
            return in_order(
                [&](std::int64_t k, std::int64_t other) { std::ranges::swap_ranges(a.line(k), a.line(other)); });
        for (std::int64_t j = 0; j < a.columns; ++j)
            in_order([&](std::int64_t k, std::int64_t other) { std::swap(a.at(k, j), a.at(other, j)); });
    });
}

void make_v_explicit(const HostMatrix &a, const HostMatrix &v)
{
    copy(a, v);
    with_type(v.type, [&]<typename Value>() {
        const auto part = part_of<Value>(v);
        for (std::int64_t j = 0; j < v.columns; ++j) {
            for (std::int64_t i = 0; i < j; ++i) part.at(i, j) = 0;
            part.at(j, j) = 1;
        }
    });
}

void take_below_diagonal(const HostMatrix &a, const HostMatrix &to)
{
    with_type(a.type, [&]<typename Value>() {
        const auto from = part_of<Value>(a), target = part_of<Value>(to);
        for_lower(from, [&](std::int64_t i, std::int64_t j) {
            if (i > j) target.at(i, j) = std::exchange(from.at(i, j), Value(0));
        });
    });
}

void make_reflector_triangle(const HostMatrix &products, const void *tau, std::int64_t first,
                             const HostMatrix &triangle)
{
    with_type(triangle.type, [&]<typename Value>() {
        const auto s = part_of<Value>(products), t = part_of<Value>(triangle);
        const auto *const factors = static_cast<const Value *>(tau) + first;
        for (std::int64_t j = 0; j < t.columns; ++j) {
            for (std::int64_t i = 0; i < j; ++i) {
                Value sum = 0;
                for (std::int64_t k = i; k < j; ++k) sum += t.at(i, k) * s.at(k, j);
                t.at(i, j) = -factors[j] * sum;
            }
            t.at(j, j) = factors[j];
        }
    });
}

void take_tau(const HostMatrix &t, std::int64_t first, void *tau)
{
    with_type(t.type, [&]<typename Value>() {
        const auto part = part_of<Value>(t);
        for (std::int64_t k = 0; k < t.rows; ++k) static_cast<Value *>(tau)[first + k] = part.at(k, k);
    });
}

} // namespace hpart::on_host
