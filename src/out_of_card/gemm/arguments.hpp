// Products that need no operands, or row-major ones.
#pragma once

#include "out_of_card/gemm/gemm.hpp"

namespace hpart
{

// True if m, n, k or alpha is 0.
bool needs_no_operands(const GemmCall &call);
bool needs_no_operands(const GemvCall &call);
// Does the product without a look at the operands if they are not needed. False if it did nothing.
bool done_without_operands(const GemmCall &call);
bool done_without_operands(const GemvCall &call);

// The same product of row-major matrices: the transpose of a product is that of the transposes, exchanged.
GemmCall as_row_major(const GemmCall &call);

} // namespace hpart
