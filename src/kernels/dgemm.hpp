// C = A B in single or double precision, row-major; the rows of A and C are split.
#pragma once

#include "host/host_buffer.hpp"
#include "kernels/dimensions.hpp"
#include "kernels/kernel.hpp"
#include "kernels/workers.hpp"
#include "out_of_card/devices/registry.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace hpart
{

// A is rows x k, B k x n, C rows x n.
template <typename Real> struct GemmDims {
    std::int64_t n;
    std::int64_t k;
    std::string description() const;
    // For a problem of that size.
    GemmDims at(std::int64_t size) const { return {at_size(n, size), at_size(k, size)}; }
    // True if the processors share no matrix B: each has a problem of its own size.
    bool depends_on_size() const { return n == equal_to_size || k == equal_to_size; }
};

// The host side of a slice. Each processor has its own B, as processes that work together have.
template <typename Real> struct GemmData {
    HostBufferOf<Real> a, b, c;
    GemmData() = default;
    // Not yet touched.
    GemmData(const GemmDims<Real> &dims, std::int64_t rows);
    // One of `parts` shares of the filling: A and B with the problem's values, C with zeros.
    void fill(const GemmDims<Real> &dims, const Slice &slice, std::size_t part, std::size_t parts);
    const HostBufferOf<Real> &result() const { return c; }
};

template <typename Real> std::unique_ptr<BuiltinKernel> make_gemm_on_cores(const GemmDims<Real> &dims, CoreList cores);
template <typename Real>
std::unique_ptr<BuiltinKernel> make_gemm_on_devices(const GemmDims<Real> &dims, DeviceGroup devices);

// max |C - R| / max |R|, where R is the whole product by the BLAS in double precision; the slices are consecutive.
template <typename Real> Check check_gemm(const GemmDims<Real> &dims, std::span<const SliceResult> slices);

} // namespace hpart
