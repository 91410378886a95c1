// A matrix product by the BLAS on memory that the host can address.
#pragma once

#include "host/blas.hpp"
#include "out_of_card/in_card/gemm.hpp"

namespace hpart
{

inline CBLAS_TRANSPOSE cblas_transpose(Transpose transpose)
{
    constexpr CBLAS_TRANSPOSE of[] = {CblasNoTrans, CblasTrans, CblasConjTrans};
    return of[static_cast<int>(transpose)];
}

// Complex coefficients go to the BLAS by address.
template <typename Value> auto by_address(const Value &value)
{
    if constexpr (is_complex_type<Value>)
        return static_cast<const void *>(&value);
    else
        return value;
}

// The first elements of a product's operands, their offsets added.
struct GemmPointers {
    const void *a = nullptr;
    const void *b = nullptr;
    void *c = nullptr;
};

// Status::unsupported when a size or leading dimension is beyond this build's BLAS: to be asked before the product is given
// to a thread on which nothing may fail.
void check_cblas_sizes(const DeviceGemm &what);

// The buffers and offsets of `what` are not looked at. Of checked sizes it does not throw.
void multiply_by_cblas(Scalar type, const DeviceGemm &what, const GemmPointers &at);

} // namespace hpart
