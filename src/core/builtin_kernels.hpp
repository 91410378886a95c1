// The built-in kernels of teams: one line each in a table. src/kernels/registry.cpp makes them; the command reads their names, dimensions,
// operations and libraries.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <span>
#include <string_view>

namespace hpart
{

// A dimension that is the size of the problem: "n=size".
constexpr std::int64_t equal_to_size = -1;

struct KernelWork {
    std::string_view library;                 // on cores, for people
    std::array<std::string_view, 2> versions; // keys of hpart_library_info: on cores, on OpenCL devices
    double (*operations)(double elements);    // floating-point operations; elements: the rows times all dimensions
};

struct KernelName {
    std::string_view name;
    std::span<const std::string_view> dimensions; // in their order
    KernelWork work;
};

inline constexpr std::array<std::string_view, 1> dimension_n = {"n"};
inline constexpr std::array<std::string_view, 2> dimensions_n_k = {"n", "k"};

inline constexpr KernelWork of_products = {
    "OpenBLAS", {"openblas", "clblast"}, [](double elements) { return 2 * elements; }};
// The usual count of a complex transform.
inline constexpr KernelWork of_transforms = {
    "FFTW", {"fftw", "vkfft"}, [](double elements) { return 5 * elements * std::log2(elements); }};

inline constexpr std::array builtin_kernels = {
    KernelName{"dgemm", dimensions_n_k, of_products}, KernelName{"sgemm", dimensions_n_k, of_products},
    KernelName{"dgemv", dimension_n, of_products},    KernelName{"sgemv", dimension_n, of_products},
    KernelName{"fft2d", dimension_n, of_transforms},  KernelName{"zfft", dimension_n, of_transforms},
    KernelName{"cfft", dimension_n, of_transforms},
};

// Null: there is none of that name.
constexpr const KernelName *find_kernel(std::string_view name)
{
    const auto *const found = std::ranges::find(builtin_kernels, name, &KernelName::name);
    return found == builtin_kernels.end() ? nullptr : found;
}

} // namespace hpart
