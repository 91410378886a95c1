// A rectangle of a matrix on the host, in its owner's storage.
#pragma once

#include "out_of_card/factorisations/factorisations.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace hpart
{

template <typename Value> struct Part {
    Value *data = nullptr;
    std::int64_t rows = 0, columns = 0;
    std::int64_t ld = 0;
    bool row_major = true;

    Value &at(std::int64_t i, std::int64_t j) const { return row_major ? data[i * ld + j] : data[i + j * ld]; }
    Part block(std::int64_t i, std::int64_t j, std::int64_t block_rows, std::int64_t block_columns) const
    {
        const bool empty = block_rows == 0 || block_columns == 0 || data == nullptr; // it may have no address
        return {empty ? data : &at(i, j), block_rows, block_columns, ld, row_major};
    }
    // The same memory, read as the transpose.
    Part transposed() const { return {data, columns, rows, ld, !row_major}; }

    bool is_empty() const { return rows == 0 || columns == 0; }
    // Lines are contiguous: rows, or columns of a column-major matrix. An empty matrix has none.
    std::int64_t lines() const { return is_empty() ? 0 : row_major ? rows : columns; }
    std::int64_t line_length() const { return row_major ? columns : rows; }
    std::span<Value> line(std::int64_t k) const { return {data + k * ld, static_cast<std::size_t>(line_length())}; }
};

template <typename Value> Part<Value> part_of(const HostMatrix &a)
{
    return {static_cast<Value *>(a.data), a.rows, a.columns, a.ld, a.row_major};
}

template <typename Value> HostMatrix host_matrix(const Part<Value> &a)
{
    return {ScalarOf<Value>::type, a.row_major, a.rows, a.columns, a.data, a.ld};
}

template <typename Value> void copy(const Part<Value> &from, const Part<Value> &to)
{
    if (from.row_major == to.row_major) {
        for (std::int64_t k = 0; k < from.lines(); ++k) std::ranges::copy(from.line(k), to.line(k).begin());
        return;
    }
    if (from.is_empty()) return;
    constexpr std::int64_t tile = 32; // what is read along and written across stays in the first cache
    for (std::int64_t i0 = 0; i0 < from.rows; i0 += tile)
        for (std::int64_t j0 = 0; j0 < from.columns; j0 += tile)
            for (std::int64_t i = i0; i < std::min(from.rows, i0 + tile); ++i)
                for (std::int64_t j = j0; j < std::min(from.columns, j0 + tile); ++j) to.at(i, j) = from.at(i, j);
}

template <typename Value> void fill(const Part<Value> &part, Value value)
{
    for (std::int64_t k = 0; k < part.lines(); ++k) std::ranges::fill(part.line(k), value);
}

template <typename Value> void scale(Value factor, const Part<Value> &part)
{
    if (factor == Value(0)) return fill(part, Value(0));
    if (factor == Value(1)) return;
    for (std::int64_t k = 0; k < part.lines(); ++k)
        for (auto &value : part.line(k)) value *= factor;
}

// 0, or the first element of the diagonal that is 0, counted from 1.
template <typename Value> std::int64_t first_zero(const Part<Value> &a)
{
    for (std::int64_t k = 0; k < a.rows; ++k)
        if (a.at(k, k) == Value(0)) return k + 1;
    return 0;
}

// A matrix of our own.
template <typename Value> class Workspace
{
  public:
    // Without memory its elements are not to be touched.
    Workspace(std::int64_t rows, std::int64_t columns, bool row_major, bool has_memory = true)
        : values_(static_cast<std::size_t>(has_memory ? rows * columns : 0)),
          part_{values_.data(), rows, columns, std::max<std::int64_t>(1, row_major ? columns : rows), row_major}
    {
    }
    const Part<Value> &part() const { return part_; }

  private:
    std::vector<Value> values_;
    Part<Value> part_;
};

// Exchanges row first + k of `a` with row pivots[k] - 1, for k = 0, 1, ... or the other way round.
template <typename Value>
void swap_rows(const Part<Value> &a, std::span<const std::int64_t> pivots, bool forward = true, std::int64_t first = 0)
{
    const auto count = static_cast<std::int64_t>(pivots.size());
    const auto in_order = [&](const auto &exchange) {
        for (std::int64_t step = 0; step < count; ++step) {
            const auto k = forward ? step : count - 1 - step;
            const auto row = first + k, other = pivots[static_cast<std::size_t>(k)] - 1;
            if (other != row) exchange(row, other);
        }
    };
    if (a.is_empty() || count == 0) return;
    if (a.row_major)
        return in_order(
            [&](std::int64_t k, std::int64_t other) { std::ranges::swap_ranges(a.line(k), a.line(other)); });
    for (std::int64_t j = 0; j < a.columns; ++j)
        in_order([&](std::int64_t k, std::int64_t other) { std::swap(a.at(k, j), a.at(other, j)); });
}

} // namespace hpart
