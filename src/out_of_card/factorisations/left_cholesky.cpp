#include "out_of_card/factorisations/left_looking.hpp"

#include "out_of_card/factorisations/blocking.hpp"
#include "out_of_card/factorisations/device_panels.hpp"
#include "out_of_card/factorisations/device_work.hpp"
#include "out_of_card/factorisations/recursive.hpp"

// A = L L^H, left-looking by blocks of columns. The host factors the squares on the diagonal and inverts their factors; the
// elements below are a product with the inverse, made where the panel is applied from. Only the triangle moves: a square also holds
// elements that the call may not write, so it comes to a workspace first.

namespace hpart::on_device
{

namespace
{

class LeftCholesky final : public LeftLooking
{
  public:
    LeftCholesky(DeviceWork &work, const LeftLookingShape &shape, const HostMatrix &a)
        : LeftLooking(work, shape), a_(a), square_(a.type, shape.last_panel, shape.last_panel, a.row_major),
          inverses_(a.type, inverses, shape.panel, a.row_major), resident_(work.allocate(shape.rows, shape.resident)),
          inverse_(work.allocate(shape.panel, shape.panel))
    {
        if (shape.panels_on_device) {
            results_.emplace(work, panels(), 0);
            panels_.emplace(work, factorisation_of(StepKind::cholesky, a), shape, *results_);
        }
        work.make_slots(shape.rows, std::max(shape.panel, shape.streamed));
    }

  private:
    static constexpr std::int64_t inverses = 2; // one may be on its way to the device while the next is made

    // A panel of the lower triangle below its diagonal square.
    HostMatrix below(std::int64_t k) const
    {
        return a_.block(panel_end(k), panel_begin(k), a_.rows - panel_end(k), panel_width(k));
    }
    HostMatrix square(std::int64_t k) const
    {
        return {a_.type, a_.row_major, panel_width(k), panel_width(k), square_.matrix().data, square_.matrix().ld};
    }
    // Rows and columns of the matrix that are on the device.
    DeviceBlock on_device(std::int64_t row, const Columns &columns) const
    {
        return resident_.block(row - block().first, columns.first - block().first, a_.rows - row, columns.count);
    }

    // Sends the next block's columns that have a free place on the device.
    void prepare_block(const Columns &next) override { send(next, next.first + block().count - shape_.panel); }
    void begin_block() override { send(block(), block().first + block().count); }

    // Columns of a block that were not sent yet, in panels' widths as they are freed; of the first block, and of row-major matrices,
    // together if others are.
    // The first square of all is the host's, which factors it meanwhile.
    void send(const Columns &to, std::int64_t up_to)
    {
        const auto all = to.first + to.count;
        const auto at_once = a_.row_major || to.first == 0 ? std::max(shape_.panel, shape_.streamed) : shape_.panel;
        const auto end = up_to < all ? to.first + (up_to - to.first) / at_once * at_once : all;
        for (std::int64_t width = 0; sent_ < end; sent_ += width) {
            // The first panel has no rows of its square.
            width = std::min(sent_ == 0 ? shape_.panel : at_once - sent_ % at_once, end - sent_);
            const auto place = sent_ - to.first;
            const auto row = std::max(sent_, panel_end(0)), rows = a_.rows - row;
            work_.send(resident_.block(row - to.first, place, rows, width), a_.block(row, sent_, rows, width));
        }
    }

    HostMatrix fetch_panel(std::int64_t k) override
    {
        const auto width = panel_width(k);
        const auto here = square_on_device(k);
        in_workspace_ = k;
        if (!panels_ || width > shape_.panel) {
            work_.fetch(here, square(k));
            return square(k);
        }
        factored_here_ = k;
        const auto factor = inverse_.block(0, 0, width, width);
        panels_->factor(k, here, factor);
        work_.fetch(factor, square(k));
        return {};
    }
    DeviceBlock square_on_device(std::int64_t k) const
    {
        const auto width = panel_width(k);
        return on_device(panel_begin(k), {panel_begin(k), width}).block(0, 0, width, width);
    }

