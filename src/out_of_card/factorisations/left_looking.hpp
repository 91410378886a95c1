// Factorisations by blocks of columns that stay on the device while all panels before them stream past: each element of the
// matrix goes in and out once, and the panels, N^3/(3 W) elements for blocks of W columns, go in. The host factors
// the panels, or the device by a library, the next one while other columns are brought up to date.
#pragma once

#include "core/numbers.hpp"
#include "out_of_card/factorisations/device_work.hpp"
#include "out_of_card/factorisations/on_host.hpp"

#include <future>
#include <optional>

namespace hpart
{

class LeftLooking
{
  public:
    // LU, Cholesky or QR: the derived class has the steps.
    LeftLooking(DeviceWork &work, const LeftLookingShape &shape)
        : work_(work), shape_(shape), diagonal_(std::min(shape.rows, shape.columns))
    {
    }
    LeftLooking(const LeftLooking &) = delete;
    LeftLooking &operator=(const LeftLooking &) = delete;
    virtual ~LeftLooking() = default;

    // LAPACK's info.
    std::int64_t run();
    double panel_seconds() const { return panel_seconds_; }

  protected:
    struct Columns {
        std::int64_t first = 0, count = 0;
    };
    // The last one may be wider than the others.
    std::int64_t panels() const
    {
        return 1 + ceil_div(std::max<std::int64_t>(0, diagonal_ - shape_.last_panel), shape_.panel);
    }
    std::int64_t panel_begin(std::int64_t k) const { return k * shape_.panel; }
    std::int64_t panel_end(std::int64_t k) const { return k + 1 == panels() ? diagonal_ : panel_begin(k + 1); }
    std::int64_t panel_width(std::int64_t k) const { return panel_end(k) - panel_begin(k); }
    // True if columns behind it are to be brought up to date with it.
    bool is_applied(std::int64_t k) const { return panel_end(k) < shape_.columns; }
    // The columns that are on the device.
    const Columns &block() const { return block_; }
    // The columns that the device works on. The host may factor the first panel of all as it is, meanwhile.
    Columns sent_of_block() const
    {
        const auto first = has_first_panel_on_host() ? std::max(block_.first, panel_end(0)) : block_.first;
        return {first, std::max<std::int64_t>(0, block_.first + block_.count - first)};
    }

    // Sends the block to the device, up to date with the panels that were accepted.
    virtual void begin_block() = 0;
    // Panels that stream() brings together, from one on that the block has not.
    virtual std::int64_t streamed_together(std::int64_t) const { return 1; }
    // As many as the slots have room for.
    std::int64_t panels_of_group(std::int64_t k) const;
    // The host factors the block's last panel: what may be sent of the next block is.
    virtual void prepare_block(const Columns &) {}
    // True where stream() ends a panel, from the host's part and the device's.
    virtual bool makes_panels_on_device() const { return false; }
    virtual bool has_first_panel_on_host() const { return !shape_.panels_on_device; }
    // Fetches a panel that is up to date, and returns where the host will find it; or the device begins to factor it.
    virtual HostMatrix fetch_panel(std::int64_t k) = 0;
    // Maybe on a thread of its own; returns the panel's info. May throw.
    virtual std::int64_t factor_panel(std::int64_t k) = 0;
    // A factored panel is to be applied next: all before it have been.
    virtual void accept(std::int64_t k) = 0;
    // Does the rest of the host's work on an accepted panel, while the device applies it.
    virtual void settle(std::int64_t) {}
    // And on panels before it.
    virtual void work_beside(std::int64_t) {}
    // And on all of them, at the end.
    virtual void finish() {}
    virtual const DeviceBlock &stream(std::int64_t k) = 0;
    // To columns of the matrix that are on the device.
    virtual void apply(std::int64_t k, const DeviceBlock &slot, const Columns &columns) = 0;
    // True if a panel whose info is not 0 ends the factorisation.
    virtual bool ends_at_info() const = 0;
    // Fetches the rows of U or R above a panel that is up to date, by columns: rows would be short. Rows of row-major matrices are
    // fetched as they are made.
    void fetch_above(const DeviceBlock &resident, const Columns &columns, const HostMatrix &a);
    // A result that is fetched when the next panel is on its way, for which the device may wait.
    void fetch_later(const DeviceBlock &from, const HostMatrix &to);
    // Sends the columns of the block, and in place of the panels before `end`, which are done, columns of the next one.
    void send_block(const DeviceBlock &resident, const HostMatrix &a);
    void send_behind(const DeviceBlock &resident, const HostMatrix &a, std::int64_t end);
    // Columns that the two have sent, if the device factors panels.
    std::int64_t sent() const { return sent_; }
    // As fetch_above, of the block's columns that have no panel.
    virtual void fetch_behind(const Columns &) {}

    DeviceWork &work_;
    const LeftLookingShape shape_;

  private:
    const std::int64_t diagonal_;
    // False: the factorisation has ended.
    bool join(std::int64_t k);
    void start_factoring(std::int64_t k);
    void settle_accepted();
    bool run_block();
    bool end_block();
    double fraction(std::int64_t k) const;

    void send_up_to(const DeviceBlock &resident, const HostMatrix &a, std::int64_t end, std::int64_t at_once);
    void fetch_now();

    struct Later {
        DeviceBlock from;
        HostMatrix to;
    };
    std::optional<Later> later_;
    Columns block_;
    std::int64_t sent_ = 0;                   // columns, if the device factors panels
    std::int64_t accepted_ = 0, settled_ = 0; // panels
    std::int64_t info_ = 0;
    double panel_seconds_ = 0;
    struct Factored {
        std::int64_t info = 0;
        double seconds = 0;
    };
    std::future<Factored> factoring_; // of panel accepted_
};

} // namespace hpart
