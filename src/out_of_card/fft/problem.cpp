#include "out_of_card/fft/problem.hpp"

#include "core/error.hpp"
#include "core/numbers.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

namespace hpart
{

namespace
{

using Dims = std::vector<std::int64_t>;

void check_shape(const FftCall &call)
{
    if (call.dims.empty()) fail_argument("the transform has no dimension; it must have one at least");
    for (std::size_t d = 0; d < call.dims.size(); ++d)
        if (call.dims[d] < 1) fail_argument("dimension ", d, " is ", call.dims[d], "; it must be positive");
    if (call.batch < 0) fail_argument("batch is ", call.batch, "; it must not be negative");
    if (call.kind == FftKind::complex && call.sign != -1 && call.sign != 1)
        fail_argument("sign is ", call.sign, "; it must be -1 (forward) or 1 (backward)");
}

// For one batch or more: each array's bytes, and what several passes over it move together, are less than the largest integer.
std::int64_t rows_of(const FftCall &call, std::int64_t row_bytes)
{
    constexpr std::int64_t most_bytes = std::int64_t{1} << 60;
    std::int64_t rows = std::max<std::int64_t>(call.batch, 1);
    for (std::size_t d = 0; d + 1 < call.dims.size(); ++d) rows = saturating_mul(rows, call.dims[d]);
    if (saturating_mul(rows, row_bytes) > most_bytes)
        fail_argument("the arrays of this transform have more than 2^60 bytes, the most that it may have");
    return call.batch == 0 ? 0 : rows;
}

std::int64_t product(const Dims &dims)
{
    return std::accumulate(dims.begin(), dims.end(), std::int64_t{1}, std::multiplies<>());
}

FftType type_of(const FftCall &call)
{
    const int sign_of_real = call.kind == FftKind::real_to_complex ? -1 : 1;
    return {call.is_double, call.kind == FftKind::complex ? call.sign : sign_of_real, call.is_repeated};
}

// The steps of a row that has these dimensions; the last is real on one side if the call's kind says so.
std::vector<RowStep> row_steps(const Dims &dims, FftKind kind)
{
    std::vector<RowStep> steps;
    const auto spectrum = kind == FftKind::complex ? dims.back() : dims.back() / 2 + 1;
    std::int64_t outer = product(dims) / dims.back();
    steps.push_back({kind, outer, dims.back(), 1});
    std::int64_t inner = spectrum;
    for (auto d = dims.size() - 1; d-- > 0;) {
        outer /= dims[d];
        steps.push_back({FftKind::complex, outer, dims[d], inner});
        inner *= dims[d];
    }
    // Real numbers are made last.
    if (kind == FftKind::complex_to_real) std::rotate(steps.begin(), steps.begin() + 1, steps.end());
    return steps;
}

FftSide complex_side(void *data, std::int64_t row_bytes, std::int64_t item_bytes)
{
    return {static_cast<unsigned char *>(data), false, 1, row_bytes, row_bytes, item_bytes};
}

unsigned char *bytes_of(const void *data) { return static_cast<unsigned char *>(const_cast<void *>(data)); }

// The sides of a matrix whose rows have `lines` lines of the call's last dimension.
void set_sides(const FftCall &call, const FftLayout &layout, std::int64_t lines, std::int64_t item_lines, FftSide &in,
               FftSide &out)
{
    const auto row_bytes = lines * layout.spectrum * layout.complex_bytes;
    in = complex_side(bytes_of(call.in), row_bytes, item_lines * layout.in_pitch_bytes);
    out = complex_side(call.out, row_bytes, item_lines * layout.out_pitch_bytes);
    if (call.kind == FftKind::real_to_complex)
        in = {in.data, true, lines, layout.in_row_bytes, layout.in_pitch_bytes, in.item_bytes};
    if (call.kind == FftKind::complex_to_real)
        out = {out.data, true, lines, layout.out_row_bytes, layout.out_pitch_bytes, out.item_bytes};
}

// The dimensions before `split` are the matrix's columns.
FftPasses split_at(const FftCall &call, const FftLayout &layout, const Dims &dims, std::size_t split)
{
    FftPasses work;
    work.type = type_of(call);
    work.items = call.batch;
    const Dims outer(dims.begin(), dims.begin() + static_cast<std::ptrdiff_t>(split));
    const Dims inner(dims.begin() + static_cast<std::ptrdiff_t>(split), dims.end());
    work.column_dims = outer;
    work.rows = product(outer);
    work.row_steps = row_steps(inner, call.kind);
    const auto lines = product(inner) / inner.back(); // of a row
    work.columns = lines * layout.spectrum;
    work.rows_first = call.kind != FftKind::complex_to_real;
    set_sides(call, layout, lines, lines * work.rows, work.in, work.out);
    // The other side's array holds the data between the passes, unless it is of real numbers without padding.
    work.middle = work.rows_first ? work.out : work.in;
    if (!work.rows_first) {
        work.middle.data = layout.in_place ? work.in.data : nullptr;
        if (!layout.in_place) work.middle.item_bytes = 0;
    }
    return work;
}

// One dimension as rows x columns.
FftPasses split_line(const FftCall &call, const FftLayout &layout, std::int64_t rows, std::int64_t columns)
{
    FftPasses work;
    work.type = type_of(call);
    work.items = call.batch;
    work.rows = rows;
    work.columns = columns;
    work.column_dims = {rows};
    work.twiddled = true;
    const auto item_bytes = work.numbers() * layout.complex_bytes;
    work.in = complex_side(bytes_of(call.in), rows * layout.complex_bytes, item_bytes);
    work.out = complex_side(call.out, columns * layout.complex_bytes, item_bytes);
    work.middle = work.out;
    if (layout.in_place) {
        work.middle.data = nullptr;
        work.middle.item_bytes = 0;
    }
    return work;
}

// Factors of n up to so many times apart are near enough to each other.
constexpr double furthest_apart = 16;
constexpr std::size_t most_factorings = 6;

// The nearest to each other first.
std::vector<std::int64_t> factors_near_root(std::int64_t n)
{
    std::vector<std::int64_t> factors;
    const auto root = std::sqrt(static_cast<double>(n));
    const auto least = std::max<std::int64_t>(2, static_cast<std::int64_t>(root / furthest_apart));
    for (auto factor = static_cast<std::int64_t>(root) + 1; factor >= least && factors.size() < most_factorings;
         --factor) {
        if (n % factor != 0 || factor == n) continue;
        factors.push_back(factor);
        if (factor != n / factor && n / factor > 1) factors.push_back(n / factor);
    }
    return factors;
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

double flops_of(const FftCall &call)
{
    const auto points = static_cast<double>(product(call.dims));
    const double each = call.kind == FftKind::complex ? 5 : 2.5;
    return each * static_cast<double>(call.batch) * points * std::log2(std::max(2.0, points));
}

FftProblem problem_of(const FftCall &call)
{
    FftProblem problem;
    const auto layout = layout_of(call);
    const auto &dims = call.dims;
    auto &whole = problem.uncut;
    const auto lines = product(dims) / dims.back(); // of a transform
    whole.type = type_of(call);
    whole.rows = call.batch;
    whole.columns = lines * layout.spectrum;
    whole.row_steps = row_steps(dims, call.kind);
    set_sides(call, layout, lines, lines, whole.in, whole.out);
    whole.middle = whole.out;
    problem.flops = flops_of(call);
    for (std::size_t split = 1; split < dims.size(); ++split)
        problem.cuts.push_back(split_at(call, layout, dims, split));
    if (dims.size() == 1 && call.kind == FftKind::complex)
        for (const auto rows : factors_near_root(dims[0]))
            problem.cuts.push_back(split_line(call, layout, rows, dims[0] / rows));
    return problem;
}

} // namespace hpart
