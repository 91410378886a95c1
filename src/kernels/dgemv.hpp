// y = A x in single or double precision, row-major; the rows of A and y are split.
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

// A is rows x n.
template <typename Real> struct GemvDims {
    std::int64_t n;
    std::string description() const;
    // For a problem of that size.
    GemvDims at(std::int64_t size) const { return {at_size(n, size)}; }
};

// The host side of a slice. Each processor has its own x.
template <typename Real> struct GemvData {
    HostBufferOf<Real> a, x, y;
    GemvData() = default;
    // Not yet touched.
    GemvData(const GemvDims<Real> &dims, std::int64_t rows);
    // One of `parts` shares of the filling: A and x with the problem's values, y with zeros.
    void fill(const GemvDims<Real> &dims, const Slice &slice, std::size_t part, std::size_t parts);
    const HostBufferOf<Real> &result() const { return y; }
};

template <typename Real> std::unique_ptr<BuiltinKernel> make_gemv_on_cores(const GemvDims<Real> &dims, CoreList cores);
template <typename Real>
std::unique_ptr<BuiltinKernel> make_gemv_on_devices(const GemvDims<Real> &dims, DeviceGroup devices);

// max |y - r| / max |r|, where r is summed in extended precision; the slices are consecutive.
template <typename Real> Check check_gemv(const GemvDims<Real> &dims, std::span<const SliceResult> slices);

} // namespace hpart
