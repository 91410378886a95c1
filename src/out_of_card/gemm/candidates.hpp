// The plans that a planner looks at, and what each is thought to take.
#pragma once

#include "out_of_card/gemm/simulation.hpp"
#include "out_of_card/gemm/tile.hpp"

#include <functional>
#include <vector>

namespace hpart
{

using PlanVisitor = std::function<bool(const GemmPlan &plan)>; // true: it is enough

// Plans that fit, for each depth of the panels: the largest tiles of C that leave room for so many panels of A and of B, about square and
// flatter ones. What memory is left holds more panels. True if
// one was enough.
bool visit_plans(const GemmShape &shape, const DeviceModel &model, std::int64_t slots, const PlanVisitor &is_enough);
// Those with these tiles.
std::vector<GemmPlan> plans_to_try(const GemmShape &shape, const DeviceModel &model, const TileSize &tile);
// One of the kernel's own tiles after another: with short panels, and with the deepest that fit. They may not fit.
std::vector<GemmPlan> small_plans(const GemmShape &shape, const DeviceModel &model);

// Memory of the buffers and of the kernel.
std::int64_t device_bytes(const GemmShape &shape, const GemmPlan &plan, const DeviceModel &model);
bool fits(const GemmShape &shape, const GemmPlan &plan, const DeviceModel &model);

// Seconds, from a formula: kernels and transfers side by side, and where one must wait for the other.
double estimated_seconds(const GemmShape &shape, const GemmPlan &plan, const DeviceModel &model);

} // namespace hpart
