// Discrete Fourier transforms of data on the host that may be larger than the device.
#pragma once

#include "core/options.hpp"
#include "host/host_fft.hpp"
#include "out_of_card/devices/registry.hpp"

#include <cstdint>
#include <vector>

namespace hpart
{

// Unnormalised, as FFTW; row-major, batches one after another. The half spectrum of a real transform is of the last
// dimension, n: its rows have n / 2 + 1 complex numbers. Arrays are dense, with one exception: in place, the rows of n real
// numbers stand n / 2 + 1 complex numbers apart, as FFTW's padded ones, so that both sides have equal rows.
// `in` is left as it is unless it is `out`.
struct FftCall {
    bool is_double = true;
    FftKind kind = FftKind::complex;
    std::vector<std::int64_t> dims; // positive, one at least
    std::int64_t batch = 1;
    int sign = -1; // complex: -1 forward, +1 backward; from real numbers: forward, to real numbers: backward
    const void *in = nullptr;
    void *out = nullptr;      // in, or memory that does not overlap it
    bool is_repeated = false; // the first run measures FFTW's plans, so that no later one does
};

void fft(DeviceGroup &devices, const FftCall &call, const Options &options, Report &report);

} // namespace hpart
