// The four element types of the BLAS, and what a matrix operand may be.
#pragma once

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <type_traits>

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

template <typename Value> struct RealOf {
    using type = Value;
};
template <typename Real> struct RealOf<std::complex<Real>> {
    using type = Real;
};
template <typename Value> using Real = typename RealOf<Value>::type;
template <typename Value> constexpr bool is_complex_type = !std::is_same_v<Value, Real<Value>>;

// Calls work.operator()<Value>() with the type that `type` names.
template <typename Work> auto with_type(Scalar type, const Work &work)
{
    switch (type) {
    case Scalar::s: return work.template operator()<float>();
    case Scalar::d: return work.template operator()<double>();
    case Scalar::c: return work.template operator()<std::complex<float>>();
    case Scalar::z: break;
    }
    return work.template operator()<std::complex<double>>();
}

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

// Times beta, `rows` rows of `columns` elements that lie ld apart. Where beta is 0, what was there is not read. An empty matrix may have
// no memory.
inline void scale_rows(Scalar type, Coefficient beta, void *data, std::int64_t rows, std::int64_t columns,
                       std::int64_t ld)
{
    if (columns == 0 || beta == 1.0) return;
    with_type(type, [&]<typename Value>() {
        const auto factor = coefficient_as<Value>(beta);
        for (std::int64_t i = 0; i < rows; ++i) {
            auto *const row = static_cast<Value *>(data) + i * ld;
            if (factor == Value(0))
                std::fill_n(row, columns, Value(0));
            else
                for (std::int64_t j = 0; j < columns; ++j) row[j] *= factor;
        }
    });
}

} // namespace hpart
