#include "out_of_card/factorisations/left_looking.hpp"

#include "out_of_card/factorisations/blocking.hpp"
#include "out_of_card/factorisations/device_panels.hpp"
#include "out_of_card/factorisations/device_work.hpp"
#include "out_of_card/factorisations/recursive.hpp"

#include <cstring>

// A = Q R, left-looking by blocks of columns; a panel's reflectors are I - V T V^H.

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
        if (!shape.panels_on_device) return;
        const auto problem = factorisation_of(StepKind::qr, a);
        results_.emplace(work, panels(), DevicePanels::bytes_found(problem, shape.panel));
        panels_.emplace(work, problem, shape, *results_);
        top_ = work.allocate(shape.panel, shape.panel);
        products_ = work.allocate(shape.panel, shape.panel);
        products_on_host_.emplace(a.type, shape.panel, shape.panel, a.row_major);
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
        if (panels_) results_->clear(); // before the block is sent
        send_block(resident_, a_);
    }

    HostMatrix fetch_panel(std::int64_t k) override
    {
        const auto here = on_device(k, {panel_begin(k), panel_width(k)});
        if (!panels_) {
            work_.fetch(here, panel(k));
            return panel(k);
        }
        in_slot_ = k;
        slot_ = &work_.next_slot();
        const auto width = here.columns;
        const auto v = slot_->block(0, 0, here.rows, width), top = top_.block(0, 0, width, width);
        panels_->factor(k, here, v);
        fetch_above(resident_, {panel_begin(k), width}, a_);
        work_.copy_aside(v.block(0, 0, width, width), top);
        if (is_applied(k)) {
            panels_->make_unit_lower(v.block(0, 0, width, width));
            const auto products = products_.block(0, 0, width, width);
            panels_->multiply_reflectors(v, products);
            work_.fetch(products, products_on_host(width));
        }
        work_.fetch(top, panel(k).block(0, 0, width, width));
        return {};
    }
    HostMatrix products_on_host(std::int64_t width) const
    {
        return products_on_host_->matrix().block(0, 0, width, width);
    }

    // The rest of a panel that the device has factored.
    void end_panel(std::int64_t k)
    {
        const auto part = panel(k);
        const auto width = part.columns;
        const auto *const tau = results_->found(k);
        std::memcpy(static_cast<char *>(tau_) + panel_begin(k) * bytes_of(a_.type), tau,
                    static_cast<std::size_t>(width * bytes_of(a_.type)));
        if (!is_applied(k)) return;
        work_.wait_for(products_on_host(width));
        const auto order = static_cast<double>(width);
        work_.on_host({.flops = flops_per_product(a_.type) * order * order * order / 3}, [&] {
            on_host::scale(0, square(triangles_, k));
            on_host::make_reflector_triangle(products_on_host(width), tau, 0, square(triangles_, k));
        });
        topless_ = k;
    }
    // V's top, which later blocks need.
    void settle(std::int64_t k) override
    {
        if (topless_ != k) return;
        const auto top = panel(k).block(0, 0, panel_width(k), panel_width(k));
        work_.wait_for(top);
        work_.on_host({}, [&] { on_host::make_v_explicit(top, square(tops_, k)); });
        topless_ = -1;
    }

    void accept(std::int64_t k) override
    {
        const auto width = panel_width(k), rows = below(k) - width;
        if (in_slot_ == k) work_.fetch(slot_->block(width, 0, rows, width), panel(k).block(width, 0, rows, width));
    }

    std::int64_t factor_panel(std::int64_t k) override
    {
        const auto part = panel(k);
        if (panels_) {
            if (panels_->await(k)) {
                end_panel(k);
                return 0;
            }
            in_slot_ = -1;
            work_.fetch(on_device(k, {panel_begin(k), panel_width(k)}), part);
            work_.wait_for(part);
        }
        const auto bytes = static_cast<double>(part.rows * part.columns * bytes_of(part.type));
        const HostCost cost{panel_flops(StepKind::qr, part.type, part.rows, part.columns),
                            part.row_major ? 4 * bytes : 0};
        work_.on_host(cost, [&] {
            const auto triangle = square(triangles_, k), top = square(tops_, k);
            by_columns_.use(part, [&](const HostMatrix &columns) {
                if (is_applied(k))
                    on_host::factor_qr(columns, triangle);
                else
                    on_host::factor_qr(columns, static_cast<char *>(tau_) + panel_begin(k) * bytes_of(a_.type));
            });
            if (!is_applied(k)) return;
            on_host::make_v_explicit(part.block(0, 0, part.columns, part.columns), top);
            on_host::take_tau(triangle, panel_begin(k), tau_);
        });
        return 0;
    }

    const DeviceBlock &stream(std::int64_t k) override
    {
        const auto width = panel_width(k), rows = below(k);
        if (in_slot_ == k) {
            work_.send(slot_->block(rows, 0, width, width), square(triangles_, k));
            send_behind(resident_, a_, panel_end(k));
            return *slot_;
        }
        in_slot_ = -1;
        const auto &slot = work_.next_slot();
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
        if (!panels_ || a_.row_major)
            work_.fetch(c.block(0, 0, width, columns.count),
                        a_.block(panel_begin(k), columns.first, width, columns.count));
    }

    void fetch_behind(const Columns &columns) override
    {
        if (panels_) fetch_above(resident_, columns, a_);
    }
    bool ends_at_info() const override { return false; }

    const HostMatrix a_;
    void *const tau_;
    std::vector<Workspace> tops_, triangles_; // of each panel: V's first rows, and T
    on_host::PanelByColumns by_columns_;
    const DeviceBlock resident_, projected_, scaled_;
    std::optional<PanelResults> results_;
    std::optional<DevicePanels> panels_;
    DeviceBlock top_, products_;
    std::optional<Workspace> products_on_host_; // V^H V
    std::int64_t topless_ = -1;                 // a panel of the device's whose top is not in tops_
    std::int64_t in_slot_ = -1;                 // the panel that the device has factored in slot_
    const DeviceBlock *slot_ = nullptr;
};

} // namespace

