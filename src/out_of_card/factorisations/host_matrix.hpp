// Matrices on the host, of any type, in their owner's storage.
#pragma once

#include "core/containers.hpp"
#include "out_of_card/scalar.hpp"

#include <algorithm>
#include <cstdint>
#include <span>

namespace hpart
{

struct HostMatrix {
    Scalar type = Scalar::d;
    bool row_major = true;
    std::int64_t rows = 0, columns = 0;
    void *data = nullptr; // null where nothing is done with the elements
    std::int64_t ld = 0;

    bool is_empty() const { return rows == 0 || columns == 0; }
    HostMatrix block(std::int64_t i, std::int64_t j, std::int64_t block_rows, std::int64_t block_columns) const
    {
        auto part = *this;
        part.rows = block_rows;
        part.columns = block_columns;
        return part.moved(row_major ? i * ld + j : i + j * ld);
    }
    // One of the same shape, so many elements behind. An empty one's address might lie outside the memory.
    HostMatrix moved(std::int64_t elements) const
    {
        auto other = *this;
        if (!is_empty() && data != nullptr) other.data = static_cast<char *>(data) + elements * bytes_of(type);
        return other;
    }
    // The same memory, read as the transpose.
    HostMatrix transposed() const { return {type, !row_major, columns, rows, data, ld}; }
};

// A factor op(matrix) of a product.
template <typename Matrix> struct FactorOf {
    Matrix matrix;
    Transpose transpose = Transpose::none;

    bool is_plain() const { return transpose == Transpose::none; }
    std::int64_t rows() const { return is_plain() ? matrix.rows : matrix.columns; }
    std::int64_t columns() const { return is_plain() ? matrix.columns : matrix.rows; }
    FactorOf some_rows(std::int64_t first, std::int64_t count) const
    {
        return {is_plain() ? matrix.block(first, 0, count, matrix.columns) : matrix.block(0, first, matrix.rows, count),
                transpose};
    }
    FactorOf some_columns(std::int64_t first, std::int64_t count) const
    {
        return {is_plain() ? matrix.block(0, first, matrix.rows, count) : matrix.block(first, 0, count, matrix.columns),
                transpose};
    }
};
using Factor = FactorOf<HostMatrix>;

// The elements of a matrix.
template <typename Value> struct Part {
    Value *data = nullptr;
    std::int64_t rows = 0, columns = 0;
    std::int64_t ld = 0;
    bool row_major = true;

    Value &at(std::int64_t i, std::int64_t j) const { return row_major ? data[i * ld + j] : data[i + j * ld]; }
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

// A matrix of our own, of zeros; or without memory, where nothing is done with its elements.
class Workspace
{
  public:
    Workspace(Scalar type, std::int64_t rows, std::int64_t columns, bool row_major, bool has_memory = true)
        : bytes_(static_cast<std::size_t>(has_memory ? rows * columns * bytes_of(type) : 0)),
          matrix_{type,
                  row_major,
                  rows,
                  columns,
                  has_memory ? bytes_.data() : nullptr,
                  std::max<std::int64_t>(1, row_major ? columns : rows)}
    {
    }
    const HostMatrix &matrix() const { return matrix_; }

  private:
    AlignedVector<unsigned char> bytes_;
    HostMatrix matrix_;
};

} // namespace hpart
