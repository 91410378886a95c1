// A product on one card.
#pragma once

#include "core/options.hpp"
#include "core/progress.hpp"
#include "out_of_card/gemm/execution.hpp"
#include "out_of_card/gemm/planner.hpp"

#include <optional>
#include <string>

namespace hpart
{

// What the options of a call ask for.
struct GemmSettings {
    std::string plan = "model"; // or "hclooc"
    std::optional<TileSize> tile;
    std::string zero_copy = "auto";
    std::string kernel = "auto";
    bool wants_in_card_rate = false;
    FlowOptions flow;

    static GemmSettings from(const Options &options);
};

// What a product on a card was, for its report.
struct GemmOutcome {
    std::string method; // "host", "zero-copy", "out-of-card"
    std::string kernel;
    std::optional<PlannedGemm> planned;
    CardModel model;
    FlowRecord record;
    std::int64_t retries = 0;
    double in_card_seconds = 0; // of the same kernels without transfers; 0 when not asked for

    void report(const GemmCall &row_major, Report &report) const;
};

// The model of a card and a kernel, from what was measured of them; within so much of its free memory.
CardModel model_of(Card &card, const std::shared_ptr<InCardGemm> &kernel, double share_of_memory,
                   const FlowOptions &flow);

// The plan that the settings ask for; kept with the card. The card's in_use is held.
PlannedGemm plan_for(Card &card, const InCardGemm &kernel, const GemmShape &shape, const CardModel &model,
                     const GemmSettings &settings);

// m, n, k are positive, alpha is not 0. The card's in_use is held.
GemmOutcome gemm_on_card(Card &card, const GemmCall &row_major, const GemmSettings &settings, Control &control);

} // namespace hpart
