// The forward 2D transform of double-precision complex numbers, interleaved, row-major, unnormalised. The rows of a signal
// are split, and each processor transforms its own: the application that the papers measure.
#pragma once

#include "host/host_buffer.hpp"
#include "kernels/kernel.hpp"
#include "kernels/workers.hpp"
#include "out_of_card/devices/registry.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace hpart
{

// Rows have n points.
struct ZfftDims {
    std::int64_t n;
    std::string description() const;
};

// The host side of a slice. The transform is out of place, so that each run has the same work.
struct ZfftData {
    HostBuffer in, out;
    ZfftData() = default;
    // Not yet touched.
    ZfftData(const ZfftDims &dims, std::int64_t rows);
    // One of `parts` shares of the filling: the signal, and zeros for the result.
    void fill(const ZfftDims &dims, const Slice &slice, std::size_t part, std::size_t parts);
    const HostBuffer &result() const { return out; }
};

std::unique_ptr<BuiltinKernel> make_zfft_on_cores(const ZfftDims &dims, CoreList cores);
std::unique_ptr<BuiltinKernel> make_zfft_on_devices(const ZfftDims &dims, DeviceGroup devices);

// The larger of the relative errors, in the 2-norm, against a transform by FFTW as one 2D plan, and at a few points
// against the sum that defines the transform.
Check check_zfft(const ZfftDims &dims, std::span<const SliceResult> slices);

} // namespace hpart
