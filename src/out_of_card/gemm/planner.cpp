#include "out_of_card/gemm/planner.hpp"
#include "core/error.hpp"
#include "core/pluralise.hpp"
#include "out_of_card/gemm/one_device.hpp"
#include "out_of_card/gemm/walk.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>
#include <vector>

namespace hpart
{

namespace
{

constexpr double about_as_fast = 1.05;    // of these the plan of the best trade is taken
constexpr double worth_simulating = 1.15; // the estimate may err by so much
constexpr double worth_for_bytes = 1.08;  // slower ones are not taken, however little they move
constexpr double price_of_bytes = 0.2;    // a fifth more bytes are as bad as 4 % more time
constexpr std::size_t most_fastest = 24, most_traded = 16, most_improved = 3;
constexpr std::int64_t climb = 3; // tiles more or fewer
constexpr std::int64_t strip_numbers[] = {1, 2, 4, 6, 8};

// True for plans that fit and whose steps are worth their commands.
bool is_usable(const GemmShape &shape, const GemmPlan &plan, const DeviceModel &model)
{
    if (!fits(shape, plan, model)) return false;
    const auto number = static_cast<double>(plan.tile_rows(shape)) * static_cast<double>(plan.tile_columns(shape)) *
                        static_cast<double>(plan.panels(shape));
    return is_sensible({number, operations_of(shape) / number});
}

struct Estimate {
    GemmPlan plan;
    double seconds = 0;
    std::int64_t bytes = 0;
};

bool by_seconds(const Estimate &a, const Estimate &b)
{
    return std::tie(a.seconds, a.bytes) < std::tie(b.seconds, b.bytes);
}
// Bytes count as well: others may want the link, and a time that is a little off may hide a stall.
double trade(double seconds, std::int64_t bytes)
{
    return seconds * std::pow(static_cast<double>(std::max<std::int64_t>(bytes, 1)), price_of_bytes);
}
bool by_trade(const Estimate &a, const Estimate &b) { return trade(a.seconds, a.bytes) < trade(b.seconds, b.bytes); }

// More than is needed anywhere by plans that are hardly slower than the fastest.
bool moves_much(std::int64_t bytes, const GemmShape &shape, const DeviceModel &model)
{
    constexpr double times_the_bound = 1.7;
    const auto least = least_traffic(shape, model.space.limit_bytes).total();
    return static_cast<double>(bytes) > times_the_bound * static_cast<double>(least);
}

struct Simulated {
    GemmPlan plan;
    PredictedTime time;
    std::int64_t bytes = 0;
};

PlannedGemm planned(const char *method, const GemmShape &shape, const DeviceModel &model, const GemmPlan &plan)
{
    return {method, plan, counted_traffic(shape, plan), simulate(shape, plan, model), device_bytes(shape, plan, model)};
}

// Plans that have been followed command by command, none twice.
class Field
{
  public:
    Field(const GemmShape &shape, const DeviceModel &model) : shape_(shape), model_(model) {}

    void add(const GemmPlan &plan)
    {
        if (known_.insert(plan).second && is_usable(shape_, plan, model_))
            plans_.push_back({plan, simulate(shape_, plan, model_), estimated_traffic(shape_, plan).total()});
    }
    bool empty() const { return plans_.empty(); }

    std::vector<Simulated> fastest(std::size_t count)
    {
        std::sort(plans_.begin(), plans_.end(), [](const Simulated &a, const Simulated &b) {
            return std::tie(a.time.seconds, a.plan) < std::tie(b.time.seconds, b.plan);
        });
        return {plans_.begin(), plans_.begin() + static_cast<std::ptrdiff_t>(std::min(count, plans_.size()))};
    }

    // The fastest, and the one of the best trade: others of its kind may stall less.
    std::vector<Simulated> to_improve()
    {
        auto chosen = fastest(most_improved);
        chosen.push_back(*std::min_element(plans_.begin(), plans_.end(), [](const Simulated &a, const Simulated &b) {
            return trade(a.time.seconds, a.bytes) < trade(b.time.seconds, b.bytes);
        }));
        return chosen;
    }

    GemmPlan best_trade_of_fastest()
    {
        const auto least = fastest(1).front().time.seconds;
        const auto cost = [&](const Simulated &one) {
            return std::tuple(one.time.seconds > worth_for_bytes * least, moves_much(one.bytes, shape_, model_),
                              one.time.seconds > about_as_fast * least, trade(one.time.seconds, one.bytes));
        };
        return std::min_element(plans_.begin(), plans_.end(),
                                [&](const Simulated &a, const Simulated &b) { return cost(a) < cost(b); })
            ->plan;
    }

