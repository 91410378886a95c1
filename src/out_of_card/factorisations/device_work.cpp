#include "out_of_card/factorisations/device_work.hpp"

#include "core/numbers.hpp"
#include "out_of_card/in_card/spans.hpp"

#include <algorithm>
#include <numeric>

namespace hpart
{

namespace
{

DeviceMatrix as_stored(const DeviceBlock &part) { return {part.buffer, part.offset, part.ld}; }

Area area_of_all(const DeviceBuffer *buffer, std::int64_t bytes) { return {buffer, {0, 1, bytes, bytes}}; }

} // namespace

DeviceWork::DeviceWork(DeviceSession &session, Scalar type, bool row_major, Control &control, const Options &options,
                       Fraction fraction)
    : session_(session), type_(type), row_major_(row_major), fraction_(std::move(fraction)),
      kernel_(in_card_gemm(session, type, options.get_text("kernel"))),
      simulated_(session.find<SimulatedHost>(SimulatedHost::name)), flow_(session, control, FlowOptions::from(options))
{
}

DeviceBlock DeviceWork::allocate(std::int64_t rows, std::int64_t columns, bool row_major)
{
    const auto lines = row_major ? rows : columns, ld = padded_row(row_major ? columns : rows, type_);
    buffers_.push_back(session_.allocate(lines * ld * bytes_of(type_)));
    return {buffers_.back().get(), 0, ld, rows, columns, row_major};
}

// Columns of a triangle that are computed at once: fewer launches against less above the diagonal.
std::int64_t DeviceWork::strip_of_triangle(std::int64_t columns) const
{
    // Strips of b columns take least time with b = sqrt(F l / depth), l the seconds of a launch: 250 for usual processors (160
    // GF/s, 50 us); GPUs could do with fewer, but hide their launches.
    constexpr std::int64_t usual_strip = 256;
    const auto strips = ceil_div(columns, usual_strip);
    return round_up(ceil_div(columns, strips), std::lcm(kernel_->row_multiple(), kernel_->column_multiple()));
}

void DeviceWork::make_slots(std::int64_t rows, std::int64_t columns)
{
    for (auto &slot : slots_) slot = allocate(rows, columns);
}

const DeviceBlock &DeviceWork::next_slot()
{
    const auto &slot = slots_[next_];
    next_ = (next_ + 1) % slots;
    return slot;
}

Rectangle DeviceWork::lines(std::int64_t rows, std::int64_t columns) const
{
    return row_major_ ? Rectangle{rows, columns * bytes_of(type_)} : Rectangle{columns, rows * bytes_of(type_)};
}

BufferSide DeviceWork::side(const DeviceBlock &block) const
{
    const auto s = bytes_of(type_);
    return {block.buffer, block.offset * s, block.ld * s};
}

Area DeviceWork::area(const DeviceBlock &block) const
{
    const auto s = bytes_of(type_);
    return area_of(side(block), block.row_major ? Rectangle{block.rows, block.columns * s}
                                                : Rectangle{block.columns, block.rows * s});
}

void DeviceWork::copy(const DeviceBlock &from, const DeviceBlock &to)
{
    flow_.copy(side(from), side(to), lines(from.rows, from.columns));
}

void DeviceWork::send(const DeviceBlock &to, const HostMatrix &from)
{
    flow_.write(side(to), from.data, from.ld * bytes_of(type_), lines(from.rows, from.columns));
}

void DeviceWork::fetch(const DeviceBlock &from, const HostMatrix &to)
{
    flow_.read(side(from), to.data, to.ld * bytes_of(type_), lines(to.rows, to.columns));
}

void DeviceWork::wait_for(const HostMatrix &matrix)
{
    flow_.wait_for({nullptr, host_block(matrix.data, matrix.ld * bytes_of(type_), lines(matrix.rows, matrix.columns))});
}

void DeviceWork::copy_aside(const DeviceBlock &from, const DeviceBlock &to)
{
    flow_.copy_aside(side(from), side(to), lines(from.rows, from.columns));
}

void DeviceWork::multiply_lower(Coefficient alpha, const DeviceFactor &a, const DeviceFactor &b, Coefficient beta,
                                const DeviceBlock &c)
{
    if (kernel_->passes_over_parts())
        return multiply(alpha, a, b, beta, c, row_major_ ? GemmPart::lower : GemmPart::upper);
    // Rows below the triangle at once; its own in strips.
    const auto triangle = std::min(c.rows, c.columns), strip = strip_of_triangle(triangle);
    for (std::int64_t first = 0; first < triangle; first += strip) {
        const auto count = std::min(strip, triangle - first), rows = triangle - first;
        multiply(alpha, a.some_rows(first, rows), b.some_columns(first, count), beta,
                 c.block(first, first, rows, count));
    }
    const auto below = c.rows - triangle;
    multiply(alpha, a.some_rows(triangle, below), b.some_columns(0, triangle), beta,
             c.block(triangle, 0, below, triangle));
}

DeviceBuffer *DeviceWork::scratch_for(std::int64_t m, std::int64_t n, std::int64_t k)
{
    if (const auto bytes = kernel_->scratch_bytes(m, n, k); bytes > scratch_bytes_) {
        flow_.wait_for(area_of_all(scratch_.get(), scratch_bytes_)); // a kernel may still use the old scratch
        scratch_.release();
        scratch_ = session_.allocate(bytes);
        scratch_bytes_ = bytes;
    }
    return scratch_.get();
}

void DeviceWork::multiply(Coefficient alpha, const DeviceFactor &a, const DeviceFactor &b, Coefficient beta,
                          const DeviceBlock &c, GemmPart part)
{
    const auto k = a.columns();
    if (c.rows == 0 || c.columns == 0 || k == 0) return;
    // Column-major storage is row-major storage of the transposes: op(B)^T op(A)^T.
    const auto &left = row_major_ ? a : b, &right = row_major_ ? b : a;
    const auto m = row_major_ ? c.rows : c.columns, n = row_major_ ? c.columns : c.rows;
    auto *const scratch = scratch_for(m, n, k);
    std::vector<Area> written{area(c)};
    if (scratch != nullptr) written.push_back(area_of_all(scratch, scratch_bytes_));
    flow_.launch(kernel_->product({.m = m,
                                   .n = n,
                                   .k = k,
                                   .transpose_a = left.transpose,
                                   .transpose_b = right.transpose,
                                   .alpha = alpha,
                                   .beta = beta,
                                   .a = as_stored(left.matrix),
                                   .b = as_stored(right.matrix),
                                   .c = as_stored(c),
                                   .part = part,
                                   .scratch = scratch}),
                 {area(a.matrix), area(b.matrix)}, std::move(written));
}

namespace
{

// A solution by the inverse has the error of a product times the block's condition; substitution's error is mostly far smaller.
// Blocks of factors by LU with pivots have conditions of some tens of their width.
constexpr double largest_condition_per_row = 32;

} // namespace

void DiagonalBlocks::invert(std::int64_t k, const HostMatrix &a, const Shape &shape)
{
    auto &block = blocks_[static_cast<std::size_t>(k)];
    const auto inverse = block.inverse.matrix().block(0, 0, a.rows, a.columns);
    block.a = a;
    block.shape = shape;
    on_host::make_identity(inverse, 0, a.columns);
    on_host::solve_triangle({.triangle = shape.triangle, .unit_diagonal = shape.unit_diagonal}, a, inverse);
    const auto condition = on_host::norm_of_rows(shape.triangle, shape.unit_diagonal, a) *
                           on_host::norm_of_rows(shape.triangle, false, inverse);
    block.is_accurate = condition <= largest_condition_per_row * static_cast<double>(a.rows);
}

HostMatrix DiagonalBlocks::inverse(std::int64_t k) const
{
    const auto &block = blocks_[static_cast<std::size_t>(k)];
    return block.inverse.matrix().block(0, 0, block.a.rows, block.a.columns);
}

void DiagonalBlocks::solve(DeviceWork &work, std::int64_t k, const DeviceFactor &inverse, const DeviceBlock &right,
                           const DeviceBlock &solved, const HostMatrix &to) const
{
    const auto &block = blocks_[static_cast<std::size_t>(k)];
    if (block.is_accurate) {
        work.multiply(1, inverse, {right}, 0, solved);
        work.fetch(solved, to);
        return;
    }
    work.fetch(right, to);
    work.wait_for(to);
    on_host::solve_triangle(
        {.triangle = block.shape.triangle, .transpose = inverse.transpose, .unit_diagonal = block.shape.unit_diagonal},
        block.a, to);
    work.send(solved, to);
}

} // namespace hpart
