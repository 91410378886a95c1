// A product on one card.
#pragma once

#include "core/error.hpp"
#include "core/options.hpp"
#include "core/progress.hpp"
#include "out_of_card/devices/registry.hpp"
#include "out_of_card/gemm/execution.hpp"
#include "out_of_card/gemm/planner.hpp"
#include "out_of_card/pipeline/account.hpp"

#include <optional>
#include <string>
#include <vector>

namespace hpart
{

// What the options of a call ask for.
struct GemmSettings {
    std::string plan = "model"; // or "hclooc"
    std::optional<TileSize> tile;
    std::string zero_copy = "auto";
    std::string kernel = "auto";
    bool wants_in_card_rate = false;
    bool is_part = false; // of an operation, whose other products must fit too
    int host_threads = 0; // of a product on the host itself; 0: all
    FlowOptions flow;

    static GemmSettings from(const Options &options);
};

// What a product on a card was.
struct GemmOutcome {
    std::string method = "host"; // "host", "zero-copy", "out-of-card"
    std::string kernel = host_kernel;
    GemmShape shape;
    std::optional<PlannedGemm> planned;
    std::int64_t memory_bytes = 0; // that the plan could have
    FlowRecord record;
    std::int64_t retries = 0;
    double setup_seconds = 0;
    double in_card_seconds = 0; // of the same kernels without transfers; 0 when not asked for

    Account account(double seconds) const;
    // "4 x 4 of 64x96x50, ..."; empty without a plan.
    std::string tiles() const;

    static constexpr const char *host_kernel = "openblas";
};

double operations_of(const GemmShape &shape);

// Whether a product uses the host's memory as it is; fails where zero_copy=always cannot be met.
bool works_in_place(const DeviceSession &card, const std::string &zero_copy);

// Fails with the settings' tile where it is too small for an operation that goes out of card.
void check_tile(const DeviceGroup &cards, const GemmSettings &settings,
                const std::function<TileSteps(const TileSize &)> &steps_of);
void check_tile(const DeviceGroup &cards, const GemmSettings &settings, const GemmShape &shape);

// The model of a card and a kernel within so much of its free memory: what is known without a measurement, and with what was
// measured of them.
CardModel unmeasured_model(DeviceSession &card, const std::shared_ptr<InCardGemm> &kernel, double share_of_memory);
CardModel model_of(DeviceSession &card, const std::shared_ptr<InCardGemm> &kernel, double share_of_memory,
                   const FlowOptions &flow, bool is_packed = false);
// True if the matrices are staged: not all are pinned for the card.
bool is_packed(DeviceSession &card, const FlowOptions &flow, const GemmCall &row_major);

// A product's shape as it is when its matrices, C too, are stored by rows or by columns.
std::vector<GemmShape> stored_in_all_ways(const GemmShape &shape);

// "; so many bytes would do", where a product did not fit the card's memory; empty where that is not known.
std::string sufficient_memory(DeviceSession &card, const std::shared_ptr<InCardGemm> &kernel, const GemmShape &shape,
                              const GemmSettings &settings);

// The status of a failure: that for want of memory promises that C is as it was.
inline Status status_after(Status status, bool c_is_changed)
{
    return status == Status::out_of_memory && c_is_changed ? Status::device : status;
}

// Runs what needs memory of the card for a product; where that is too little, the failure says how much would do.
template <typename Work>
auto naming_sufficient_memory(DeviceSession &card, const std::shared_ptr<InCardGemm> &kernel, const GemmShape &shape,
                              const GemmSettings &settings, const Work &work)
{
    try {
        return work();
    } catch (const Error &error) {
        if (error.status() != Status::out_of_memory) throw;
        fail(error.status(), error.what(), sufficient_memory(card, kernel, shape, settings));
    }
}

// The plan that the settings ask for; kept with the card. The card's in_use is held.
PlannedGemm plan_for(DeviceSession &card, const InCardGemm &kernel, const GemmShape &shape, const CardModel &model,
                     const GemmSettings &settings);

// m, n, k are positive, alpha is not 0. The card's in_use is held. The outcome tells what was done also where it fails.
void gemm_on_card(DeviceSession &card, const GemmCall &row_major, const GemmSettings &settings, Control &control,
                  GemmOutcome &outcome);

} // namespace hpart
