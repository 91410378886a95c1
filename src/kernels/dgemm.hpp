// C = A B in double precision, row-major; the rows of A and C are split.
#pragma once

#include "host/host_buffer.hpp"
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
struct DgemmDims {
    std::int64_t n;
    std::int64_t k;
    std::string description() const;
};

// The host side of a slice. Each processor has its own B, as processes that work together have.
struct DgemmData {
    HostBuffer a, b, c;
    DgemmData() = default;
    // Not yet touched.
    DgemmData(const DgemmDims &dims, std::int64_t rows);
    // One of `parts` shares of the filling: A and B with the problem's values, C with zeros.
    void fill(const DgemmDims &dims, const Slice &slice, std::size_t part, std::size_t parts);
    const HostBuffer &result() const { return c; }
};

std::unique_ptr<BuiltinKernel> make_dgemm_on_cores(const DgemmDims &dims, CoreList cores);
std::unique_ptr<BuiltinKernel> make_dgemm_on_devices(const DgemmDims &dims, DeviceGroup devices);

// max |C - R| / max |R|, where R is the whole product by the BLAS; the slices are consecutive from row 0.
Check check_dgemm(const DgemmDims &dims, std::span<const SliceResult> slices);

} // namespace hpart
