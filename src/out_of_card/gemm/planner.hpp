// Chooses a plan: the best trade of time and bytes among the plans within a few percent of the least time, by the device's model.
#pragma once

#include "out_of_card/gemm/plan.hpp"

#include <functional>
#include <optional>
#include <string_view>
#include <vector>

namespace hpart
{

// The plans that a planner looks at, and what each is thought to take.

using PlanVisitor = std::function<bool(const GemmPlan &plan)>; // true: it is enough

// Plans that fit with these tiles.
std::vector<GemmPlan> plans_to_try(const GemmShape &shape, const DeviceModel &model, const TileSize &tile);
// One of the kernel's own tiles after another: with short panels, and with the deepest that fit. They may not fit.
std::vector<GemmPlan> small_plans(const GemmShape &shape, const DeviceModel &model);

// Memory of the buffers and of the kernel.
std::int64_t device_bytes(const GemmShape &shape, const GemmPlan &plan, const DeviceModel &model);
bool fits(const GemmShape &shape, const GemmPlan &plan, const DeviceModel &model);

// Seconds, from a formula: kernels and transfers side by side, and where one must wait for the other.
double estimated_seconds(const GemmShape &shape, const GemmPlan &plan, const DeviceModel &model);

struct PlannedGemm {
    const char *method = ""; // "model", "hclooc", "tile"
    GemmPlan plan;
    GemmTraffic traffic;
    PredictedTime predicted;
    std::int64_t device_bytes = 0; // of its buffers and what the kernel takes
};

// Each fails with Status::out_of_memory where nothing, or not what was asked for, fits the device.
PlannedGemm plan_by_model(const GemmShape &shape, const DeviceModel &model);
// The best of the plans with these tiles.
PlannedGemm plan_with_tile(const GemmShape &shape, const DeviceModel &model, const TileSize &tile);
// HCLOOC's Partitioner (H. Khaleghzadeh's thesis of 2019, Algorithm 9): A in `rows` slices, B in `columns`, with whole k.
PlannedGemm plan_of_hclooc(const GemmShape &shape, const DeviceModel &model);

// About what one of them would take, without a simulation.
double estimated_least_seconds(const GemmShape &shape, const DeviceModel &model, std::string_view plan,
                               const std::optional<TileSize> &tile);

// True if one of the above succeeds; the same as a failure. Uses only those values of the model that need no measurement.
bool has_plan(const GemmShape &shape, const DeviceModel &model, std::string_view plan,
              const std::optional<TileSize> &tile);
void check_plan(const GemmShape &shape, const DeviceModel &model, std::string_view plan,
                const std::optional<TileSize> &tile);
// With how many bytes of the device's memory, free, where these are too few: within two per cent the fewest. Nothing where no
// memory is enough.
std::optional<std::int64_t> sufficient_bytes(const GemmShape &shape, DeviceModel model, std::string_view plan,
                                             const std::optional<TileSize> &tile);

// Least rows x columns, then least columns, for which fits(rows, columns) holds; it holds for more of either if it does.
template <typename Fits>
std::optional<std::pair<std::int64_t, std::int64_t>> hclooc_slices(std::int64_t m, std::int64_t n, const Fits &fits)
{
    std::optional<std::pair<std::int64_t, std::int64_t>> best;
    // Two slices of A are on the device at once. Columns fall as rows rise.
    std::int64_t columns = n;
    for (std::int64_t rows = m < 2 ? m : 2; rows <= m; ++rows) {
        if (!fits(rows, columns)) continue;
        while (columns > 1 && fits(rows, columns - 1)) --columns;
        if (!best || rows * columns < best->first * best->second ||
            (rows * columns == best->first * best->second && columns < best->second))
            best = {rows, columns};
        if (columns == 1) break;
    }
    return best;
}

} // namespace hpart
