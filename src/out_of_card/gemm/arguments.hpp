// The arguments of the products, checked, and the products that need no operands.
#pragma once

#include "out_of_card/gemm/gemm.hpp"

namespace hpart
{

// Status::invalid_argument, with the argument's name and value.
void check_arguments(const GemmCall &call);
void check_arguments(const GemvCall &call);

// Where m or n is 0, k is 0 or alpha is 0: done here, without a look at the operands. Says whether it was.
bool done_without_operands(const GemmCall &call);
bool done_without_operands(const GemvCall &call);

// The same product of row-major matrices: the transpose of a product is that of the transposes, exchanged.
GemmCall as_row_major(const GemmCall &call);

} // namespace hpart
