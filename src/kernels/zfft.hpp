// Forward 2D transforms of complex numbers in single or double precision, interleaved, row-major, unnormalised. Each processor
// transforms its own rows, as the application that the papers measure: no transform of the whole matrix, which is fft2d.
#pragma once

#include "host/host_buffer.hpp"
#include "kernels/dimensions.hpp"
#include "kernels/kernel.hpp"
#include "kernels/workers.hpp"
#include "out_of_card/devices/registry.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace hpart
{

// Rows have n points.
template <typename Real> struct FftDims {
    std::int64_t n;
    std::string description() const;
    // For a problem of that size.
    FftDims at(std::int64_t size) const { return {at_size(n, size)}; }
};

// The host side of a slice. The transform is out of place, so that each run has the same work.
template <typename Real> struct FftData {
    HostBufferOf<Real> in, out;
    FftData() = default;
    // Not yet touched.
    FftData(const FftDims<Real> &dims, std::int64_t rows);
    // One of `parts` shares of the filling: the signal, and zeros for the result.
    void fill(const FftDims<Real> &dims, const Slice &slice, std::size_t part, std::size_t parts);
    const HostBufferOf<Real> &result() const { return out; }
};

template <typename Real> std::unique_ptr<BuiltinKernel> make_fft_on_cores(const FftDims<Real> &dims, CoreList cores);
template <typename Real>
std::unique_ptr<BuiltinKernel> make_fft_on_devices(const FftDims<Real> &dims, DeviceGroup devices);

// The larger of the relative errors, in the 2-norm, against a transform by FFTW as one 2D plan in double precision, and at a
// few points against the sum that defines the transform.
template <typename Real> Check check_fft(const FftDims<Real> &dims, std::span<const SliceResult> slices);

} // namespace hpart
