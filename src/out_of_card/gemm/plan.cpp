#include "out_of_card/gemm/plan.hpp"
#include "core/numbers.hpp"
#include "out_of_card/in_card/padding.hpp"

#include <algorithm>
#include <cmath>

namespace hpart
{

namespace
{

double as_double(std::int64_t number) { return static_cast<double>(number); }

std::int64_t whole_bytes(double number)
{
    constexpr double most = 0x1p61; // some of them have a sum
    return static_cast<std::int64_t>(std::min(number, most));
}

// Bytes of a matrix that is stored with `rows` rows.
std::int64_t padded_bytes(std::int64_t rows, std::int64_t columns, Scalar type)
{
    return saturating_mul(saturating_mul(rows, padded_row(columns, type)), bytes_of(type));
}

// Depth of the panels that the next sweep finds: of the last `slots` panels of the sweep that ended.
std::int64_t depth_left(std::int64_t k, std::int64_t kb, std::int64_t slots, bool ended_at_end)
{
    if (!ended_at_end) return std::min(k, slots * kb);
    const auto last = k - (ceil_div(k, kb) - 1) * kb;
    return std::min(k, (slots - 1) * kb + last);
}

// The side along which the tiles follow one another is "inner": its panels are new with each tile.
struct TileSide {
    std::int64_t length, block, slots;
    std::int64_t count() const { return ceil_div(length, block); }
    std::int64_t size(std::int64_t i) const { return std::min(block, length - i * block); }
};

// Elements of depth x width that are found on the device rather than brought again.
struct Found {
    double outer = 0, inner = 0;
};

Found found_again(const TileSide &outer, const TileSide &inner, std::int64_t k, std::int64_t kb)
{
    const auto rows = outer.count(), turns = inner.count() - 1;
    Found found;
    // The first sweep of a row ends at k's end.
    const auto is_even = [&](std::int64_t row) { return row % 2 == 0 || turns % 2 != 0; };
    // In a row: from one tile to the next, each after a sweep the other way.
    const auto add_row = [&](std::int64_t row, std::int64_t times) {
        const auto from_even = is_even(row) ? (turns + 1) / 2 : turns / 2;
        found.outer += as_double(times) * as_double(outer.size(row)) *
                       (as_double(from_even) * as_double(depth_left(k, kb, outer.slots, true)) +
                        as_double(turns - from_even) * as_double(depth_left(k, kb, outer.slots, false)));
    };
    // All rows but the last are as one of the first two.
    for (const std::int64_t row : {0, 1}) {
        const auto times = (rows - row) / 2;
        add_row(row, times);
        found.inner += as_double(times) * as_double(inner.size(row == 0 ? turns : 0)) *
                       as_double(depth_left(k, kb, inner.slots, !is_even(row + 1)));
    }
    add_row(rows - 1, 1);
    return found;
}

// Without the serpentine only a whole sweep that is on the device is found again.
Found found_without_turning(const TileSide &outer, const TileSide &inner, std::int64_t k, std::int64_t panels)
{
    Found found;
    if (outer.slots >= panels) found.outer = as_double(outer.length) * as_double(k) * as_double(inner.count() - 1);
    if (inner.slots >= panels && inner.count() == 1)
        found.inner = as_double(inner.length) * as_double(k) * as_double(outer.count() - 1);
    return found;
}

} // namespace

GemmPlan split_where_needed(GemmPlan plan, const GemmShape &shape, const DeviceSpace &space)
{
    const auto row_bytes = shape.element_bytes() * padded_row(plan.nb, shape.type);
    plan.c_in_strips = plan.mb * row_bytes > space.largest_buffer_bytes;
    if (!plan.c_in_strips) return plan;
    constexpr std::int64_t usual_multiple = 8; // of the rows that kernels take at once
    const auto most = std::max<std::int64_t>(1, space.largest_buffer_bytes / row_bytes);
    plan.strip_rows = std::min(plan.strip_rows, most < usual_multiple ? most : most / usual_multiple * usual_multiple);
    return plan;
}

GemmBuffers buffers_of(const GemmShape &shape, const GemmPlan &plan, const DeviceSpace &space)
{
    GemmBuffers buffers;
    const auto bytes = [&](bool transposed, std::int64_t rows, std::int64_t columns) {
        return transposed ? padded_bytes(columns, rows, shape.type) : padded_bytes(rows, columns, shape.type);
    };
    buffers.a_bytes = bytes(shape.a_transposed, plan.mb, plan.kb);
    buffers.b_bytes = bytes(shape.b_transposed, plan.kb, plan.nb);
    buffers.c_bytes = padded_bytes(plan.c_in_strips ? plan.strip_rows : plan.mb, plan.nb, shape.type);
    buffers.c_buffers = plan.c_buffers * (plan.c_in_strips ? plan.strips() : 1);
    buffers.possible = std::max({buffers.a_bytes, buffers.b_bytes, buffers.c_bytes}) <= space.largest_buffer_bytes &&
                       padded_row(std::max({plan.mb, plan.nb, plan.kb}), shape.type) <= space.largest_side;
    buffers.total_bytes = std::numeric_limits<std::int64_t>::max();
    if (!buffers.possible) return buffers;
    const auto granule = space.granule_bytes;
    buffers.total_bytes = plan.a_slots * round_up(buffers.a_bytes, granule) +
                          plan.b_slots * round_up(buffers.b_bytes, granule) +
                          buffers.c_buffers * round_up(buffers.c_bytes, granule);
    return buffers;
}

PanelTraffic estimated_panels(const GemmShape &shape, const GemmPlan &plan)
{
    const TileSide a{shape.m, plan.mb, plan.a_slots}, b{shape.n, plan.nb, plan.b_slots};
    const auto &outer = plan.by_rows ? a : b, &inner = plan.by_rows ? b : a;
    const auto found = plan.serpentine ? found_again(outer, inner, shape.k, plan.kb)
                                       : found_without_turning(outer, inner, shape.k, plan.panels(shape));
    return {as_double(shape.k) * as_double(shape.m) * as_double(b.count()) - (plan.by_rows ? found.outer : found.inner),
            as_double(shape.k) * as_double(shape.n) * as_double(a.count()) -
                (plan.by_rows ? found.inner : found.outer)};
}

GemmTraffic estimated_traffic(const GemmShape &shape, const GemmPlan &plan)
{
    const auto panels = estimated_panels(shape, plan);
    const auto c = as_double(shape.m) * as_double(shape.n), s = as_double(shape.element_bytes());
    return {whole_bytes(s * (panels.a + panels.b + (shape.reads_c ? c : 0))), whole_bytes(s * c)};
}

GemmTraffic least_traffic(const GemmShape &shape, std::int64_t device_bytes)
{
    const auto s = shape.element_bytes();
    const auto m = static_cast<double>(shape.m), n = static_cast<double>(shape.n), k = static_cast<double>(shape.k),
               held = static_cast<double>(device_bytes) / static_cast<double>(s);
    const auto c = m * n;
    const auto streamed = 2 * m * n * k / std::sqrt(std::max(held, 1.0)) - 2 * held - (shape.reads_c ? 0 : c);
    const auto once = m * k + k * n + (shape.reads_c ? c : 0);
    return {whole_bytes(as_double(s) * std::floor(std::max(streamed, once))), whole_bytes(as_double(s) * c)};
}

} // namespace hpart
