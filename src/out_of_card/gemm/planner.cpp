#include "out_of_card/gemm/planner.hpp"

#include "core/error.hpp"
#include "core/numbers.hpp"
#include "core/text.hpp"
#include "out_of_card/gemm/one_device.hpp"
#include "out_of_card/gemm/plan.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <tuple>
#include <vector>

namespace hpart
{

namespace
{

constexpr std::int64_t least_depth = 32, depth_multiple = 8;
constexpr std::int64_t usual_strips = 4;

struct Depths {
    std::int64_t least, most;
};
constexpr Depths all_depths{least_depth, std::numeric_limits<std::int64_t>::max()};
// On cores, steps of other depths take up to 1.5 times as long as the rates of square tiles say: with less, C comes and goes through
// the caches too often, and B's deeper panels do not fit there. Flat tiles hold few of A's or B's uses.
constexpr Depths cached_depths{128, 512};
constexpr std::int64_t flattest = 32, flattest_on_cores = 4;

// Doubles of the least, made even: behind a last panel of a few there is no time to send what comes next.
std::vector<std::int64_t> depths_of(std::int64_t k, const Depths &within)
{
    std::vector<std::int64_t> depths;
    if (k <= within.most) depths.push_back(k);
    for (auto depth = within.least; depth < k && depth <= within.most; depth *= 2)
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
    const auto flat = model.on_cores ? flattest_on_cores : flattest;
    const auto square = static_cast<std::int64_t>(static_cast<double>(shape.m) / rows_of_square(shape, model, plan));
    const auto most = ceil_div(shape.m, model.row_multiple);
    const auto first = std::clamp<std::int64_t>(square, 1, most);
    const auto ends = [&](std::int64_t rows, std::int64_t times) {
        const auto sized = sized_plan(shape, model, plan, rows, times);
        return sized && is_enough(*sized);
    };
    for (auto rows = first; rows <= std::min(most, flat * first + 2); rows += std::max<std::int64_t>(1, (rows - 1) / 2))
        if (ends(rows, 1)) return true;
    for (std::int64_t times = 2; times <= flat; times *= 2)
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

namespace
{

// The plan of the fewest bytes is taken among plans about as fast: others may want the link. Rates of kernels on cores vary more.
constexpr double about_as_fast = 1.05, about_as_fast_on_cores = 1.1;
constexpr double worth_simulating = 1.1; // the estimate may err by so much
constexpr std::size_t most_fastest = 32, most_sparing = 16;

double number_of_steps(const GemmShape &shape, const GemmPlan &plan)
{
    return static_cast<double>(plan.tile_rows(shape)) * static_cast<double>(plan.tile_columns(shape)) *
           static_cast<double>(plan.panels(shape));
}

// True for plans that fit and whose steps are worth their commands.
bool is_usable(const GemmShape &shape, const GemmPlan &plan, const DeviceModel &model)
{
    constexpr std::int64_t most_panels = 1 << 24; // of a sweep, which the walk remembers
    if (!fits(shape, plan, model) || plan.panels(shape) > most_panels) return false;
    const auto number = number_of_steps(shape, plan);
    return is_sensible({number, operations_of(shape) / number});
}

// A part of a long walk may hold no end of a tile, with its stalls.
PredictedTime predicted_time(const GemmShape &shape, const GemmPlan &plan, const DeviceModel &model)
{
    auto time = simulate(shape, plan, model);
    if (time.is_of_part) time.seconds = std::max(time.seconds, estimated_seconds(shape, plan, model));
    return time;
}

// Long walks are not followed to their end.
GemmTraffic traffic_of(const GemmShape &shape, const GemmPlan &plan)
{
    constexpr double most_steps = 1e6;
    return number_of_steps(shape, plan) <= most_steps ? counted_traffic(shape, plan) : estimated_traffic(shape, plan);
}

PlannedGemm planned(const char *method, const GemmShape &shape, const DeviceModel &model, const GemmPlan &plan)
{
    return {method, plan, traffic_of(shape, plan), predicted_time(shape, plan, model),
            device_bytes(shape, plan, model)};
}

// Plans that fit, for each depth of the panels: the largest tiles of C that leave room for so many panels of A and of B, about square and
// flatter ones. The memory left holds more panels. True if one was enough.
bool visit_plans(const GemmShape &shape, const DeviceModel &model, const Depths &depths, std::int64_t slots,
                 const PlanVisitor &is_enough)
{
    const auto in_strips = [&](GemmPlan plan) {
        return std::ranges::any_of(std::array{std::int64_t{1}, usual_strips}, [&](std::int64_t strips) {
            plan.strip_rows = even_block(plan.mb, strips, model.row_multiple);
            return is_enough(split_where_needed(plan, shape, model.space));
        });
    };
    for (const auto kb : depths_of(shape.k, depths))
        for (const std::int64_t c : {1, 2})
            for (const bool by_rows : {true, false})
                if (visit_sized(shape, model,
                                {.kb = kb, .c_buffers = c, .a_slots = slots, .b_slots = slots, .by_rows = by_rows},
                                in_strips))
                    return true;
    return false;
}

// Until it is enough. Fewer slots where nothing else fits.
void visit_usable(const GemmShape &shape, const DeviceModel &model, const std::optional<TileSize> &tile,
                  const PlanVisitor &is_enough)
{
    bool has_any = false;
    const PlanVisitor visit = [&](const GemmPlan &plan) {
        if (!is_usable(shape, plan, model)) return false;
        has_any = true;
        return is_enough(plan);
    };
    if (tile) {
        for (const auto &plan : plans_to_try(shape, model, *tile))
            if (visit(plan)) return;
        return;
    }
    // The largest tiles for all of the memory may have too many steps where those for a little less have not.
    constexpr int most_times = 32;
    constexpr double less = 0.97;
    const auto depths_to_try = model.on_cores ? std::vector{cached_depths, all_depths} : std::vector{all_depths};
    auto model_of_less = model;
    for (int times = 0; times < most_times && !has_any; ++times) {
        for (const auto &depths : depths_to_try)
            for (const std::int64_t slots : {2, 1})
                if (!has_any) visit_plans(shape, model_of_less, depths, slots, visit);
        if (has_any) return;
        for (const auto &plan : small_plans(shape, model_of_less))
            if (visit(plan)) return;
        auto &limit = model_of_less.space.limit_bytes;
        limit = static_cast<std::int64_t>(less * static_cast<double>(limit));
    }
}

std::vector<GemmPlan> usable_plans(const GemmShape &shape, const DeviceModel &model,
                                   const std::optional<TileSize> &tile = std::nullopt)
{
    std::vector<GemmPlan> plans;
    visit_usable(shape, model, tile, [&](const GemmPlan &plan) {
        plans.push_back(plan);
        return false;
    });
    return plans;
}

struct Rated {
    double seconds = 0;
    std::int64_t bytes = 0;
    GemmPlan plan;
};

bool by_seconds(const Rated &a, const Rated &b)
{
    return std::tie(a.seconds, a.bytes, a.plan) < std::tie(b.seconds, b.bytes, b.plan);
}
bool by_bytes(const Rated &a, const Rated &b)
{
    return std::tie(a.bytes, a.seconds, a.plan) < std::tie(b.bytes, b.seconds, b.plan);
}

void keep_fast(std::vector<Rated> &rated, double within)
{
    const auto least = std::min_element(rated.begin(), rated.end(), by_seconds)->seconds;
    std::erase_if(rated, [&](const Rated &one) { return one.seconds > within * least; });
}

// Returns the plan that moves least among the plans about as fast as the fastest. The estimate chooses the plans to simulate.
PlannedGemm best_of(const char *method, const GemmShape &shape, const DeviceModel &model,
                    const std::vector<GemmPlan> &plans)
{
    std::vector<Rated> rated;
    for (const auto &plan : plans)
        rated.push_back({estimated_seconds(shape, plan, model), estimated_traffic(shape, plan).total(), plan});
    keep_fast(rated, worth_simulating);
    std::sort(rated.begin(), rated.end(), by_seconds);
    const auto fastest = rated.begin() + static_cast<std::ptrdiff_t>(std::min(rated.size(), most_fastest));
    std::sort(fastest, rated.end(), by_bytes);
    rated.resize(std::min(rated.size(), most_fastest + most_sparing));
    for (auto &one : rated) one.seconds = predicted_time(shape, one.plan, model).seconds;
    keep_fast(rated, model.on_cores ? about_as_fast_on_cores : about_as_fast);
    return planned(method, shape, model, std::min_element(rated.begin(), rated.end(), by_bytes)->plan);
}

GemmPlan hclooc_plan(const GemmShape &shape, const DeviceModel &model, std::int64_t rows, std::int64_t columns)
{
    GemmPlan plan;
    plan.mb = plan.strip_rows = ceil_div(shape.m, rows);
    plan.nb = ceil_div(shape.n, columns);
    plan.kb = shape.k;
    plan.c_buffers = plan.a_slots = 2;
    plan.b_slots = 1;
    plan.by_rows = plan.serpentine = false;
    return split_where_needed(plan, shape, model.space);
}

std::optional<std::pair<std::int64_t, std::int64_t>> slices_that_fit(const GemmShape &shape, const DeviceModel &model)
{
    const auto slices = hclooc_slices(shape.m, shape.n, [&](std::int64_t rows, std::int64_t columns) {
        return fits(shape, hclooc_plan(shape, model, rows, columns), model);
    });
    const bool usable = slices && is_usable(shape, hclooc_plan(shape, model, slices->first, slices->second), model);
    return usable ? slices : std::nullopt;
}

std::string name_of(std::string_view plan, const std::optional<TileSize> &tile)
{
    if (tile) return text("no plan with tiles of ", tile->mb, "x", tile->nb, "x", tile->kb);
    return plan == "hclooc" ? "no plan of slices with the whole of k, as plan=hclooc takes them," : "no plan";
}

[[noreturn]] void fail_for_space(const DeviceModel &model, std::string_view plan,
                                 const std::optional<TileSize> &tile = std::nullopt)
{
    fail(Status::out_of_memory, name_of(plan, tile), " fits ", pluralise(model.space.limit_bytes, "byte"), " of ",
         model.device, ", arrays of at most ", model.space.largest_buffer_bytes);
}

} // namespace

PlannedGemm plan_by_model(const GemmShape &shape, const DeviceModel &model)
{
    const auto plans = usable_plans(shape, model);
    if (plans.empty()) fail_for_space(model, "model");
    return best_of("model", shape, model, plans);
}

PlannedGemm plan_with_tile(const GemmShape &shape, const DeviceModel &model, const TileSize &tile)
{
    const auto plans = usable_plans(shape, model, tile);
    if (plans.empty()) fail_for_space(model, "tile", tile);
    return best_of("tile", shape, model, plans);
}

PlannedGemm plan_of_hclooc(const GemmShape &shape, const DeviceModel &model)
{
    const auto slices = slices_that_fit(shape, model);
    if (!slices) fail_for_space(model, "hclooc");
    return planned("hclooc", shape, model, hclooc_plan(shape, model, slices->first, slices->second));
}

double estimated_least_seconds(const GemmShape &shape, const DeviceModel &model, std::string_view plan,
                               const std::optional<TileSize> &tile)
{
    std::vector<GemmPlan> plans;
    if (tile || plan != "hclooc")
        plans = usable_plans(shape, model, tile);
    else if (const auto slices = slices_that_fit(shape, model))
        plans.push_back(hclooc_plan(shape, model, slices->first, slices->second));
    if (plans.empty()) fail_for_space(model, plan, tile);
    double least = std::numeric_limits<double>::infinity();
    for (const auto &one : plans) least = std::min(least, estimated_seconds(shape, one, model));
    return least;
}

bool has_plan(const GemmShape &shape, const DeviceModel &model, std::string_view plan,
              const std::optional<TileSize> &tile)
{
    if (!tile && plan == "hclooc") return slices_that_fit(shape, model).has_value();
    bool has_any = false;
    visit_usable(shape, model, tile, [&](const GemmPlan &) { return has_any = true; });
    return has_any;
}

void check_plan(const GemmShape &shape, const DeviceModel &model, std::string_view plan,
                const std::optional<TileSize> &tile)
{
    if (!has_plan(shape, model, plan, tile)) fail_for_space(model, plan, tile);
}

std::optional<std::int64_t> sufficient_bytes(const GemmShape &shape, DeviceModel model, std::string_view plan,
                                             const std::optional<TileSize> &tile)
{
    const auto suffices = [&](std::int64_t bytes) {
        model.space.limit_bytes = bytes;
        return has_plan(shape, model, plan, tile);
    };
    const auto least = std::max<std::int64_t>(model.space.limit_bytes, 1);
    if (suffices(least)) return std::nullopt; // then it was not the plan that failed
    return nearly_least(least, std::int64_t{1} << 60, suffices);
}

} // namespace hpart
