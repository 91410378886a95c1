// The twiddle on the host.
#pragma once

#include "out_of_card/in_card/fft.hpp"

#include <cstdint>

namespace hpart
{

// The part of it that makes rows first_row to end_row of `to`. Throws nothing.
void twiddle_rows(const DeviceTwiddle &what, const void *from, void *to, const void *roots, std::int64_t first_row,
                  std::int64_t end_row) noexcept;

} // namespace hpart
