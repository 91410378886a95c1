// Matrix products whose operands are on the host and may be larger than the device.
#pragma once

#include "core/options.hpp"
#include "core/progress.hpp"
#include "out_of_card/devices/registry.hpp"
#include "out_of_card/pipeline/device_team.hpp"
#include "out_of_card/scalar.hpp"

#include <cstdint>

namespace hpart
{

// The BLAS's arguments, checked; C = alpha op(A) op(B) + beta C. C overlaps neither A nor B.
struct GemmCall {
    Scalar type = Scalar::d;
    bool row_major = true;
    Transpose transpose_a = Transpose::none, transpose_b = Transpose::none;
    std::int64_t m = 0, n = 0, k = 0;
    Coefficient alpha = 1;
    const void *a = nullptr;
    std::int64_t lda = 0;
    const void *b = nullptr;
    std::int64_t ldb = 0;
    Coefficient beta = 0;
    void *c = nullptr;
    std::int64_t ldc = 0;
};

Account gemm(DeviceGroup &devices, const GemmCall &call, const Options &options);
// A product that is part of an operation; the arguments and tiles of the operation were checked.
Account part_of_operation(DeviceGroup &devices, const GemmCall &call, const Options &options);
inline void gemm(DeviceGroup &devices, const GemmCall &call, const Options &options, Report &report)
{
    gemm(devices, call, options).report(report);
}

// y = alpha op(A) x + beta y; A is m x n, increments as in the BLAS (negative: from the end).
struct GemvCall {
    Scalar type = Scalar::d;
    bool row_major = true;
    Transpose transpose_a = Transpose::none;
    std::int64_t m = 0, n = 0;
    Coefficient alpha = 1;
    const void *a = nullptr;
    std::int64_t lda = 0;
    const void *x = nullptr;
    std::int64_t incx = 1;
    Coefficient beta = 0;
    void *y = nullptr;
    std::int64_t incy = 1;
};

Account gemv(DeviceGroup &devices, const GemvCall &call, const Options &options);

// The math modes of the devices' libraries for products of this type, if not the usual ones: "tf32", "tf32+pedantic".
std::string math_mode_of_products(DeviceGroup &devices, Scalar type);

inline void gemv(DeviceGroup &devices, const GemvCall &call, const Options &options, Report &report)
{
    gemv(devices, call, options).report(report);
}

// True if m, n, k or alpha is 0.
bool needs_no_operands(const GemmCall &call);
bool needs_no_operands(const GemvCall &call);
// Does the product without a look at the operands if they are not needed. False if it did nothing.
bool done_without_operands(const GemmCall &call);
bool done_without_operands(const GemvCall &call);

// The same product of row-major matrices: the transpose of a product is the product of the transposes, exchanged.
GemmCall as_row_major(const GemmCall &call);

// Products where the matrices are: on the host, by the BLAS.

// On so many threads; 0: on all that the BLAS has. Status::unsupported without a BLAS, and where a size does not fit its
// integers.
void gemm_on_host(const GemmCall &row_major, int threads, Control &control);
void gemv_on_host(const GemvCall &call);
// Fails as it does for sizes that the BLAS does not take; nothing is written.
void check_host_sizes(const GemvCall &call);
// Fails as gemm_on_host does, before anything is changed.
void check_host_sizes(const GemmCall &row_major);
// True if this build has the BLAS that these need.
bool has_host_blas();

} // namespace hpart
