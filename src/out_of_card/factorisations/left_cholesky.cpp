// A = L L^H, left-looking by blocks of columns. The host factors the squares on the diagonal and inverts their factors; the
// elements below are a product with the inverse, made where the panel is applied from. Only the triangle moves: a square also holds
// elements that the call may not write, so it comes to a workspace first.
#include "out_of_card/factorisations/diagonal_blocks.hpp"
#include "out_of_card/factorisations/on_device.hpp"

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
        work.make_slots(shape.rows, shape.panel);
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

    // Columns of a block that were not sent yet, in panels' widths as they are freed. The first square of all is the host's,
    // which factors it meanwhile.
    void send(const Columns &to, std::int64_t up_to)
    {
        const auto end = std::min(to.first + to.count, up_to);
        for (; sent_ < end; sent_ += std::min(shape_.panel, end - sent_)) {
            const auto width = std::min(shape_.panel, end - sent_), place = sent_ - to.first;
            const auto row = std::max(sent_, panel_end(0)), rows = a_.rows - row;
            work_.send(resident_.block(row - to.first, place, rows, width), a_.block(row, sent_, rows, width));
        }
    }

    HostMatrix fetch_panel(std::int64_t k) override
    {
        const auto width = panel_width(k);
        in_workspace_ = k;
        work_.fetch(on_device(panel_begin(k), {panel_begin(k), width}).block(0, 0, width, width), square(k));
        return square(k);
    }

    std::int64_t factor_panel(std::int64_t k) override
    {
        const auto in_place = a_.block(panel_begin(k), panel_begin(k), panel_width(k), panel_width(k));
        if (in_workspace_ == k) on_host::copy_lower(square(k), in_place);
        const auto info = on_host::factor_cholesky(in_place);
        if (info == 0 && is_applied(k)) inverses_.invert(k % inverses, in_place, {.triangle = Triangle::lower});
        return info;
    }

    void accept(std::int64_t) override {}

    const DeviceBlock &stream(std::int64_t k) override
    {
        const auto &slot = work_.next_slot();
        slot_row_ = std::max(panel_end(k), block().first);
        const auto panel = a_.block(slot_row_, panel_begin(k), a_.rows - slot_row_, panel_width(k));
        const auto part = slot.block(0, 0, panel.rows, panel.columns);
        if (panel_begin(k) < block().first)
            work_.send(part, panel);
        else
            solve(k, part, panel);
        return slot;
    }
    bool makes_panels_on_device() const override { return true; }

    // X L^H = C: C is on the device, X in the slot and in `to`.
    void solve(std::int64_t k, const DeviceBlock &x, const HostMatrix &to)
    {
        const auto width = panel_width(k);
        const auto c = on_device(panel_end(k), {panel_begin(k), width});
        if (inverses_.is_accurate(k % inverses)) {
            const auto inverse = inverse_.block(0, 0, width, width);
            work_.send(inverse, inverses_.inverse(k % inverses));
            work_.multiply(1, {c}, {inverse, Transpose::conjugate}, 0, x);
            work_.fetch(x, to);
            return;
        }
        work_.fetch(c, to);
        work_.wait_for(to);
        // The memory of L and C is L^T and C^T in the other layout: conj(L) X^T = C^T, and conj(L) = (L^T)^H.
        const auto square = a_.block(panel_begin(k), panel_begin(k), width, width);
        on_host::solve_triangle({.triangle = Triangle::upper, .transpose = Transpose::conjugate}, square.transposed(),
                                to.transposed());
        work_.send(x, to);
    }

    void apply(std::int64_t k, const DeviceBlock &slot, const Columns &columns) override
    {
        const auto rows = [&](std::int64_t count) {
            return slot.block(columns.first - slot_row_, 0, count, panel_width(k));
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
    std::int64_t sent_ = 0;     // the first of the matrix's columns that was not
    std::int64_t slot_row_ = 0; // the matrix's row that is the slot's first
};

} // namespace

std::optional<std::int64_t> factor_cholesky(FactorisationContext &context, const HostMatrix &a)
{
    const auto matrix = a;
    return run_on_device<LeftCholesky>(context, factorisation_of(StepKind::cholesky, matrix), matrix);
}

} // namespace hpart::on_device