    void try_strips(const GemmPlan &plan)
    {
        for (const auto strips : strip_numbers) {
            auto other = plan;
            other.strip_rows = strip_rows_of(plan.mb, strips, model_.row_multiple);
            add(split_where_needed(other, shape_, model_.space));
        }
    }

    // With as many slots, and with few, to which more are added where memory is left.
    void try_other_tiles(const GemmPlan &plan)
    {
        constexpr std::int64_t few = 2;
        const PlanClass kind{plan.kb, plan.c_buffers, plan.a_slots, plan.b_slots, plan.by_rows};
        auto slim = kind;
        slim.a_slots = std::min(plan.a_slots, few), slim.b_slots = std::min(plan.b_slots, few);
        const auto rows = plan.tile_rows(shape_);
        for (auto other = std::max<std::int64_t>(1, rows - climb); other <= rows + climb; ++other)
            for (const auto &one : {kind, slim})
                if (const auto sized = sized_plan(shape_, model_, one, other, 0)) add(*sized);
        for (std::int64_t more = 1; more <= climb; ++more)
            if (const auto sized = sized_plan(shape_, model_, slim, rows, more)) add(*sized);
    }

  private:
    const GemmShape &shape_;
    const DeviceModel &model_;
    std::set<GemmPlan> known_;
    std::vector<Simulated> plans_;
};

// One by one, then in steps in proportion.
std::vector<std::int64_t> tile_rows_to_try(const GemmShape &shape, const DeviceModel &model)
{
    constexpr std::int64_t one_by_one = 16;
    const auto most = std::min(ceil_div(shape.m, model.row_multiple), most_tile_rows(shape, model));
    std::vector<std::int64_t> all;
    for (std::int64_t rows = 1; rows <= most; rows += 1 + rows / one_by_one) all.push_back(rows);
    return all;
}

// The best of each class by the estimate.
class Screening
{
  public:
    Screening(const GemmShape &shape, const DeviceModel &model) : shape_(shape), model_(model)
    {
        for (const auto &kind : plan_classes(shape)) add_best_of(kind);
    }

    double least_seconds() const { return least_; } // infinity where nothing fits

    // The fastest, and of those not much slower the ones of the best trade.
    std::vector<GemmPlan> chosen()
    {
        std::erase_if(estimates_, [&](const Estimate &one) { return one.seconds > worth_simulating * least_; });
        std::vector<GemmPlan> plans;
        const auto take = [&](std::size_t most) {
            for (std::size_t i = 0; i < std::min(most, estimates_.size()); ++i) plans.push_back(estimates_[i].plan);
        };
        std::sort(estimates_.begin(), estimates_.end(), by_seconds);
        take(most_fastest);
        std::erase_if(estimates_, [&](const Estimate &one) { return one.seconds > worth_for_bytes * least_; });
        std::sort(estimates_.begin(), estimates_.end(), by_trade);
        take(most_traded);
        std::erase_if(estimates_, [&](const Estimate &one) { return moves_much(one.bytes, shape_, model_); });
        take(most_traded);
        return plans;
    }

  private:
    // The fastest, and the best trade of those about as fast.
    void add_best_of(const PlanClass &kind)
    {
        std::vector<Estimate> all;
        double fastest = std::numeric_limits<double>::infinity();
        for (const auto rows : tile_rows_to_try(shape_, model_)) {
            if (is_hopeless(rows)) break;
            const auto plan = sized_plan(shape_, model_, kind, rows, 0);
            if (!plan || !is_usable(shape_, *plan, model_)) continue;
            const auto seconds = estimated_seconds(shape_, *plan, model_);
            all.push_back({*plan, seconds, estimated_traffic(shape_, *plan).total()});
            fastest = std::min(fastest, seconds);
        }
        if (all.empty()) return;
        least_ = std::min(least_, fastest);
        const auto first = [&](const auto &before) {
            estimates_.push_back(*std::min_element(all.begin(), all.end(), before));
        };
        first(by_seconds);
        std::erase_if(all, [&](const Estimate &one) { return one.seconds > about_as_fast * fastest; });
        first(by_trade);
    }

    // B comes once a row of tiles, but for what is found again: at most a device full.
    bool is_hopeless(std::int64_t rows) const
    {
        if (model_.copies_take_units) return false;
        const auto b =
            static_cast<double>(shape_.element_bytes()) * static_cast<double>(shape_.k) * static_cast<double>(shape_.n);
        const auto found = std::min(b, static_cast<double>(model_.space.limit_bytes));
        const auto least = b + (b - found) * static_cast<double>(rows - 1);
        return least / model_.link.in_bytes_per_second > worth_simulating * least_;
    }

