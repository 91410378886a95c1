#include "out_of_card/factorisations/left_looking.hpp"

#include "host/blas.hpp"
#include "out_of_card/factorisations/blocking.hpp"
#include "out_of_card/factorisations/device_panels.hpp"
#include "out_of_card/factorisations/device_work.hpp"
#include "out_of_card/factorisations/recursive.hpp"

#include <cstring>

namespace hpart
{

namespace
{

// A thread's data must outlive it, whatever happens meanwhile.
template <typename Future> struct WaitForIt {
    Future &future;
    explicit WaitForIt(Future &waited_for) : future(waited_for) {}
    WaitForIt(const WaitForIt &) = delete;
    WaitForIt &operator=(const WaitForIt &) = delete;
    ~WaitForIt()
    {
        if (future.valid() && future.wait_for(std::chrono::seconds(0)) != std::future_status::deferred) future.wait();
    }
};

} // namespace

std::int64_t LeftLooking::run()
{
    const WaitForIt before_leaving{factoring_};
    if (has_first_panel_on_host()) start_factoring(0);
    for (std::int64_t first = 0; first < shape_.columns; first += shape_.resident) {
        block_ = {first, std::min(shape_.resident, shape_.columns - first)};
        if (!run_block()) return info_;
    }
    join(panels() - 1);
    settle_accepted();
    fetch_now();
    finish();
    return info_;
}

void LeftLooking::fetch_above(const DeviceBlock &resident, const Columns &columns, const HostMatrix &a)
{
    const auto rows = std::min(columns.first, diagonal_);
    if (!a.row_major && columns.count > 0 && rows > 0)
        work_.fetch(resident.block(0, columns.first - block_.first, rows, columns.count),
                    a.block(0, columns.first, rows, columns.count));
}

std::int64_t LeftLooking::panels_of_group(std::int64_t k) const
{
    const auto left = (block_.first - panel_begin(k)) / shape_.panel;
    return std::clamp<std::int64_t>(shape_.streamed / shape_.panel, 1, std::max<std::int64_t>(1, left));
}

void LeftLooking::fetch_later(const DeviceBlock &from, const HostMatrix &to)
{
    fetch_now();
    later_ = {from, to};
}

void LeftLooking::fetch_now()
{
    if (later_) work_.fetch(later_->from, later_->to);
    later_.reset();
}

void LeftLooking::send_block(const DeviceBlock &resident, const HostMatrix &a)
{
    // A device that factors panels begins with the first columns; rows of parts would be short.
    if (!has_first_panel_on_host())
        return send_up_to(resident, a, block_.first + block_.count, a.row_major ? shape_.resident : shape_.panel);
    const auto sent = sent_of_block();
    work_.send(resident.block(0, sent.first - block_.first, a.rows, sent.count),
               a.block(0, sent.first, a.rows, sent.count));
}

void LeftLooking::send_behind(const DeviceBlock &resident, const HostMatrix &a, std::int64_t end)
{
    if (end <= block_.first) return;
    // Rows of single panels would be short.
    const auto at_once = a.row_major ? std::max(shape_.panel, shape_.streamed) : shape_.panel;
    send_up_to(resident, a, std::min(shape_.columns, end / at_once * at_once + shape_.resident), at_once);
}

void LeftLooking::send_up_to(const DeviceBlock &resident, const HostMatrix &a, std::int64_t end, std::int64_t at_once)
{
    for (std::int64_t count = 0; sent_ < end; sent_ += count) {
        count = std::min(at_once, end - sent_);
        work_.send(resident.block(0, sent_ % shape_.resident, a.rows, count), a.block(0, sent_, a.rows, count));
    }
}

bool LeftLooking::run_block()
{
    const auto end = block_.first + block_.count;
    fetch_now();
    begin_block();
    if (block_.first == 0 && !has_first_panel_on_host()) {
        fetch_panel(0);
        start_factoring(0);
    }
    for (std::int64_t k = 0, next = 0; k < panels() && panel_end(k) < end; k = next) {
        next = k + (panel_end(k) <= block_.first ? streamed_together(k) : 1);
        if (!join(k)) return false;
        const auto &slot = stream(k);
        const auto first = std::max(panel_end(next - 1), block_.first);
        const bool next_is_here = next < panels() && panel_begin(next) >= block_.first;
        const auto rest = next_is_here ? panel_end(next) : first;
        if (next_is_here) apply(k, slot, {first, rest - first});
        const auto fetched = next_is_here ? fetch_panel(next) : HostMatrix{};
        if (rest < end) apply(k, slot, {rest, end - rest});
        settle_accepted();
        fetch_now();
        work_beside(k);
        if (next_is_here) {
            work_.wait_for(fetched);
            start_factoring(next);
        }
        work_.next_step(fraction(next - 1));
    }
    if (const auto first = std::max(diagonal_, block_.first); first < end) fetch_behind({first, end - first});
    // A slot holds the panel until then.
    if (shape_.panels_on_device && factoring_.valid() && !join(accepted_)) return false;
    settle_accepted();
    return !makes_panels_on_device() || end_block();
}

// Makes the block's last panel while its columns are there.
bool LeftLooking::end_block()
{
    const auto end = block_.first + block_.count, last = ceil_div(end, shape_.panel) - 1;
    if (last >= panels() || panel_end(last) != end || !is_applied(last)) return true;
    prepare_block({end, std::min(shape_.resident, shape_.columns - end)});
    if (!join(last)) return false;
    stream(last);
    return true;
}

void LeftLooking::start_factoring(std::int64_t k)
{
    // The device has nothing else to do beside the last one. Nor beside the first: but the BLAS's threads would spin for
    // milliseconds after it, on cores that the kernels want.
    const bool is_alone = k + 1 == panels();
    const bool takes_one_thread = !is_alone && competes_with_host(work_.flow().session());
    // If join() is next, it does the work: a new thread would get a core late, while kernels run on all of them.
    const bool is_last_of_block = panel_end(k) == block_.first + block_.count;
    // A simulated host has one thread.
    const bool work_is_between =
        is_last_of_block && !is_alone && !makes_panels_on_device() && !shape_.panels_on_device && !work_.is_simulated();
    factoring_ = std::async(work_is_between ? std::launch::async : std::launch::deferred, [this, k, takes_one_thread] {
        std::optional<SingleThreadedBlas> one_thread;
        if (takes_one_thread) one_thread.emplace();
        const auto start = Clock::now();
        const auto info = factor_panel(k);
        const auto seconds = seconds_since(start);
        if (auto *const timeline = work_.flow().timeline())
            timeline->add("host", "panel", timeline->now() - seconds, timeline->now());
        return Factored{info, seconds};
    });
}

bool LeftLooking::join(std::int64_t k)
{
    if (k < accepted_) return true;
    const auto factored = factoring_.get();
    panel_seconds_ += factored.seconds;
    if (factored.info > 0 && info_ == 0) info_ = panel_begin(k) + factored.info;
    if (info_ > 0 && ends_at_info()) return false;
    accept(k);
    accepted_ = k + 1;
    return true;
}

void LeftLooking::settle_accepted()
{
    for (; settled_ < accepted_; ++settled_) settle(settled_);
}

// Part of the columns' work that is done: blocks before this one, and this one's panels.
double LeftLooking::fraction(std::int64_t k) const
{
    const auto columns = static_cast<double>(shape_.columns);
    const auto done = static_cast<double>(block_.first), here = static_cast<double>(block_.count);
    const auto applied = std::min(1.0, static_cast<double>(panel_end(k)) / (done + here));
    return (done * done + applied * ((done + here) * (done + here) - done * done)) / (columns * columns);
}

} // namespace hpart

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
    return run_on_device<LeftCholesky>(context, factorisation_of(StepKind::cholesky, matrix), matrix);
}

// A = Q R, left-looking by blocks of columns; a panel's reflectors are I - V T V^H.

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

    void begin_block() override { send_block(resident_, a_); }

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