std::optional<std::int64_t> factor_qr(FactorisationContext &context, const HostMatrix &a, void *tau)
{
    const auto matrix = a;
    return run_on_device<LeftQr>(context, factorisation_of(StepKind::qr, matrix), matrix, tau);
}

} // namespace hpart::on_device

// A = Q R by blocks of reflectors, Q = I - V T V^H each (Schreiber and Van Loan, SIAM J. Sci. Stat. Comput. 10, 1989); the
// reflectors of a block by recursion into halves (Elmroth and Gustavson, IBM J. Res. Dev. 44, 2000).

namespace hpart::recursive
{

namespace
{

// The unit lower trapezium below the diagonal of `a`, with its zeros and ones.
Workspace explicit_v(FactorisationContext &context, const HostMatrix &a, bool row_major)
{
    auto v = context.workspace(a.rows, a.columns, row_major);
    context.prepare([&] { on_host::make_v_explicit(a, v.matrix()); });
    return v;
}

// T of the reflectors in V, of which the first is the matrix's `first`: column j is -tau_j T (V^H v_j), for the columns before it.
Workspace triangle_of(FactorisationContext &context, const HostMatrix &v, const void *tau, std::int64_t first)
{
    const auto w = v.columns;
    const auto products_of_columns = context.workspace(w, w, v.row_major);
    const auto s = products_of_columns.matrix();
    context.multiply(1, {v, Transpose::conjugate}, {v}, 0, s);
    auto triangle = context.workspace(w, w, v.row_major);
    context.prepare([&] { on_host::make_reflector_triangle(s, tau, first, triangle.matrix()); });
    return triangle;
}

// C = (I - V op(T) V^H) C
void apply_block(FactorisationContext &context, const HostMatrix &v, const HostMatrix &t, Transpose transpose_t,
                 const HostMatrix &c)
{
    if (c.columns == 0) return;
    const auto projected = context.workspace(v.columns, c.columns, c.row_major),
               scaled = context.workspace(v.columns, c.columns, c.row_major);
    context.multiply(1, {v, Transpose::conjugate}, {c}, 0, projected.matrix());
    context.multiply(1, {t, transpose_t}, {projected.matrix()}, 0, scaled.matrix());
    context.multiply(-1, {v}, {scaled.matrix()}, 1, c);
}

// T, of A's layout, is zero before.
void factor_block(FactorisationContext &context, const HostMatrix &a, const HostMatrix &t)
{
    const auto m = a.rows, n = a.columns;
    if (n <= context.rules().host_width)
        return context.factor_on_host({StepKind::qr, m, n}, [&] { on_host::factor_qr(a, t); });
    const auto first = context.rules().half_of(n), rest = n - first;
    const auto right = a.block(first, first, m - first, rest);
    const auto t1 = t.block(0, 0, first, first), t2 = t.block(first, first, rest, rest),
               corner = t.block(0, first, first, rest);
    factor_block(context, a.block(0, 0, m, first), t1);
    const auto v1 = explicit_v(context, a.block(0, 0, m, first), a.row_major);
    apply_block(context, v1.matrix(), t1, Transpose::conjugate, a.block(0, first, m, rest));
    factor_block(context, right, t2);
    const auto v2 = explicit_v(context, right, a.row_major);
    const auto common = context.workspace(first, rest, a.row_major), half = context.workspace(first, rest, a.row_major);
    context.multiply(1, {v1.matrix().block(first, 0, m - first, first), Transpose::conjugate}, {v2.matrix()}, 0,
                     common.matrix());
    context.multiply(-1, {t1}, {common.matrix()}, 0, half.matrix());
    context.multiply(1, {half.matrix()}, {t2}, 0, corner);
}

} // namespace

void factor_qr(FactorisationContext &context, const HostMatrix &a, void *tau)
{
    const auto m = a.rows, n = a.columns, least = std::min(m, n);
    if (least == 0) return;
    if (const auto flops = qr_flops(a); context.rules().is_one_call(flops))
        return context.factor_on_host({StepKind::qr, m, n}, [&] { on_host::factor_qr(a, tau); });
    constexpr std::int64_t host_blocks = 4; // so many that large products dominate, so few that T costs little
    const auto block_width = host_blocks * context.rules().host_width;
    for (std::int64_t j = 0; j < least; j += block_width) {
        const auto width = std::min(block_width, least - j);
        const auto block = a.block(j, j, m - j, width);
        const auto triangle = context.workspace(width, width, a.row_major);
        factor_block(context, block, triangle.matrix());
        context.change([&] { on_host::take_tau(triangle.matrix(), j, tau); });
        if (j + width == n) return;
        const auto v = explicit_v(context, block, a.row_major);
        apply_block(context, v.matrix(), triangle.matrix(), Transpose::conjugate,
                    a.block(j, j + width, m - j, n - j - width));
    }
}

void apply_q(FactorisationContext &context, bool conjugate, const HostMatrix &a, const void *tau, const HostMatrix &b)
{
    const auto m = a.rows, least = std::min(m, a.columns);
    const auto width = context.rules().host_width;
    const auto blocks = (least + width - 1) / width;
    for (std::int64_t step = 0; step < blocks; ++step) {
        const auto j = (conjugate ? step : blocks - 1 - step) * width;
        const auto columns = std::min(width, least - j);
        const auto v = explicit_v(context, a.block(j, j, m - j, columns), b.row_major);
        const auto t = triangle_of(context, v.matrix(), tau, j);
        apply_block(context, v.matrix(), t.matrix(), conjugate ? Transpose::conjugate : Transpose::none,
                    b.block(j, 0, m - j, b.columns));
    }
}

void form_q(FactorisationContext &context, std::int64_t reflectors, const HostMatrix &a, const void *tau)
{
    const auto m = a.rows, n = a.columns;
    const auto width = context.rules().host_width;
    // Columns of the identity that the blocks of reflectors turn.
    const auto make_identity = [&](std::int64_t first, std::int64_t columns) {
        context.change([&] { on_host::make_identity(a, first, columns); });
    };
    make_identity(reflectors, n - reflectors);
    for (auto j = (reflectors - 1) / width * width; j >= 0 && reflectors > 0; j -= width) {
        const auto columns = std::min(width, reflectors - j);
        const auto v = explicit_v(context, a.block(j, j, m - j, columns), a.row_major);
        const auto t = triangle_of(context, v.matrix(), tau, j);
        make_identity(j, columns);
        apply_block(context, v.matrix(), t.matrix(), Transpose::none, a.block(j, j, m - j, n - j));
    }
}

} // namespace hpart::recursive
