// The arguments of the products, checked, and the products that need no operands.
#pragma once

#include "out_of_card/gemm/gemm.hpp"

namespace hpart
{

// Status::invalid_argument, with the argument's name and value.
void check_arguments(const GemmCall &call);
void check_arguments(const GemvCall &call);

// Does the product without a look at the operands if m, n, k or alpha is 0. False if it did nothing.
bool done_without_operands(const GemmCall &call);
bool done_without_operands(const GemvCall &call);

// The same product of row-major matrices: the transpose of a product is that of the transposes, exchanged.
GemmCall as_row_major(const GemmCall &call);

} // namespace hpart
