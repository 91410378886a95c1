// Large arrays on the host: memory, numbers that can be made again at any place, and sums over them, on all cores.
#pragma once

#include "out_of_card/scalar.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <thread>
#include <vector>

namespace gpu_bench
{

using hpart::Scalar;

// Calls job(first, end) for parts of [0, count), a thread each.
template <typename Job> void in_parallel(std::int64_t count, const Job &job)
{
    const auto threads =
        std::clamp<std::int64_t>(std::thread::hardware_concurrency(), 1, std::max<std::int64_t>(count, 1));
    std::vector<std::thread> running;
    for (std::int64_t t = 0; t < threads; ++t)
        running.emplace_back([&, t] { job(count * t / threads, count * (t + 1) / threads); });
    for (auto &thread : running) thread.join();
}

// A number of (-1/2, 1/2) by its place: no array is kept to compare with.
inline double number_at(std::uint64_t place, std::uint64_t seed)
{
    auto bits = (place + 1) * 0x9e3779b97f4a7c15U ^ seed * 0xd1b54a32d192ed03U;
    bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9U;
    bits = (bits ^ bits >> 27) * 0x94d049bb133111ebU;
    return static_cast<double>((bits ^ bits >> 31) >> 11) * 0x1p-53 - 0.5;
}

template <typename Value> Value value_at(std::int64_t place, std::uint64_t seed)
{
    const auto k = static_cast<std::uint64_t>(place);
    if constexpr (hpart::is_complex(hpart::ScalarOf<Value>::type))
        return Value(std::complex<double>(number_at(2 * k, seed), number_at(2 * k + 1, seed)));
    else
        return static_cast<Value>(number_at(k, seed));
}

template <typename Value> void fill(Value *values, std::int64_t count, std::uint64_t seed)
{
    in_parallel(count, [&](std::int64_t first, std::int64_t end) {
        for (auto k = first; k < end; ++k) values[k] = value_at<Value>(k, seed);
    });
}

// The larger one; not a number where there is one: it is an error beyond all others.
inline double worse(double a, double b) { return a > b || std::isnan(a) ? a : b; }

// Rough sums for checks, in double precision.
using Wide = std::complex<double>;
inline Wide wide(float value) { return static_cast<double>(value); }
inline Wide wide(double value) { return value; }
inline Wide wide(std::complex<float> value) { return Wide(value); }
inline Wide wide(std::complex<double> value) { return value; }

// y = A x, A row-major and contiguous.
template <typename Value>
std::vector<Wide> times(const Value *a, std::int64_t rows, std::int64_t columns, const std::vector<Wide> &x)
{
    std::vector<Wide> y(static_cast<std::size_t>(rows));
    in_parallel(rows, [&](std::int64_t first, std::int64_t end) {
        for (auto i = first; i < end; ++i) {
            Wide sum = 0;
            for (std::int64_t j = 0; j < columns; ++j) sum += wide(a[i * columns + j]) * x[static_cast<std::size_t>(j)];
            y[static_cast<std::size_t>(i)] = sum;
        }
    });
    return y;
}

inline std::vector<Wide> any_vector(std::int64_t count)
{
    std::vector<Wide> x(static_cast<std::size_t>(count));
    for (std::size_t k = 0; k < x.size(); ++k) x[k] = number_at(k, 99);
    return x;
}

// The largest difference of an element, over the root mean square of `right`. Not a number where there is one.
inline double difference(const std::vector<Wide> &left, const std::vector<Wide> &right)
{
    double largest = 0, squares = 0;
    for (std::size_t k = 0; k < left.size(); ++k) {
        const auto apart = std::abs(left[k] - right[k]);
        largest = worse(apart, largest);
        squares += std::norm(right[k]);
    }
    return largest / std::sqrt(squares / static_cast<double>(left.size()));
}

} // namespace gpu_bench
