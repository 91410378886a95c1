// The plans that a planner looks at, and what each is thought to take.
#pragma once

#include "out_of_card/gemm/rates.hpp"
#include "out_of_card/gemm/tile.hpp"

#include <optional>
#include <vector>

namespace hpart
{

// Plans alike but for their tiles.
struct PlanClass {
    std::int64_t kb = 0;
    std::int64_t c_buffers = 1;
    std::int64_t a_slots = 2, b_slots = 2; // the fewest; more where memory is left
    bool by_rows = true;
};

std::vector<PlanClass> plan_classes(const GemmShape &shape);

// With `rows` rows of tiles, all but the last alike, as few columns as fit, and `more_columns` more.
std::optional<GemmPlan> sized_plan(const GemmShape &shape, const DeviceModel &model, const PlanClass &kind,
                                   std::int64_t rows, std::int64_t more_columns);
// With these tiles.
std::optional<GemmPlan> sized_plan(const GemmShape &shape, const DeviceModel &model, const PlanClass &kind,
                                   const TileSize &tile);

// Flatter tiles move more than square ones of the same memory, in any order.
std::int64_t most_tile_rows(const GemmShape &shape, const DeviceModel &model);

// Rows of a strip, where a tile of mb rows is cut into about so many.
std::int64_t strip_rows_of(std::int64_t mb, std::int64_t strips, std::int64_t row_multiple);

// Memory of the buffers and of the kernel.
std::int64_t device_bytes(const GemmShape &shape, const GemmPlan &plan, const DeviceModel &model);
bool fits(const GemmShape &shape, const GemmPlan &plan, const DeviceModel &model);

// Seconds, from a formula: kernels and transfers side by side, and where one must wait for the other.
double estimated_seconds(const GemmShape &shape, const GemmPlan &plan, const DeviceModel &model);

} // namespace hpart
