#include "out_of_card/gemm/plan.hpp"
#include "out_of_card/in_card/padding.hpp"

#include <algorithm>
#include <cmath>

namespace hpart
{

namespace
{

// Elements of a matrix that is stored with `rows` rows.
std::int64_t padded_elements(std::int64_t rows, std::int64_t columns, Scalar type)
{
    return rows * padded_row(columns, type);
}

// Panels that the next sweep finds: those of the last `slots` of the sweep that ended, in elements of depth.
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
    std::int64_t outer = 0, inner = 0;
};

Found found_again(const TileSide &outer, const TileSide &inner, std::int64_t k, std::int64_t kb)
{
    const auto rows = outer.count(), turns = inner.count() - 1;
    Found found;
    std::int64_t sweep = 0; // even ones end at k's end
    for (std::int64_t i = 0; i < rows; ++i) {
        // In a row: from one tile to the next, each after a sweep the other way.
        const auto from_even = sweep % 2 == 0 ? (turns + 1) / 2 : turns / 2;
        found.outer += outer.size(i) * (from_even * depth_left(k, kb, outer.slots, true) +
                                        (turns - from_even) * depth_left(k, kb, outer.slots, false));
        sweep += turns + 1;
        if (i + 1 == rows) break;
        const auto column = i % 2 == 0 ? turns : 0;
        found.inner += inner.size(column) * depth_left(k, kb, inner.slots, sweep % 2 != 0);
    }
    return found;
}

// Without the serpentine only a whole sweep that is on the device is found again.
Found found_without_turning(const TileSide &outer, const TileSide &inner, std::int64_t k, std::int64_t panels)
{
    Found found;
    if (outer.slots >= panels) found.outer = outer.length * k * (inner.count() - 1);
    if (inner.slots >= panels && inner.count() == 1) found.inner = inner.length * k * (outer.count() - 1);
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
    const auto s = shape.element_bytes();
    GemmBuffers buffers;
    buffers.a_bytes = s * (shape.a_transposed ? padded_elements(plan.kb, plan.mb, shape.type)
                                              : padded_elements(plan.mb, plan.kb, shape.type));
    buffers.b_bytes = s * (shape.b_transposed ? padded_elements(plan.nb, plan.kb, shape.type)
                                              : padded_elements(plan.kb, plan.nb, shape.type));
    buffers.c_bytes = s * padded_elements(plan.c_in_strips ? plan.strip_rows : plan.mb, plan.nb, shape.type);
    buffers.c_buffers = plan.c_buffers * (plan.c_in_strips ? plan.strips() : 1);
    buffers.possible = std::max({buffers.a_bytes, buffers.b_bytes, buffers.c_bytes}) <= space.largest_buffer_bytes &&
                       padded_row(std::max({plan.mb, plan.nb, plan.kb}), shape.type) <= space.largest_side;
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
    return {shape.k * shape.m * b.count() - (plan.by_rows ? found.outer : found.inner),
            shape.k * shape.n * a.count() - (plan.by_rows ? found.inner : found.outer)};
}

GemmTraffic estimated_traffic(const GemmShape &shape, const GemmPlan &plan)
{
    const auto panels = estimated_panels(shape, plan);
    const auto c = shape.m * shape.n, s = shape.element_bytes();
    return {s * (panels.a + panels.b + (shape.reads_c ? c : 0)), s * c};
}

GemmTraffic least_traffic(const GemmShape &shape, std::int64_t device_bytes)
{
    const auto s = shape.element_bytes();
    const auto m = static_cast<double>(shape.m), n = static_cast<double>(shape.n), k = static_cast<double>(shape.k),
               held = static_cast<double>(device_bytes) / static_cast<double>(s);
    const auto c = m * n;
    const auto streamed = 2 * m * n * k / std::sqrt(std::max(held, 1.0)) - 2 * held - (shape.reads_c ? 0 : c);
    const auto once = m * k + k * n + (shape.reads_c ? c : 0);
    return {s * static_cast<std::int64_t>(std::max(streamed, once)), s * shape.m * shape.n};
}

} // namespace hpart
