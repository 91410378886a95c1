// A product on one device.
#pragma once

#include "core/error.hpp"
#include "core/options.hpp"
#include "core/progress.hpp"
#include "out_of_card/devices/registry.hpp"
#include "out_of_card/gemm/gemm.hpp"
#include "out_of_card/gemm/planner.hpp"
#include "out_of_card/in_card/gemm.hpp"
#include "out_of_card/pipeline/account.hpp"
#include "out_of_card/pipeline/flow.hpp"

#include <optional>
#include <string>
#include <vector>

namespace hpart
{

// The settings of a call, from its options.
struct GemmSettings {
    std::string plan = "model"; // or "hclooc"
    std::optional<TileSize> tile;
    std::string zero_copy = "auto";
    std::string kernel = "auto";
    bool wants_in_card_rate = false;
    bool dry_run = false; // nothing is computed
    bool is_part = false; // of an operation, whose other products must fit too
    int host_threads = 0; // of a product on the host itself; 0: all
    FlowOptions flow;

    static GemmSettings from(const Options &options);
};

constexpr const char *host_gemm_kernel = "openblas";

double operations_of(const GemmShape &shape);

// True if a product uses the host's memory as it is. Fails if zero_copy=always cannot be met.
bool works_in_place(const DeviceSession &session, const std::string &zero_copy);
// And the kernel takes sides and leading dimensions as long as the call's.
bool works_in_place(const DeviceSession &session, const std::string &zero_copy, const InCardGemm &kernel,
                    const GemmCall &row_major);

// Fails with the settings' tile where it is too small for an operation that goes out of card.
void check_tile(const DeviceGroup &devices, const GemmSettings &settings,
                const std::function<TileSteps(const TileSize &)> &steps_of);
void check_tile(const DeviceGroup &devices, const GemmSettings &settings, const GemmShape &shape);

// The model of a device and a kernel within this share of its free memory: without measurements, and with the measured rates.
DeviceModel unmeasured_model(DeviceSession &session, const std::shared_ptr<InCardGemm> &kernel, double share_of_memory);
DeviceModel model_of(DeviceSession &session, const std::shared_ptr<InCardGemm> &kernel, double share_of_memory,
                     const FlowOptions &flow, bool is_staged = false);
// True if the matrices are staged: not all are pinned for the device.
bool is_staged(DeviceSession &session, const FlowOptions &flow, const GemmCall &row_major);

// A product's shape as it is when its matrices, C too, are stored by rows or by columns.
std::vector<GemmShape> stored_in_all_ways(const GemmShape &shape);

// "; so many bytes would do", where a product did not fit the device's memory; empty where that is not known.
std::string sufficient_memory(DeviceSession &session, const std::shared_ptr<InCardGemm> &kernel, const GemmShape &shape,
                              const GemmSettings &settings);

// A product that failed. The status for want of memory promises that C is as it was.
class FailedProduct final : public Error
{
  public:
    FailedProduct(const Error &cause, bool changed)
        : Error(cause.status() == Status::out_of_memory && changed ? Status::device : cause.status(),
                text(cause.what(), changed ? "; C is undefined" : "; C is as it was")),
          cause_(cause.what()), changed_(changed)
    {
    }
    const std::string &cause() const { return cause_; } // without what became of C
    bool changed() const { return changed_; }

  private:
    std::string cause_;
    bool changed_;
};

// Runs what needs memory of the device for a product; where that is too little, the failure says how much would do.
template <typename Work>
auto naming_sufficient_memory(DeviceSession &session, const std::shared_ptr<InCardGemm> &kernel, const GemmShape &shape,
                              const GemmSettings &settings, const Work &work)
{
    try {
        return work();
    } catch (const Error &error) {
        if (error.status() != Status::out_of_memory) throw;
        fail(error.status(), error.what(), sufficient_memory(session, kernel, shape, settings));
    }
}

// The plan that the settings ask for; kept with the device. The device's in_use is held.
PlannedGemm plan_for(DeviceSession &session, const InCardGemm &kernel, const GemmShape &shape, const DeviceModel &model,
                     const GemmSettings &settings);
// The estimated seconds of such a plan.
double estimate_for(DeviceSession &session, const InCardGemm &kernel, const GemmShape &shape, const DeviceModel &model,
                    const GemmSettings &settings);

// Fails as gemm_on_device does if no plan fits the device's memory. The device's in_use is held.
void check_fits(DeviceSession &session, const GemmShape &shape, const GemmSettings &settings);

GemmShape shape_of(const GemmCall &row_major);

// A plan's commands on the device. The record tells what was done also where the call fails: as long as no read began, C is as it was.
void run_plan(DeviceSession &session, InCardGemm &kernel, const GemmCall &row_major, const GemmPlan &plan,
              Control &control, const FlowOptions &options, FlowRecord &record);

// On memory that the device shares with the host: nothing is moved.
void run_in_place(DeviceSession &session, InCardGemm &kernel, const GemmCall &row_major, Control &control,
                  const FlowOptions &options, FlowRecord &record);

// m, n, k are positive, alpha is not 0. The device's in_use is held. The account tells what was done also where it fails.
void gemm_on_device(DeviceSession &session, const GemmCall &row_major, const GemmSettings &settings, Control &control,
                    Account &account);

} // namespace hpart
