// A = Q R, left-looking by blocks of columns; a panel's reflectors are I - V T V^H.
#include "out_of_card/factorisations/on_device.hpp"

namespace hpart::on_device
{

namespace
{

class LeftQr final : public LeftLooking
{
  public:
    LeftQr(DeviceWork &work, const LeftLookingShape &shape, const HostMatrix &a, void *tau)
        : LeftLooking(work, shape), a_(a), tau_(tau), resident_(work.allocate(shape.rows, shape.resident)),
          projected_(work.allocate(shape.panel, shape.resident)), scaled_(work.allocate(shape.panel, shape.resident))
    {
        for (std::int64_t k = 0; k < panels(); ++k) {
            tops_.emplace_back(a.type, shape.panel, shape.panel, a.row_major);
            triangles_.emplace_back(a.type, shape.panel, shape.panel, a.row_major);
        }
        // Below V, which has as many rows as the panel, there is room for T.
        work.make_slots(shape.rows + shape.panel, shape.panel);
    }

  private:
    std::int64_t below(std::int64_t k) const { return a_.rows - panel_begin(k); }
    HostMatrix panel(std::int64_t k) const
    {
        return a_.block(panel_begin(k), panel_begin(k), below(k), panel_width(k));
    }
    HostMatrix square(const std::vector<Workspace> &squares, std::int64_t k) const
    {
        const auto &part = squares[static_cast<std::size_t>(k)].matrix();
        return {a_.type, a_.row_major, panel_width(k), panel_width(k), part.data, part.ld};
    }
    DeviceBlock on_device(std::int64_t k, const Columns &columns) const
    {
        return resident_.block(panel_begin(k), columns.first - block().first, below(k), columns.count);
    }

    void begin_block() override
    {
        const auto sent = sent_of_block();
        work_.send(resident_.block(0, sent.first - block().first, a_.rows, sent.count),
                   a_.block(0, sent.first, a_.rows, sent.count));
    }

    HostMatrix fetch_panel(std::int64_t k) override
    {
        work_.fetch(on_device(k, {panel_begin(k), panel_width(k)}), panel(k));
        return panel(k);
    }

    std::int64_t factor_panel(std::int64_t k) override
    {
        const auto part = panel(k);
        if (!is_applied(k)) {
            on_host::factor_qr(part, static_cast<char *>(tau_) + panel_begin(k) * bytes_of(a_.type));
            return 0;
        }
        const auto triangle = square(triangles_, k), top = square(tops_, k);
        on_host::factor_qr(part, triangle);
        on_host::make_v_explicit(part.block(0, 0, part.columns, part.columns), top);
        on_host::take_tau(triangle, panel_begin(k), tau_);
        return 0;
    }

    void accept(std::int64_t) override {}

    const DeviceBlock &stream(std::int64_t k) override
    {
        const auto &slot = work_.next_slot();
        const auto width = panel_width(k), rows = below(k);
        work_.send(slot.block(0, 0, width, width), square(tops_, k));
        work_.send(slot.block(rows, 0, width, width), square(triangles_, k));
        work_.send(slot.block(width, 0, rows - width, width), panel(k).block(width, 0, rows - width, width));
        return slot;
    }

    void apply(std::int64_t k, const DeviceBlock &slot, const Columns &columns) override
    {
        const auto width = panel_width(k), rows = below(k);
        const auto v = slot.block(0, 0, rows, width), t = slot.block(rows, 0, width, width);
        const auto c = on_device(k, columns), projected = projected_.block(0, 0, width, columns.count),
                   scaled = scaled_.block(0, 0, width, columns.count);
        work_.multiply(1, {v, Transpose::conjugate}, {c}, 0, projected);
        work_.multiply(1, {t, Transpose::conjugate}, {projected}, 0, scaled);
        work_.multiply(-1, {v}, {scaled}, 1, c);
        work_.fetch(c.block(0, 0, width, columns.count), a_.block(panel_begin(k), columns.first, width, columns.count));
    }

    bool ends_at_info() const override { return false; }

    const HostMatrix a_;
    void *const tau_;
    std::vector<Workspace> tops_, triangles_; // of each panel: V's first rows, and T
    const DeviceBlock resident_, projected_, scaled_;
};

} // namespace

std::optional<std::int64_t> factor_qr(FactorisationContext &context, const HostMatrix &a, void *tau)
{
    const auto matrix = a;
    return run_on_device<LeftQr>(context, factorisation_of(StepKind::qr, matrix), matrix, tau);
}

} // namespace hpart::on_device
