// A product on one device.
#pragma once

#include "core/error.hpp"
#include "core/options.hpp"
#include "core/progress.hpp"
#include "out_of_card/devices/registry.hpp"
#include "out_of_card/gemm/gemm.hpp"
#include "out_of_card/gemm/plan.hpp"
#include "out_of_card/gemm/planner.hpp"
#include "out_of_card/in_card/gemm.hpp"
#include "out_of_card/pipeline/device_team.hpp"
#include "out_of_card/pipeline/flow.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace hpart
{

// The commands of a plan, in the order in which they are given to the queues. Counting, simulation and execution all take this one
// walk: they have the same commands.

struct Extent {
    std::int64_t first = 0, count = 0;
};

inline Extent extent_of(std::int64_t index, std::int64_t block, std::int64_t length)
{
    return {index * block, std::min(block, length - index * block)};
}

// The panels of one operand on the device: the least recently used slot takes the next. All panels of a place (a row or column
// of tiles) are used before the next place's.
class PanelSlots
{
  public:
    PanelSlots(std::int64_t slots, std::int64_t panels);

    struct Use {
        std::int64_t slot;
        bool held; // else it is to be written
    };
    Use use(std::int64_t place, std::int64_t panel);

  private:
    std::int32_t find(std::int64_t place, std::int64_t panel) const; // -1: on no slot
    void make_most_recent(std::int32_t index);

    struct Slot {
        std::int64_t place = -1, panel = -1;
        std::int32_t before = -1, after = -1; // in the order of use
    };
    std::vector<Slot> slots_;
    std::vector<std::int32_t> slot_of_; // of each panel, at the place where it was used last
    std::int32_t oldest_ = 0, newest_ = 0;
};

// A panel of A or B: rows (or columns) of C by depth.
struct Panel {
    std::int64_t slot = 0;
    Extent across, depth;
};

// A strip of a tile of C, or all of the tile: its rows and columns, and its place in the tile's buffer.
struct Strip {
    std::int64_t buffer = 0;
    std::int64_t index = 0;
    Extent rows, columns;
    std::int64_t first_row_in_tile = 0;
};

// Bytes that the plan moves, counted on its walk.
GemmTraffic counted_traffic(const GemmShape &shape, const GemmPlan &plan);

// Gives the commands to a sink, in an order that would be right one after another.
//   void write_a(const Panel &), write_b, write_c(const Strip &), read_c(const Strip &)
//   void product(const Strip &, const Panel &a, const Panel &b, bool first)
//   bool end_step(std::int64_t step):    false to go no further
template <typename Sink> class GemmWalk
{
  public:
    GemmWalk(const GemmShape &shape, const GemmPlan &plan, Sink &sink)
        : shape_(shape), plan_(plan), sink_(sink), panels_(plan.panels(shape)), a_(plan.a_slots, panels_),
          b_(plan.b_slots, panels_)
    {
    }

    void run()
    {
        const auto rows = plan_.tile_rows(shape_), columns = plan_.tile_columns(shape_);
        const auto outer = plan_.by_rows ? rows : columns, inner = plan_.by_rows ? columns : rows;
        for (std::int64_t i = 0; i < outer; ++i)
            for (std::int64_t j = 0; j < inner; ++j) {
                const auto turned = plan_.serpentine && i % 2 != 0 ? inner - 1 - j : j;
                if (!tile(plan_.by_rows ? i : turned, plan_.by_rows ? turned : i)) return;
            }
    }

  private:
    bool tile(std::int64_t row, std::int64_t column)
    {
        const bool forward = !plan_.serpentine || tiles_ % 2 == 0;
        for (std::int64_t p = 0; p < panels_; ++p) {
            const auto q = forward ? p : panels_ - 1 - p;
            const auto depth = extent_of(q, plan_.kb, shape_.k);
            const auto rows = extent_of(row, plan_.mb, shape_.m), columns = extent_of(column, plan_.nb, shape_.n);
            Panel a, b;
            const auto take_a = [&] { a = panel(a_, row, q, {0, rows, depth}, &Sink::write_a); };
            // Send the operand with more slots first. The other one waits longer for a slot and would hold up the queue.
            if (plan_.a_slots >= plan_.b_slots) take_a();
            b = panel(b_, column, q, {0, columns, depth}, &Sink::write_b);
            if (plan_.a_slots < plan_.b_slots) take_a();
            products(rows, columns, a, b, p == 0, p == panels_ - 1);
            if (!sink_.end_step(steps_++)) return false;
        }
        ++tiles_;
        return true;
    }

    Panel panel(PanelSlots &slots, std::int64_t place, std::int64_t q, Panel panel, void (Sink::*write)(const Panel &))
    {
        const auto use = slots.use(place, q);
        panel.slot = use.slot;
        if (!use.held) (sink_.*write)(panel);
        return panel;
    }

    void products(const Extent &rows, const Extent &columns, const Panel &a, const Panel &b, bool first, bool last)
    {
        const auto height = first || last || plan_.c_in_strips ? plan_.strip_rows : rows.count;
        const auto buffer = tiles_ % plan_.c_buffers;
        for (std::int64_t r = 0; r * height < rows.count; ++r) {
            const auto in_tile = extent_of(r, height, rows.count);
            const Strip strip{buffer, r, {rows.first + in_tile.first, in_tile.count}, columns, in_tile.first};
            if (first && shape_.reads_c) sink_.write_c(strip);
            sink_.product(strip, a, b, first);
            if (last) sink_.read_c(strip);
        }
    }

    const GemmShape shape_;
    const GemmPlan plan_;
    Sink &sink_;
    std::int64_t panels_;
    PanelSlots a_, b_;
    std::int64_t tiles_ = 0, steps_ = 0;
};

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

// C is split by rows, or by columns where that repeats less: the shares come from the library's own partitioner, on the
// devices' modelled times, corrected by what earlier calls took. Each device works on a thread of its own; the host, without a
// memory limit, in place on the cores that the others leave. When one fails, all stop.
Account gemm_on_devices(DeviceGroup &devices, const GemmCall &row_major, const GemmSettings &settings,
                        Control &control);

} // namespace hpart
