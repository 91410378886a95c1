// The step of a dynamic program over sums: (min,+) convolution of a dense layer with a sparse list.
#pragma once

#include "partitioners/search/simd/level.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace hpart
{

// A layer has this many values of infinity on each side of it, and room for a multiple of it.
constexpr std::size_t layer_padding = 64;

// out[j] = min over k of in[j + offsets[k]] + costs[k] for from <= j < to; `from` is a multiple of layer_padding, and values up to
// the next multiple after `to` are written too. in[0 .. in_count) is padded; offsets increase.
void min_plus(SimdLevel level, const double *in, std::size_t in_count, std::span<const std::int64_t> offsets,
              const double *costs, double *out, std::size_t from, std::size_t to);

} // namespace hpart
