// The four element types of the BLAS, and what a matrix operand may be.
#pragma once

#include <cmath>
#include <complex>
#include <cstdint>

namespace hpart
{

enum class Scalar : std::uint8_t { s, d, c, z };

constexpr std::int64_t bytes_of(Scalar type)
{
    constexpr std::int64_t bytes[] = {4, 8, 8, 16};
    return bytes[static_cast<int>(type)];
}
constexpr bool is_complex(Scalar type) { return type == Scalar::c || type == Scalar::z; }
constexpr bool is_double(Scalar type) { return type == Scalar::d || type == Scalar::z; }
// Additions and multiplications of a product of complex numbers and its sum count eight, of real ones two.
constexpr double flops_per_product(Scalar type) { return is_complex(type) ? 8 : 2; }

template <typename Value> struct ScalarOf;
template <> struct ScalarOf<float> {
    static constexpr Scalar type = Scalar::s;
};
template <> struct ScalarOf<double> {
    static constexpr Scalar type = Scalar::d;
};
template <> struct ScalarOf<std::complex<float>> {
    static constexpr Scalar type = Scalar::c;
};
template <> struct ScalarOf<std::complex<double>> {
    static constexpr Scalar type = Scalar::z;
};

// The BLAS's op(): the operand as it is, its transpose, or its conjugate transpose (the transpose for real types).
enum class Transpose : std::uint8_t { none, transpose, conjugate };

// alpha and beta of any type, kept in double precision: float's values are among them.
using Coefficient = std::complex<double>;

inline bool is_finite(const Coefficient &value) { return std::isfinite(value.real()) && std::isfinite(value.imag()); }

// A coefficient as the type's own value; real types take its real part.
template <typename Value> Value coefficient_as(const Coefficient &value)
{
    if constexpr (std::is_floating_point_v<Value>)
        return static_cast<Value>(value.real());
    else
        return Value(value);
}

} // namespace hpart
