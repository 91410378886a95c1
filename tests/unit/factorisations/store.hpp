// Matrices as callers hold them, and plain dense ones to check them with.
#pragma once

#include "out_of_card/factorisations/factorisations.hpp"
#include "support/random.hpp"

#include <complex>
#include <string>
#include <vector>

namespace factor_test
{

using support::between;
using support::Random;
using Number = std::complex<double>;

// Column-major, contiguous, double precision: what results are checked with.
struct Dense {
    Dense(std::int64_t rows_, std::int64_t columns_);
    std::int64_t rows, columns;
    std::vector<Number> values;

    Number &at(std::int64_t i, std::int64_t j) { return values[static_cast<std::size_t>(i + j * rows)]; }
    const Number &at(std::int64_t i, std::int64_t j) const { return values[static_cast<std::size_t>(i + j * rows)]; }
    Dense block(std::int64_t i, std::int64_t j, std::int64_t block_rows, std::int64_t block_columns) const;
};

// Some number in [-1, 1], with an imaginary part where the type has one.
Number any_number(hpart::Scalar type, Random &random);
Dense any_dense(hpart::Scalar type, std::int64_t rows, std::int64_t columns, Random &random);
Dense identity(std::int64_t n);

Dense product(const Dense &a, hpart::Transpose transpose_a, const Dense &b, hpart::Transpose transpose_b);
inline Dense product(const Dense &a, const Dense &b)
{
    return product(a, hpart::Transpose::none, b, hpart::Transpose::none);
}
Dense transposed(const Dense &a, hpart::Transpose transpose);
Dense sum(const Dense &a, Number factor, const Dense &b);
// Frobenius's.
double norm(const Dense &a);
// The triangle, the rest zero; with ones on the diagonal if asked. Trapezia too.
Dense triangle_of(const Dense &a, hpart::Triangle triangle, bool unit_diagonal = false);

// Q of LAPACK's reflectors, one after another, tau one column.
Dense q_of(const Dense &factors, const Dense &tau);

double epsilon(hpart::Scalar type);

// A caller's matrix: any type, layout and leading dimension, with guards around it and in its gaps.
class Store
{
  public:
    Store(hpart::Scalar type, bool row_major, std::int64_t rows, std::int64_t columns, std::int64_t gap);
    Store(hpart::Scalar type, bool row_major, const Dense &values, std::int64_t gap);

    hpart::HostMatrix matrix();
    std::int64_t rows() const { return rows_; }
    std::int64_t columns() const { return columns_; }
    hpart::Scalar type() const { return type_; }
    Number get(std::int64_t i, std::int64_t j) const;
    // Rounded to the type.
    void set(std::int64_t i, std::int64_t j, Number value);
    Dense dense() const;
    void assign(const Dense &values);
    // All bytes, guards too.
    const std::vector<char> &bytes() const { return bytes_; }
    bool guards_are_whole() const;

  private:
    std::int64_t place(std::int64_t i, std::int64_t j) const;
    hpart::Scalar type_;
    bool row_major_;
    std::int64_t rows_, columns_, ld_;
    std::vector<char> bytes_;
};

// The updates and the solutions of whole matrices.
hpart::SyrkCall update(Store &a, std::int64_t k, Store &c, Number beta = 0);
hpart::TrsmCall solution(Store &a, Store &b);

// Sizes of all kinds up to `largest`: 0, 1, 2, primes, and just beside multiples of the width of blocks.
std::int64_t any_size(Random &random, std::int64_t largest, std::int64_t width);
hpart::Scalar any_type(Random &random);
bool coin(Random &random);
// A gap by which a leading dimension is above the least; now and then a huge one.
std::int64_t any_gap(Random &random);

std::string name_of(hpart::Scalar type);

} // namespace factor_test
