// A product of matrices that lie in larger buffers of a device, and what these must hold after it, by plain loops.
#pragma once

#include "out_of_card/in_card/gemm.hpp"
#include "support/random.hpp"

#include <memory>
#include <string>

namespace in_card_test
{

using support::between;
using support::Random;

struct Form {
    hpart::Scalar type = hpart::Scalar::d;
    hpart::Transpose transpose_a = hpart::Transpose::none, transpose_b = hpart::Transpose::none;
    std::int64_t m = 1, n = 1, k = 1;
    hpart::Coefficient alpha = 1, beta = 0;
    hpart::GemmPart part = hpart::GemmPart::whole;
    std::int64_t gap_a = 0, gap_b = 0, gap_c = 0;          // leading dimensions above the least
    std::int64_t offset_a = 0, offset_b = 0, offset_c = 0; // elements before the matrices
};

// All transposes and parts; coefficients 0, 1 and others, complex where they may be; sizes from 1 to `largest`, often near multiples of
// the kernel's; gaps and offsets odd and even, or none.
Form any_form(Random &random, hpart::InCardGemm &kernel, std::int64_t largest);
std::string describe(const Form &form);

// Elements in [-1, 1]. All that belongs to no operand is NaN in A and B, and so is C where beta is 0; around C stands a
// pattern that must stay.
class Product
{
  public:
    virtual ~Product() = default;
    // Brings the operands to the device, runs the kernel once, and brings C back.
    virtual void run(hpart::DeviceSession &session, hpart::InCardGemm &kernel) = 0;
    // "" when what was asked for of C is right within the bound and nothing around it changed; else what is wrong.
    virtual std::string check() const = 0;
};

std::unique_ptr<Product> make_product(const Form &form, Random &random);

} // namespace in_card_test
