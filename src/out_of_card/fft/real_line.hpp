// A line of an even number n of real numbers as n / 2 complex ones: what remains before or after their transform.
#pragma once

#include "out_of_card/fft/host_pass.hpp"

#include <cstdint>

namespace hpart
{

// From the transform of n / 2 complex numbers, in place, the n / 2 + 1 of the half spectrum.
void unfold_spectrum(HostTeam &team, bool is_double, std::int64_t n, void *spectrum);
// The n / 2 complex numbers whose backward transform are the n real ones; `spectrum` may be `folded`.
void fold_spectrum(HostTeam &team, bool is_double, std::int64_t n, const void *spectrum, void *folded);

} // namespace hpart
