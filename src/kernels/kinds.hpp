// The built-in kernels: each is made in a file of its own.
#pragma once

#include "host/cores.hpp"
#include "kernels/dimensions.hpp"
#include "kernels/kernel.hpp"
#include "out_of_card/devices/registry.hpp"

#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace hpart
{

struct KernelKind {
    using Dims = std::span<const Dimension>;
    std::string_view name;
    std::vector<std::string_view> dimensions;
    std::string_view library_on_cores;
    // Null if this build lacks the library.
    std::unique_ptr<BuiltinKernel> (*on_cores)(Dims dims, CoreList cores);
    std::unique_ptr<BuiltinKernel> (*on_devices)(Dims dims, DeviceGroup devices);
};

// C = A B, row-major; the rows of A and C are split.
template <typename Real> KernelKind gemm_kind(std::string_view name);
// y = A x, row-major; the rows of A and y are split.
template <typename Real> KernelKind gemv_kind(std::string_view name);
// Forward 2D transforms of complex numbers, interleaved, row-major, unnormalised. Each processor transforms its own rows, as the application
// that the papers measure: no transform of the whole matrix, which is fft2d.
template <typename Real> KernelKind fft_kind(std::string_view name);
// One transform of a matrix of double precision that the processors share.
KernelKind fft2d_kind();

// Compares slices of fft_kind. The error is the larger of the relative ones, in the 2-norm, against a transform by FFTW as one 2D plan in
// double precision, and at a few points against the sum that defines the transform. n: points of a row, or equal_to_size.
template <typename Real> Check check_fft(std::int64_t n, std::span<const SliceResult> slices);

} // namespace hpart