    std::int64_t factor_panel(std::int64_t k) override
    {
        const auto in_place = a_.block(panel_begin(k), panel_begin(k), panel_width(k), panel_width(k));
        if (factored_here_ == k) {
            const bool is_right = panels_->await(k);
            if (!is_right) work_.fetch(square_on_device(k), square(k));
            work_.wait_for(square(k));
            if (is_right) {
                work_.on_host({}, [&] { on_host::copy_lower(square(k), in_place); });
                return 0;
            }
            factored_here_ = -1;
        }
        return work_.on_host({.flops = panel_flops(StepKind::cholesky, a_.type, in_place.rows, in_place.rows)}, [&] {
            if (in_workspace_ == k) on_host::copy_lower(square(k), in_place);
            const auto info = on_host::factor_cholesky(in_place);
            if (info == 0 && is_applied(k)) inverses_.invert(k % inverses, in_place, {.triangle = Triangle::lower});
            return info;
        });
    }

    void accept(std::int64_t) override {}

    const DeviceBlock &stream(std::int64_t k) override
    {
        const auto &slot = work_.next_slot();
        slot_row_ = std::max(panel_end(k), block().first);
        const auto together = panel_end(k) <= block().first ? streamed_together(k) : 1;
        slot_columns_ = panel_end(k + together - 1) - panel_begin(k);
        const auto panel = a_.block(slot_row_, panel_begin(k), a_.rows - slot_row_, slot_columns_);
        const auto part = slot.block(0, 0, panel.rows, panel.columns);
        if (panel_begin(k) < block().first) {
            work_.send(part, panel);
            return slot;
        }
        solve(k, part, panel);
        const auto end = block().first + block().count;
        send({end, std::min(shape_.resident, a_.columns - end)}, panel_end(k) + shape_.resident);
        return slot;
    }
    std::int64_t streamed_together(std::int64_t k) const override { return panels_of_group(k); }
    bool makes_panels_on_device() const override { return true; }
    bool has_first_panel_on_host() const override { return true; }

    // X L^H = C: C is on the device, X in the slot and in `to`.
    void solve(std::int64_t k, const DeviceBlock &x, const HostMatrix &to)
    {
        const auto width = panel_width(k);
        const auto c = on_device(panel_end(k), {panel_begin(k), width});
        if (factored_here_ == k) {
            work_.copy(c, x);
            panels_->solve({Side::right, Triangle::lower, Transpose::conjugate}, inverse_.block(0, 0, width, width), x);
            return fetch_later(x, to);
        }
        if (inverses_.is_accurate(k % inverses)) {
            const auto inverse = inverse_.block(0, 0, width, width);
            work_.send(inverse, inverses_.inverse(k % inverses));
            work_.multiply(1, {c}, {inverse, Transpose::conjugate}, 0, x);
            return fetch_later(x, to);
        }
        work_.fetch(c, to);
        work_.wait_for(to);
        // The memory of L and C is L^T and C^T in the other layout: conj(L) X^T = C^T, and conj(L) = (L^T)^H.
        const auto square = a_.block(panel_begin(k), panel_begin(k), width, width);
        on_host::solve_triangle({.triangle = Triangle::upper, .transpose = Transpose::conjugate}, square.transposed(),
                                to.transposed());
        work_.send(x, to);
    }

    void apply(std::int64_t, const DeviceBlock &slot, const Columns &columns) override
    {
        const auto rows = [&](std::int64_t count) {
            return slot.block(columns.first - slot_row_, 0, count, slot_columns_);
        };
        work_.multiply_lower(-1, {rows(a_.rows - columns.first)}, {rows(columns.count), Transpose::conjugate}, 1,
                             on_device(columns.first, columns));
    }

    bool ends_at_info() const override { return true; }

    const HostMatrix a_;
    const Workspace square_;
    std::int64_t in_workspace_ = -1; // the panel whose square is in square_
    DiagonalBlocks inverses_;        // of panels in turn
    const DeviceBlock resident_, inverse_;
    std::optional<PanelResults> results_;
    std::optional<DevicePanels> panels_;
    std::int64_t factored_here_ = -1; // the panel whose factor the device has made
    std::int64_t sent_ = 0;           // the first of the matrix's columns that was not
    // The matrix's row that is the slot's first, and the columns there.
    std::int64_t slot_row_ = 0, slot_columns_ = 0;
};

} // namespace

std::optional<std::int64_t> factor_cholesky(FactorisationContext &context, const HostMatrix &a)
{
    const auto matrix = a;
    if (auto *const session = context.only_device();
        session != nullptr && is_by_rows(*session, factorisation_of(StepKind::cholesky, matrix)))
        return factor_cholesky_by_rows(context, matrix);
    return run_on_device<LeftCholesky>(context, factorisation_of(StepKind::cholesky, matrix), matrix);
}

} // namespace hpart::on_device
