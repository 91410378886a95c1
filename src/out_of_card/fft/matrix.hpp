// Matrices of complex numbers on the host, whose rows or columns are transformed, and the steps of that.
#pragma once

#include "out_of_card/in_card/fft.hpp"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace hpart
{

struct FftRange {
    std::int64_t first = 0, count = 0;
    std::int64_t end() const { return first + count; }
};

// Precision and direction of a transform.
struct FftType {
    bool is_double = true;
    int sign = -1;
    std::int64_t complex_bytes() const { return is_double ? 16 : 8; }
};

// One dimension's transforms within a row of a matrix: outer x length x inner numbers.
struct RowStep {
    FftKind kind = FftKind::complex;
    std::int64_t outer = 1, length = 1, inner = 1;
};

// All steps of so many rows, dense.
std::vector<DeviceFftShape> row_shapes(const FftType &sort, const std::vector<RowStep> &steps, std::int64_t rows);

// A matrix on the host, or what its rows are made of or go to: each row is `lines` lines of real numbers there.
struct FftSide {
    unsigned char *data = nullptr; // that of an input is only read
    bool is_real = false;
    std::int64_t lines = 1;       // of a row
    std::int64_t line_bytes = 0;  // that are there
    std::int64_t pitch_bytes = 0; // from line to line
    std::int64_t item_bytes = 0;  // from matrix to matrix
    std::int64_t bytes_of_rows(std::int64_t count) const { return count * lines * line_bytes; }
};

} // namespace hpart
