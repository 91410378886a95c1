// Discrete Fourier transforms of data on the host that may be larger than the card.
#pragma once

#include "core/options.hpp"
#include "core/report.hpp"
#include "out_of_card/devices/registry.hpp"

#include <cstdint>
#include <vector>

namespace hpart
{

enum class FftKind : std::uint8_t { complex, real_to_complex, complex_to_real };

// Unnormalised, as FFTW; row-major, batches one after another; the half spectrum is of the last dimension.
struct FftCall {
    bool is_double = true;
    FftKind kind = FftKind::complex;
    std::vector<std::int64_t> dims; // positive
    std::int64_t batch = 1;
    int sign = -1; // of complex ones
    const void *in = nullptr;
    void *out = nullptr; // may be in
};

void fft(Cards &cards, const FftCall &call, const Options &options, Report &report);

} // namespace hpart
