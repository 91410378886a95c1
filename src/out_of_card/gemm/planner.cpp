#include "out_of_card/gemm/planner.hpp"
#include "core/error.hpp"
#include "core/numbers.hpp"
#include "core/text.hpp"
#include "out_of_card/gemm/one_device.hpp"
#include "out_of_card/gemm/walk.hpp"

#include <algorithm>
#include <limits>
#include <tuple>
#include <vector>

namespace hpart
{

namespace
{

constexpr double about_as_fast = 1.05;   // of these the plan of the fewest bytes is taken: others may want the link
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
    auto model_of_less = model;
    for (int times = 0; times < most_times && !has_any; ++times) {
        for (const std::int64_t slots : {2, 1})
            if (!has_any) visit_plans(shape, model_of_less, slots, visit);
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
    keep_fast(rated, about_as_fast);
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
