// Which widths a left-looking method works with: those of least time by what was measured of the card, its link and the
// host.
#pragma once

#include "out_of_card/factorisations/host_panels.hpp"
#include "out_of_card/gemm/rates.hpp"

#include <optional>

namespace hpart
{

struct LeftLookingModel {
    LeftLookingProblem problem;
    CardModel card;
    HostPanels host;
    bool competes_with_host = false; // for the machine's cores
    std::int64_t cores = 1;
};

// Blocks narrower than this part of the columns move more than the recursion does.
constexpr std::int64_t most_blocks = 12;

double predicted_seconds(const LeftLookingModel &model, const LeftLookingShape &shape);

// How wide the last panel may be so that the host, which factors it with all its threads while nothing else is to be done,
// is no later than the panels of it one by one.
std::int64_t columns_left_to_host(const LeftLookingModel &model, const LeftLookingShape &shape);

// The widths of least predicted time; shape_of(panel) gives the shape with the widest block that fits, or one without.
template <typename ShapeOf>
std::optional<LeftLookingShape> best_widths(const LeftLookingModel &model, const ShapeOf &shape_of)
{
    constexpr std::int64_t candidates[] = {32, 64, 96, 128, 192, 256, 384, 512};
    std::optional<LeftLookingShape> best;
    double least = 0;
    for (const auto panel : candidates) {
        const LeftLookingShape shape = shape_of(panel);
        if (shape.resident * most_blocks < shape.columns || shape.panel >= std::min(shape.rows, shape.columns))
            continue;
        const auto seconds = predicted_seconds(model, shape);
        if (best && seconds >= least) continue;
        best = shape;
        least = seconds;
    }
    if (best) best->last_panel = columns_left_to_host(model, *best);
    return best;
}

} // namespace hpart
