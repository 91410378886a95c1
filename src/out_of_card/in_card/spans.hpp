// Products cut so that no operand is too long for a library's 32-bit offsets.
#pragma once

#include "out_of_card/in_card/gemm.hpp"

#include <cstdint>
#include <vector>

namespace hpart
{

// The product, or parts of it to be made in this order: each of an operand's elements are at most `longest` apart, first and last counted.
std::vector<DeviceGemm> within_span(const DeviceGemm &what, std::int64_t longest);

} // namespace hpart
