// The passes of a transform on the host, where its data is: by FFTW on several threads.
#pragma once

#include "host/thread_group.hpp"
#include "out_of_card/fft/fft.hpp"
#include "out_of_card/fft/passes.hpp"

#include <cstdint>

namespace hpart
{

// If middle.data is null, they use memory of the host for one transform.
void first_pass_on_host(OwnThreads &team, const FftPasses &what, std::int64_t item, const FftRange &share);
void second_pass_on_host(OwnThreads &team, const FftPasses &what, std::int64_t item, const FftRange &share);

// A whole call, in two passes by several threads where it is large.
void fft_on_host(OwnThreads &team, const FftCall &call);

// From the transform of n / 2 complex numbers, in place, the n / 2 + 1 of the half spectrum.
void unfold_spectrum(OwnThreads &team, bool is_double, std::int64_t n, void *spectrum);
// The n / 2 complex numbers whose backward transform are the n real ones; `spectrum` may be `folded`.
void fold_spectrum(OwnThreads &team, bool is_double, std::int64_t n, const void *spectrum, void *folded);

} // namespace hpart
