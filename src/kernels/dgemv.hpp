// y = A x in double precision, row-major; the rows of A and y are split.
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
struct DgemvDims {
    std::int64_t n;
    std::string description() const;
    // For a problem of that size.
    DgemvDims at(std::int64_t size) const { return {at_size(n, size)}; }
};

// The host side of a slice. Each processor has its own x.
struct DgemvData {
    HostBuffer a, x, y;
    DgemvData() = default;
    // Not yet touched.
    DgemvData(const DgemvDims &dims, std::int64_t rows);
    // One of `parts` shares of the filling: A and x with the problem's values, y with zeros.
    void fill(const DgemvDims &dims, const Slice &slice, std::size_t part, std::size_t parts);
    const HostBuffer &result() const { return y; }
};

std::unique_ptr<BuiltinKernel> make_dgemv_on_cores(const DgemvDims &dims, CoreList cores);
std::unique_ptr<BuiltinKernel> make_dgemv_on_devices(const DgemvDims &dims, DeviceGroup devices);

// max |y - r| / max |r|, where r is summed in extended precision; the slices are consecutive.
Check check_dgemv(const DgemvDims &dims, std::span<const SliceResult> slices);

} // namespace hpart
