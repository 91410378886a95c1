#include "out_of_card/fft/fft_layout.hpp"

#include "core/checked.hpp"
#include "core/error.hpp"

#include <algorithm>

namespace hpart
{

namespace
{

void check_shape(const FftCall &call)
{
    if (call.dims.empty()) fail_argument("the transform has no dimension; it must have one at least");
    for (std::size_t d = 0; d < call.dims.size(); ++d)
        if (call.dims[d] < 1) fail_argument("dimension ", d, " is ", call.dims[d], "; it must be positive");
    if (call.batch < 0) fail_argument("batch is ", call.batch, "; it must not be negative");
    if (call.kind == FftKind::complex && call.sign != -1 && call.sign != 1)
        fail_argument("sign is ", call.sign, "; it must be -1 (forward) or 1 (backward)");
}

// Of one batch or more: each array's bytes, and what several passes over it move together, are less than the largest integer.
std::int64_t rows_of(const FftCall &call, std::int64_t row_bytes)
{
    constexpr std::int64_t most_bytes = std::int64_t{1} << 60;
    std::int64_t rows = std::max<std::int64_t>(call.batch, 1);
    for (std::size_t d = 0; d + 1 < call.dims.size(); ++d) rows = saturating_mul(rows, call.dims[d]);
    if (saturating_mul(rows, row_bytes) > most_bytes)
        fail_argument("the arrays of this transform have more than 2^60 bytes, the most that it may have");
    return call.batch == 0 ? 0 : rows;
}

} // namespace

FftLayout layout_of(const FftCall &call)
{
    check_shape(call);
    FftLayout layout;
    layout.real_bytes = call.is_double ? sizeof(double) : sizeof(float);
    layout.complex_bytes = 2 * layout.real_bytes;
    layout.length = call.dims.back();
    layout.spectrum = call.kind == FftKind::complex ? layout.length : layout.length / 2 + 1;
    const auto complex_row = saturating_mul(layout.spectrum, layout.complex_bytes);
    layout.rows = rows_of(call, complex_row);
    const auto real_row = layout.length * layout.real_bytes;
    layout.in_place = call.in == call.out;
    layout.in_row_bytes = call.kind == FftKind::real_to_complex ? real_row : complex_row;
    layout.out_row_bytes = call.kind == FftKind::complex_to_real ? real_row : complex_row;
    layout.in_pitch_bytes = layout.in_place ? complex_row : layout.in_row_bytes;
    layout.out_pitch_bytes = layout.in_place ? complex_row : layout.out_row_bytes;
    return layout;
}

FftCall without_ones(const FftCall &call)
{
    auto out = call;
    out.dims.clear();
    for (std::size_t d = 0; d < call.dims.size(); ++d) {
        const bool is_real = call.kind != FftKind::complex && d + 1 == call.dims.size();
        if (call.dims[d] != 1 || is_real) out.dims.push_back(call.dims[d]);
    }
    if (out.dims.empty()) out.dims.push_back(1);
    return out;
}

} // namespace hpart
