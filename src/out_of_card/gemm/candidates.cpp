#include "out_of_card/gemm/candidates.hpp"
#include "core/numbers.hpp"
#include "out_of_card/gemm/simulation.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace hpart
{

namespace
{

constexpr std::int64_t least_depth = 32, depth_multiple = 8;
constexpr std::int64_t usual_strips = 4;

// Doubles of the least, made even: behind a last panel of a few there is no time to send what comes next.
std::vector<std::int64_t> depths_of(std::int64_t k)
{
    std::vector<std::int64_t> depths{k};
    for (auto depth = least_depth; depth < k; depth *= 2)
        depths.push_back(std::min(k, round_up(ceil_div(k, ceil_div(k, depth)), depth_multiple)));
    return depths;
}

std::int64_t scratch_bytes(const GemmPlan &plan, const DeviceModel &model)
{
    return model.scratch_bytes ? model.scratch_bytes(plan.mb, plan.nb, plan.kb) : 0;
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
    const auto each =
        saturating_mul(shape.element_bytes(), saturating_add(plan.c_buffers * plan.mb, plan.b_slots * plan.kb));
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
    auto left = model.space.limit_bytes - buffers.total_bytes - scratch_bytes(plan, model);
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

// Tiles alike but for the last: `rows` rows of them, and `times` as many columns as fit at least. Nothing where none fits.
std::optional<GemmPlan> sized_plan(const GemmShape &shape, const DeviceModel &model, GemmPlan plan, std::int64_t rows,
                                   std::int64_t times)
{
    plan.mb = even_block(shape.m, rows, model.row_multiple);
    plan.strip_rows = even_block(plan.mb, usual_strips, model.row_multiple);
    auto room = model.space.limit_bytes;
    constexpr int most_tries = 4; // what the kernel takes shrinks with the tile
    for (int tries = 0; tries < most_tries; ++tries) {
        const auto nb = widest(shape, model, plan, room);
        if (nb == 0) return std::nullopt;
        plan.nb = std::min(nb, even_block(shape.n, times * ceil_div(shape.n, nb), model.column_multiple));
        plan = split_where_needed(plan, shape, model.space);
        if (fits(shape, plan, model)) {
            take_what_is_left(shape, model, plan);
            return plan;
        }
        room = model.space.limit_bytes - scratch_bytes(plan, model);
    }
    return std::nullopt;
}

// Rows of a square tile that fills the device beside its panels. If C is narrower: rows of a tile of all its columns.
double rows_of_square(const GemmShape &shape, const DeviceModel &model, const GemmPlan &plan)
{
    const auto elements = static_cast<double>(model.space.limit_bytes) / static_cast<double>(shape.element_bytes());
    const auto c = static_cast<double>(plan.c_buffers), n = static_cast<double>(shape.n),
               a = static_cast<double>(plan.a_slots * plan.kb), b = static_cast<double>(plan.b_slots * plan.kb);
    const auto side = (std::sqrt((a + b) * (a + b) + 4 * c * elements) - a - b) / (2 * c);
    return std::max(1.0, side <= n ? side : (elements - b * n) / (c * n + a));
}

// Square tiles, and flatter ones of both kinds: they come and go beside shorter steps.
bool visit_sized(const GemmShape &shape, const DeviceModel &model, const GemmPlan &plan, const PlanVisitor &is_enough)
{
    constexpr std::int64_t flattest = 32;
    const auto square = static_cast<std::int64_t>(static_cast<double>(shape.m) / rows_of_square(shape, model, plan));
    const auto most = ceil_div(shape.m, model.row_multiple);
    const auto first = std::clamp<std::int64_t>(square, 1, most);
    const auto ends = [&](std::int64_t rows, std::int64_t times) {
        const auto sized = sized_plan(shape, model, plan, rows, times);
        return sized && is_enough(*sized);
    };
    for (auto rows = first; rows <= std::min(most, flattest * first + 2);
         rows += std::max<std::int64_t>(1, (rows - 1) / 2))
        if (ends(rows, 1)) return true;
    for (std::int64_t times = 2; times <= flattest; times *= 2)
        if (ends(first, times) || ends(first + 1, times)) return true;
    return false;
}

} // namespace

std::int64_t device_bytes(const GemmShape &shape, const GemmPlan &plan, const DeviceModel &model)
{
    return buffers_of(shape, plan, model.space).total_bytes + scratch_bytes(plan, model);
}

bool fits(const GemmShape &shape, const GemmPlan &plan, const DeviceModel &model)
{
    const auto buffers = buffers_of(shape, plan, model.space);
    return buffers.possible && buffers.total_bytes + scratch_bytes(plan, model) <= model.space.limit_bytes;
}

bool visit_plans(const GemmShape &shape, const DeviceModel &model, std::int64_t slots, const PlanVisitor &is_enough)
{
    const auto in_strips = [&](GemmPlan plan) {
        return std::ranges::any_of(std::array{std::int64_t{1}, usual_strips}, [&](std::int64_t strips) {
            plan.strip_rows = even_block(plan.mb, strips, model.row_multiple);
            return is_enough(split_where_needed(plan, shape, model.space));
        });
    };
    for (const auto kb : depths_of(shape.k))
        for (const std::int64_t c : {1, 2})
            for (const bool by_rows : {true, false})
                if (visit_sized(shape, model,
                                {.kb = kb, .c_buffers = c, .a_slots = slots, .b_slots = slots, .by_rows = by_rows},
                                in_strips))
                    return true;
    return false;
}

std::vector<GemmPlan> plans_to_try(const GemmShape &shape, const DeviceModel &model, const TileSize &tile)
{
    std::vector<GemmPlan> plans;
    for (const std::int64_t c : {1, 2})
        for (const std::int64_t slots : {1, 2})
            for (const bool by_rows : {true, false}) {
                GemmPlan plan{.mb = std::min(tile.mb, shape.m),
                              .nb = std::min(tile.nb, shape.n),
                              .kb = std::min(tile.kb, shape.k),
                              .c_buffers = c,
                              .a_slots = slots,
                              .b_slots = slots,
                              .by_rows = by_rows};
                plan.strip_rows = even_block(plan.mb, usual_strips, model.row_multiple);
                plan = split_where_needed(plan, shape, model.space);
                if (!fits(shape, plan, model)) continue;
                take_what_is_left(shape, model, plan);
                plans.push_back(plan);
            }
    return plans;
}

std::vector<GemmPlan> small_plans(const GemmShape &shape, const DeviceModel &model)
{
    const auto of_depth = [&](std::int64_t kb) {
        GemmPlan plan{.kb = kb, .c_buffers = 1, .a_slots = 1, .b_slots = 1};
        plan.mb = plan.strip_rows = std::min(shape.m, model.row_multiple);
        plan.nb = std::min(shape.n, model.column_multiple);
        return split_where_needed(plan, shape, model.space);
    };
    std::int64_t low = std::min(least_depth, shape.k), high = shape.k;
    std::vector<GemmPlan> plans{of_depth(low)};
    while (low < high) {
        const auto middle = high - (high - low) / 2;
        if (fits(shape, of_depth(middle), model))
            low = middle;
        else
            high = middle - 1;
    }
    plans.push_back(of_depth(low));
    return plans;
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
    const auto a_in = bytes(traffic.a) / in_rate, b_in = bytes(traffic.b) / in_rate;
    const auto c = bytes(static_cast<double>(shape.m) * static_cast<double>(shape.n));
    const auto c_in = shape.reads_c ? c / in_rate : 0, c_out = c / out_rate;
    const auto copies = link.copy_seconds * tiles;
    const auto in = a_in + b_in + c_in + copies * (2 * static_cast<double>(panels) + (shape.reads_c ? g : 0)),
               out = c_out + copies * g;
    const auto waits = [&](double panel_elements, double panel) {
        return bytes(panel_elements) / in_rate + panel_elements / panel * 2 * model.queue_latency;
    };
    const auto depth = static_cast<double>(plan.kb);
    if (plan.a_slots == 1) kernels += waits(traffic.a, depth * static_cast<double>(plan.mb));
    if (plan.b_slots == 1) kernels += waits(traffic.b, depth * static_cast<double>(plan.nb));

    const auto tile_out = bytes(tile_elements) / out_rate, tile_in = shape.reads_c ? bytes(tile_elements) / in_rate : 0,
               tile_busy = link.busy_seconds(tile_in, tile_out);
    const auto fill = bytes(static_cast<double>(plan.kb) * static_cast<double>(plan.mb + plan.nb)) / in_rate;
    const auto stall = plan.c_buffers > 1 ? 0 : std::max(0.0, tile_busy - (2 - 2 / g) * step);
    const auto drain = std::max(tile_out / g, tile_out - (1 - 1 / g) * step);
    if (link.shared_units > 0)
        return link.overlapped_seconds(kernels, in, out) +
               (fill + drain + (tiles - 1) * stall) * (1 - 1 / link.shared_units);
    const auto kernels_bind = kernels + (tiles - 1) * stall + fill + drain;
    // On a busy link what fills and drains is part of the transfers; a last step waits for what came last.
    return std::max({kernels_bind, link.busy_seconds(in, out) + step / g, in + step + drain, fill + step + out});
}

} // namespace hpart
