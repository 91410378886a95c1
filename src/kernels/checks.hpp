// Shared by the checks of kernels in both precisions.
#pragma once

#include "host/page_memory.hpp"
#include "kernels/kernel.hpp"

#include <type_traits>
#include <vector>

namespace hpart
{

// The values that a kernel of that precision had.
template <typename Real> void round_to(HostBuffer &values)
{
    if constexpr (std::is_same_v<Real, float>)
        for (std::size_t k = 0; k < values.values().size(); ++k)
            values.data()[k] = static_cast<double>(static_cast<float>(values.data()[k]));
}

// Returns the check whose error is the larger part of its tolerance. A result that is not finite has an infinite error.
inline Check worse(const Check &a, const Check &b)
{
    return a.max_relative_error * b.tolerance >= b.max_relative_error * a.tolerance && a.tolerance > 0 ? a : b;
}

// Returns a result in double precision; `store` keeps the copy of a result in single precision.
template <typename Real>
std::span<const double> as_doubles(const HostBufferOf<Real> &values, std::vector<double> &store)
{
    if constexpr (std::is_same_v<Real, double>) {
        return values.values();
    } else {
        store.assign(values.values().begin(), values.values().end());
        return store;
    }
}

} // namespace hpart
