// A product of matrices that lie in larger buffers of a device, and what these must hold after it, by a product of dense matrices
// in double precision.
#pragma once

#include "out_of_card/in_card/gemm.hpp"
#include "unit/factorisations/store.hpp"
#include "unit/gemm/problem.hpp"

#include <string>

namespace in_card_test
{

using support::between;
using support::Random;

// Row-major matrices.
struct Form : gemm_test::Form {
    hpart::GemmPart part = hpart::GemmPart::whole;
    std::int64_t offset_a = 0, offset_b = 0, offset_c = 0; // elements before the matrices
};

// All transposes and parts; coefficients 0, 1 and others, complex where they may be; sizes from 1 to `largest`, often near multiples of
// the kernel's; gaps and offsets odd and even, or none.
Form any_form(Random &random, hpart::InCardGemm &kernel, std::int64_t largest);
std::string describe(const Form &form);

// A matrix in a buffer.
class Stored
{
  public:
    Stored(hpart::Scalar type, std::int64_t rows, std::int64_t columns, std::int64_t gap, std::int64_t offset,
           factor_test::Number around);
    void assign(const factor_test::Dense &values);
    factor_test::Dense dense() const;
    std::int64_t bytes() const;
    void *data() { return buffer_.matrix().data; }
    hpart::DeviceMatrix in(const hpart::SessionBuffer &buffer) const { return {buffer.get(), offset_, ld_}; }
    // All bytes but the matrix's.
    std::vector<char> around() const;

  private:
    std::int64_t place(std::int64_t i, std::int64_t j) const { return offset_ + i * ld_ + j; }
    std::int64_t rows_, columns_, ld_, offset_;
    factor_test::Store buffer_;
};

// Elements in [-1, 1]. All that belongs to no operand is NaN in A and B, and so is C where beta is 0; around C stands a
// pattern that must stay.
class Product
{
  public:
    Product(const Form &form, Random &random);
    // Brings the operands to the device, runs the kernel once, and brings C back.
    void run(hpart::DeviceSession &session, hpart::InCardGemm &kernel);
    // "" when what was asked for of C is right within the bound and nothing around it changed; else what is wrong.
    std::string check() const;

  private:
    Form form_;
    Stored a_, b_, before_, after_;
};

} // namespace in_card_test
