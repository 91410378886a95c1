// A product to be computed, and what its result must be, by a product of dense matrices in double precision.
#pragma once

#include "out_of_card/gemm/gemm.hpp"
#include "support/random.hpp"

#include <complex>
#include <string>
#include <vector>

namespace gemm_test
{

using support::between;
using support::Random;

// A call without matrices.
struct Form : hpart::GemmCall {
    std::int64_t gap_a = 0, gap_b = 0, gap_c = 0; // leading dimensions above the least
};

// Every type, layout, transpose; coefficients 0, 1 and others; sizes up to `largest`, with edge values; leading dimensions
// from the least to huge ones.
Form any_form(Random &random, std::int64_t largest);
inline Form form_of(std::int64_t m, std::int64_t n, std::int64_t k, hpart::Coefficient beta = 0)
{
    Form form;
    form.m = m;
    form.n = n;
    form.k = k;
    form.beta = beta;
    return form;
}
std::string describe(const Form &form);

// Elements in [-1, 1]. What is not to be read is NaN: C where beta is 0, A and B where alpha is 0, and all gaps of A and B.
class Problem
{
  public:
    Problem(const Form &form, Random &random);

    const hpart::GemmCall &call() const { return call_; }
    const Form &form() const { return form_; }
    // "" when C is what it must be and its gaps as they were; else what is wrong.
    std::string check() const;
    // C as it was.
    void restore() { c_ = c_before_; }
    bool unchanged() const { return c_ == c_before_; }
    const std::vector<char> &result() const { return c_; }

  private:
    Form form_;
    hpart::GemmCall call_;
    std::vector<char> a_, b_, c_, c_before_;
};

} // namespace gemm_test
