#include "out_of_card/gemm/candidates.hpp"
#include "out_of_card/gemm/simulation.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace hpart
{

namespace
{

constexpr std::int64_t usual_depths[] = {32, 64, 96, 128, 192, 256, 384, 512, 768, 1024};
constexpr std::int64_t depth_multiple = 8;
constexpr std::int64_t shares_of_k = 4; // k, k/2, k/3, k/4 are depths too, and doubles of the last usual one between
constexpr std::int64_t slot_numbers[] = {1, 2, 4};
constexpr std::int64_t usual_strips = 4;

std::vector<std::int64_t> depths_of(std::int64_t k)
{
    std::vector<std::int64_t> depths;
    // Even ones: behind a last panel of a few there is no time to send what comes next.
    const auto add_even = [&](std::int64_t depth) {
        depths.push_back(std::min(k, round_up(ceil_div(k, ceil_div(k, depth)), depth_multiple)));
    };
    for (const auto depth : usual_depths)
        if (depth < k) add_even(depth);
    for (auto depth = 2 * usual_depths[std::size(usual_depths) - 1]; depth < k / shares_of_k; depth *= 2)
        add_even(depth);
    for (std::int64_t share = 1; share <= shares_of_k; ++share) depths.push_back(ceil_div(k, share));
    std::sort(depths.begin(), depths.end());
    depths.erase(std::unique(depths.begin(), depths.end()), depths.end());
    return depths;
}

std::vector<std::int64_t> slots_of(std::int64_t panels)
{
    std::vector<std::int64_t> slots(std::begin(slot_numbers), std::end(slot_numbers));
    if (panels > slots.back()) slots.push_back(panels); // all of a sweep
    return slots;
}

std::int64_t hidden_bytes(const GemmPlan &plan, const DeviceModel &model)
{
    return model.hidden_bytes ? model.hidden_bytes(plan.mb, plan.nb, plan.kb) : 0;
}

// The widest tiles for which the buffers are within so many bytes; 0 when none are.
std::int64_t widest(const GemmShape &shape, const DeviceModel &model, GemmPlan plan, std::int64_t bytes)
{
    const auto within = [&](std::int64_t nb) {
        plan.nb = nb;
        const auto buffers = buffers_of(shape, split_where_needed(plan, shape, model.space), model.space);
        return buffers.possible && buffers.total_bytes <= bytes;
    };
    if (within(shape.n)) return shape.n;
    // All buffers grow with nb nearly in proportion.
    plan.nb = 0;
    auto fixed = buffers_of(shape, plan, model.space).total_bytes;
    const auto each = shape.element_bytes() * (plan.c_buffers * plan.mb + plan.b_slots * plan.kb);
    auto nb = std::min({shape.n, std::max<std::int64_t>(0, bytes - fixed) / each, model.space.largest_side});
    const auto multiple = nb >= model.column_multiple ? model.column_multiple : 1;
    nb = nb / multiple * multiple;
    while (nb > 0 && !within(nb)) nb -= nb > multiple ? multiple : 1; // by the largest buffer it may be far less
    return nb;
}

void take_what_is_left(const GemmShape &shape, const DeviceModel &model, GemmPlan &plan)
{
    const auto panels = plan.panels(shape);
    const auto buffers = buffers_of(shape, plan, model.space);
    auto left = model.space.limit_bytes - buffers.total_bytes - hidden_bytes(plan, model);
    const auto granule = model.space.granule_bytes;
    const auto add = [&](std::int64_t &slots, std::int64_t bytes) {
        const auto more =
            std::clamp<std::int64_t>(left / round_up(bytes, granule), 0, std::max(panels - slots, std::int64_t{0}));
        slots += more;
        left -= more * round_up(bytes, granule);
    };
    const auto more_rows = plan.tile_rows(shape) > 1, more_columns = plan.tile_columns(shape) > 1;
    // Within a row of tiles A's panels come again, B's from row to row.
    if (plan.by_rows) {
        if (more_columns) add(plan.a_slots, buffers.a_bytes);
        if (more_rows) add(plan.b_slots, buffers.b_bytes);
    } else {
        if (more_rows) add(plan.b_slots, buffers.b_bytes);
        if (more_columns) add(plan.a_slots, buffers.a_bytes);
    }
}

// All but the last of as many tiles as asked for are alike and a multiple of the kernel's own.
std::int64_t even_block(std::int64_t length, std::int64_t count, std::int64_t multiple)
{
    return std::min(length, round_up(ceil_div(length, count), multiple));
}

GemmPlan plan_of(const PlanClass &kind)
{
    GemmPlan plan;
    plan.kb = kind.kb;
    plan.c_buffers = kind.c_buffers;
    plan.a_slots = kind.a_slots;
    plan.b_slots = kind.b_slots;
    plan.by_rows = kind.by_rows;
    return plan;
}

} // namespace

std::int64_t most_tile_rows(const GemmShape &shape, const DeviceModel &model)
{
    constexpr double flattest = 4; // times as many as square tiles of a whole device
    constexpr std::int64_t always = 8;
    const auto session = static_cast<double>(model.space.limit_bytes) / static_cast<double>(shape.element_bytes());
    return always +
           static_cast<std::int64_t>(flattest * static_cast<double>(shape.m) / std::sqrt(std::max(session, 1.0)));
}

std::int64_t strip_rows_of(std::int64_t mb, std::int64_t strips, std::int64_t row_multiple)
{
    return even_block(mb, strips, row_multiple);
}

std::vector<PlanClass> plan_classes(const GemmShape &shape)
{
    std::vector<PlanClass> classes;
    for (const auto kb : depths_of(shape.k)) {
        const auto slots = slots_of(ceil_div(shape.k, kb));
        for (const auto a : slots)
            for (const auto b : slots)
                for (const std::int64_t c : {1, 2})
                    for (const bool by_rows : {true, false}) classes.push_back({kb, c, a, b, by_rows});
    }
    return classes;
}

std::int64_t device_bytes(const GemmShape &shape, const GemmPlan &plan, const DeviceModel &model)
{
    return buffers_of(shape, plan, model.space).total_bytes + hidden_bytes(plan, model);
}

bool fits(const GemmShape &shape, const GemmPlan &plan, const DeviceModel &model)
{
    const auto buffers = buffers_of(shape, plan, model.space);
    return buffers.possible && buffers.total_bytes + hidden_bytes(plan, model) <= model.space.limit_bytes;
}

std::optional<GemmPlan> sized_plan(const GemmShape &shape, const DeviceModel &model, const PlanClass &kind,
                                   std::int64_t rows, std::int64_t more_columns)
{
    auto plan = plan_of(kind);
    plan.mb = even_block(shape.m, rows, model.row_multiple);
    plan.strip_rows = strip_rows_of(plan.mb, usual_strips, model.row_multiple);
    auto room = model.space.limit_bytes;
    constexpr int most_tries = 4; // what the kernel takes shrinks with the tile
    for (int tries = 0; tries < most_tries; ++tries) {
        const auto nb = widest(shape, model, plan, room);
        if (nb == 0) return std::nullopt;
        const auto even = even_block(shape.n, ceil_div(shape.n, nb) + more_columns, model.column_multiple);
        plan.nb = std::min(nb, even);
        plan = split_where_needed(plan, shape, model.space);
        if (fits(shape, plan, model)) {
            take_what_is_left(shape, model, plan);
            return plan;
        }
        room = model.space.limit_bytes - hidden_bytes(plan, model);
    }
    return std::nullopt;
}

std::optional<GemmPlan> sized_plan(const GemmShape &shape, const DeviceModel &model, const PlanClass &kind,
                                   const TileSize &tile)
{
    auto plan = plan_of(kind);
    plan.mb = std::min(tile.mb, shape.m);
    plan.nb = std::min(tile.nb, shape.n);
    plan.kb = std::min(tile.kb, shape.k);
    plan.strip_rows = strip_rows_of(plan.mb, usual_strips, model.row_multiple);
    plan = split_where_needed(plan, shape, model.space);
    if (!fits(shape, plan, model)) return std::nullopt;
    take_what_is_left(shape, model, plan);
    return plan;
}

double estimated_seconds(const GemmShape &shape, const GemmPlan &plan, const DeviceModel &model)
{
    const auto &link = model.link;
    const auto bytes = [&](double elements) { return elements * static_cast<double>(shape.element_bytes()); };
    const auto rows = plan.tile_rows(shape), columns = plan.tile_columns(shape), panels = plan.panels(shape);
    const auto tiles = static_cast<double>(rows * columns), g = static_cast<double>(plan.strips());
    const auto last_depth = shape.k - (panels - 1) * plan.kb;

    // Kernels: the last row and column of tiles take as long as the next multiple of the kernel's own.
    const auto tile_elements = static_cast<double>(plan.mb) * static_cast<double>(plan.nb);
    const auto step = model.kernel_seconds(plan.mb, plan.nb, plan.kb);
    const auto last_step = last_depth == plan.kb ? step : model.kernel_seconds(plan.mb, plan.nb, last_depth);
    const auto done_rows = (rows - 1) * plan.mb +
                           std::min(plan.mb, round_up(shape.m - (rows - 1) * plan.mb, model.row_multiple)),
               done_columns = (columns - 1) * plan.nb +
                              std::min(plan.nb, round_up(shape.n - (columns - 1) * plan.nb, model.column_multiple));
    const auto whole_tiles = static_cast<double>(done_rows) * static_cast<double>(done_columns) / tile_elements;
    auto kernels = whole_tiles * (static_cast<double>(panels - 1) * step + last_step);
    const auto strip_cost = std::max(0.0, g * model.kernel_seconds(plan.strip_rows, plan.nb, plan.kb) - step);
    // Tiles come and go in strips; between, they are whole where they are one buffer.
    kernels += tiles * static_cast<double>(plan.c_in_strips ? panels : std::min<std::int64_t>(panels, 2)) * strip_cost;

    const auto traffic = estimated_panels(shape, plan);
    const auto in_rate = link.in_bytes_per_second, out_rate = link.out_bytes_per_second;
    const auto a_in = bytes(static_cast<double>(traffic.a)) / in_rate,
               b_in = bytes(static_cast<double>(traffic.b)) / in_rate;
    const auto c = bytes(static_cast<double>(shape.m) * static_cast<double>(shape.n));
    const auto c_in = shape.reads_c ? c / in_rate : 0, c_out = c / out_rate;
    const auto copies = link.copy_seconds * tiles;
    const auto in = a_in + b_in + c_in + copies * (2 * static_cast<double>(panels) + (shape.reads_c ? g : 0)),
               out = c_out + copies * g;
    const auto waits = [&](double panel_elements, double panel) {
        return bytes(panel_elements) / in_rate + panel_elements / panel * 2 * model.queue_latency;
    };
    const auto depth = static_cast<double>(plan.kb);
    if (plan.a_slots == 1) kernels += waits(static_cast<double>(traffic.a), depth * static_cast<double>(plan.mb));
    if (plan.b_slots == 1) kernels += waits(static_cast<double>(traffic.b), depth * static_cast<double>(plan.nb));

    const bool half = link.is_half_duplex() || model.copies_take_units;
    const auto tile_out = bytes(tile_elements) / out_rate, tile_busy = half && shape.reads_c ? 2 * tile_out : tile_out;
    const auto fill = bytes(static_cast<double>(plan.kb) * static_cast<double>(plan.mb + plan.nb)) / in_rate;
    const auto stall = plan.c_buffers > 1 ? 0 : std::max(0.0, tile_busy - (2 - 2 / g) * step);
    const auto drain = std::max(tile_out / g, tile_out - (1 - 1 / g) * step);
    if (model.copies_take_units) {
        const auto units = static_cast<double>(model.compute_units);
        return kernels + (in + out) / units + (fill + drain + (tiles - 1) * stall) * (1 - 1 / units);
    }
    const auto kernels_bind = kernels + (tiles - 1) * stall + fill + drain;
    // On a busy link what fills and drains is part of the transfers; a last step waits for what came last.
    if (half) return std::max(kernels_bind, in + out + step / g);
    return std::max({kernels_bind, in + step + drain, fill + step + out});
}

} // namespace hpart