    const GemmShape &shape_;
    const DeviceModel &model_;
    double least_ = std::numeric_limits<double>::infinity();
    std::vector<Estimate> estimates_;
};

// One tile of the kernel's after another.
GemmPlan smallest_plan(const GemmShape &shape, const DeviceModel &model)
{
    constexpr std::int64_t depth = 32;
    GemmPlan plan;
    plan.mb = plan.strip_rows = std::min(shape.m, model.row_multiple);
    plan.nb = std::min(shape.n, model.column_multiple);
    plan.kb = std::min(shape.k, depth);
    plan.c_buffers = plan.a_slots = plan.b_slots = 1;
    return split_where_needed(plan, shape, model.space);
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

std::vector<GemmPlan> plans_of_tile(const GemmShape &shape, const DeviceModel &model, const TileSize &tile)
{
    std::vector<GemmPlan> plans;
    for (const std::int64_t c : {1, 2})
        for (const std::int64_t a : {1, 2})
            for (const std::int64_t b : {1, 2})
                for (const bool by_rows : {true, false})
                    if (const auto plan = sized_plan(shape, model, {tile.kb, c, a, b, by_rows}, tile))
                        plans.push_back(*plan);
    return plans;
}

std::string name_of(std::string_view plan, const std::optional<TileSize> &tile)
{
    const auto steps = text("of at most ", static_cast<std::int64_t>(most_small_steps), " steps");
    if (tile) return text("no plan ", steps, " with tiles of ", tile->mb, "x", tile->nb, "x", tile->kb);
    return plan == "hclooc" ? text("no plan ", steps, " of slices with the whole of k, as plan=hclooc takes them,")
                            : text("no plan ", steps);
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
    Field field(shape, model);
    for (const auto &plan : Screening(shape, model).chosen()) field.add(plan);
    if (field.empty()) field.add(smallest_plan(shape, model));
    if (field.empty()) fail_for_space(model, "model");
    for (const auto &one : field.to_improve()) field.try_other_tiles(one.plan);
    for (const auto &one : field.fastest(most_improved)) field.try_strips(one.plan);
    return planned("model", shape, model, field.best_trade_of_fastest());
}

PlannedGemm plan_with_tile(const GemmShape &shape, const DeviceModel &model, const TileSize &tile)
{
    Field field(shape, model);
    for (const auto &plan : plans_of_tile(shape, model, tile)) field.try_strips(plan);
    if (field.empty()) fail_for_space(model, "tile", tile);
    return planned("tile", shape, model, field.best_trade_of_fastest());
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
    if (tile) {
        plans = plans_of_tile(shape, model, *tile);
    } else if (plan == "hclooc") {
        if (const auto slices = slices_that_fit(shape, model))
            plans.push_back(hclooc_plan(shape, model, slices->first, slices->second));
    } else {
        const auto seconds = Screening(shape, model).least_seconds();
        if (!std::isinf(seconds)) return seconds;
        plans.push_back(smallest_plan(shape, model));
        if (!is_usable(shape, plans.back(), model)) plans.clear();
    }
    if (plans.empty()) fail_for_space(model, plan, tile);
    double least = std::numeric_limits<double>::infinity();
    for (const auto &one : plans) least = std::min(least, estimated_seconds(shape, one, model));
    return least;
}

bool has_plan(const GemmShape &shape, const DeviceModel &model, std::string_view plan,
              const std::optional<TileSize> &tile)
{
    if (tile) {
        const auto sized = sized_plan(shape, model, {tile->kb, 1, 1, 1, true}, *tile);
        return sized && is_usable(shape, *sized, model);
    }
    if (plan == "hclooc") return slices_that_fit(shape, model).has_value();
    if (is_usable(shape, smallest_plan(shape, model), model)) return true;
    const auto rows_to_try = tile_rows_to_try(shape, model);
    return std::ranges::any_of(plan_classes(shape), [&](const PlanClass &kind) {
        const bool is_least = kind.by_rows && kind.c_buffers == 1 && kind.a_slots == 1 && kind.b_slots == 1;
        return is_least && std::ranges::any_of(rows_to_try, [&](std::int64_t rows) {
                   const auto sized = sized_plan(shape, model, kind, rows, 0);
                   return sized && is_usable(shape, *sized, model);
               });
    });
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
    constexpr std::int64_t most = std::int64_t{1} << 60, parts = 64; // of the number that are near enough
    auto low = std::max<std::int64_t>(model.space.limit_bytes, 1), high = low;
    if (suffices(low)) return std::nullopt; // then it was not the plan that failed
    do high *= 2;
    while (!suffices(high) && high < most);
    if (high >= most) return std::nullopt;
    low = std::max(low, high / 2);
    while (high - low > std::max<std::int64_t>(1, high / parts)) {
        const auto middle = low + (high - low) / 2;
        (suffices(middle) ? high : low) = middle;
    }
    return high;
}

} // namespace hpart
