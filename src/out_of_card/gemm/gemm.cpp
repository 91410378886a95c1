#include "out_of_card/gemm/gemm.hpp"

#include "core/error.hpp"
#include "out_of_card/gemm/one_device.hpp"
#include "out_of_card/in_card/spans.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace hpart
{

namespace
{

Account multiply(DeviceGroup &devices, const GemmCall &call, const Options &options, const GemmSettings &settings)
{
    Account account{.kernel = host_gemm_kernel, .flops = 0};
    const auto begin = Clock::now();
    const auto done_on_host = [&] {
        account.seconds = settings.dry_run ? 0 : seconds_since(begin);
        return account;
    };
    if (settings.dry_run ? needs_no_operands(call) : done_without_operands(call)) return done_on_host();
    const auto row_major = as_row_major(call);
    account.flops = operations_of(shape_of(row_major));
    auto control = Control::from(options);
    if (devices.sessions.empty()) {
        if (!settings.dry_run) gemm_on_host(row_major, 0, control);
        return done_on_host();
    }
    if (devices.sessions.size() > 1) return gemm_on_devices(devices, row_major, settings, control);
    auto &session = *devices.sessions.front();
    const std::lock_guard lock(session.in_use());
    try {
        gemm_on_device(session, row_major, settings, control, account);
    } catch (const Error &error) {
        throw FailedProduct(error, account.moved.read_began);
    }
    return account;
}

} // namespace

Account gemm(DeviceGroup &devices, const GemmCall &call, const Options &options)
{
    const auto settings = GemmSettings::from(options);
    check_tile(devices, settings, shape_of(as_row_major(call)));
    try {
        return multiply(devices, call, options, settings);
    } catch (const Error &error) {
        if (error.status() != Status::out_of_memory) throw;
        fail(error.status(), "a product of ", call.m, " x ", call.n, " x ", call.k, ": ", error.what());
    }
}

std::string math_mode_of_products(DeviceGroup &devices, Scalar type)
{
    std::string modes;
    for (const auto &session : devices.sessions) {
        if (session->info().backend != Backend::cuda) continue; // no other library has modes
        const std::lock_guard lock(session->in_use());
        const auto mode = in_card_gemm(*session, type)->math_mode();
        if (!mode.empty() && modes.find(mode) == std::string::npos) modes += text(modes.empty() ? "" : "+", mode);
    }
    return modes;
}

Account part_of_operation(DeviceGroup &devices, const GemmCall &call, const Options &options)
{
    auto settings = GemmSettings::from(options);
    settings.is_part = true;
    return multiply(devices, call, options, settings);
}

namespace
{

// As stored: rows (or, column-major, columns), and how long they are.
std::pair<std::int64_t, std::int64_t> stored(std::int64_t rows, std::int64_t columns, Transpose transpose,
                                             bool row_major)
{
    const bool as_given = (transpose == Transpose::none) == row_major;
    return as_given ? std::pair(rows, columns) : std::pair(columns, rows);
}

} // namespace

bool needs_no_operands(const GemmCall &call)
{
    return call.k == 0 || call.m == 0 || call.n == 0 || call.alpha == Coefficient(0);
}

bool needs_no_operands(const GemvCall &call) { return call.m == 0 || call.n == 0 || call.alpha == Coefficient(0); }

bool done_without_operands(const GemmCall &call)
{
    if (!needs_no_operands(call)) return false;
    const auto [rows, length] = stored(call.m, call.n, Transpose::none, call.row_major);
    scale_rows(call.type, call.beta, call.c, rows, length, call.ldc);
    return true;
}

bool done_without_operands(const GemvCall &call)
{
    if (!needs_no_operands(call)) return false;
    const auto outer = call.transpose_a == Transpose::none ? call.m : call.n;
    scale_rows(call.type, call.beta, call.y, outer, 1, std::abs(call.incy));
    return true;
}

GemmCall as_row_major(const GemmCall &call)
{
    if (call.row_major) return call;
    auto exchanged = call;
    exchanged.row_major = true;
    std::swap(exchanged.m, exchanged.n);
    std::swap(exchanged.a, exchanged.b);
    std::swap(exchanged.lda, exchanged.ldb);
    std::swap(exchanged.transpose_a, exchanged.transpose_b);
    return exchanged;
}

namespace
{

constexpr const char *progress_text = "gemm";

// An operand's place on the host.
struct HostOperand {
    const char *data;
    std::int64_t pitch_bytes, element_bytes;

    const char *at(std::int64_t row, std::int64_t column) const
    {
        return data + row * pitch_bytes + column * element_bytes;
    }
};

class PlanOnDevice
{
  public:
    PlanOnDevice(DeviceSession &session, InCardGemm &kernel, const GemmCall &call, const GemmPlan &plan,
                 Control &control, const FlowOptions &options)
        : kernel_(kernel), call_(call), shape_(shape_of(call)), plan_(plan), s_(bytes_of(call.type)),
          lda_(padded_row(shape_.a_transposed ? plan.mb : plan.kb, call.type)),
          ldb_(padded_row(shape_.b_transposed ? plan.kb : plan.nb, call.type)), ldc_(padded_row(plan.nb, call.type)),
          steps_(plan.tile_rows(shape_) * plan.tile_columns(shape_) * plan.panels(shape_))
    {
        const auto buffers = buffers_of(
            shape_, plan, {session.memory_limit(), session.info().granule_bytes, session.info().largest_buffer_bytes});
        allocate(session, c_, buffers.c_buffers, buffers.c_bytes);
        allocate(session, a_, plan.a_slots, buffers.a_bytes);
        allocate(session, b_, plan.b_slots, buffers.b_bytes);
        scratch_ = allocate_scratch(session, kernel, plan.mb, plan.nb, plan.kb);
        flow_.emplace(session, control, options);
    }

    void run()
    {
        GemmWalk(shape_, plan_, *this).run();
        flow_->finish();
    }
    const FlowRecord &record() const { return flow_->record(); }

    void write_a(const Panel &panel)
    {
        write_panel(a_side(panel), panel, {static_cast<const char *>(call_.a), call_.lda * s_, s_},
                    shape_.a_transposed);
    }
    void write_b(const Panel &panel)
    {
        write_panel(b_side(panel), panel, {static_cast<const char *>(call_.b), call_.ldb * s_, s_},
                    !shape_.b_transposed);
    }
    void write_c(const Strip &strip)
    {
        flow_->write(c_side(strip), c_on_host(strip), call_.ldc * s_, rectangle(strip));
    }
    void read_c(const Strip &strip) { flow_->read(c_side(strip), c_on_host(strip), call_.ldc * s_, rectangle(strip)); }
    void product(const Strip &strip, const Panel &a, const Panel &b, bool first)
    {
        DeviceGemm what;
        what.m = strip.rows.count;
        what.n = strip.columns.count;
        what.k = a.depth.count;
        what.transpose_a = call_.transpose_a;
        what.transpose_b = call_.transpose_b;
        what.alpha = call_.alpha;
        what.beta = first ? call_.beta : Coefficient(1);
        what.a = {slot(a_, a.slot), strip.first_row_in_tile * (shape_.a_transposed ? 1 : lda_), lda_};
        what.b = {slot(b_, b.slot), 0, ldb_};
        what.c = {c_buffer(strip), c_row(strip) * ldc_, ldc_};
        what.scratch = scratch_.get();
        flow_->launch(
            kernel_.product(what),
            {area_of(a_side(a), in_slot(a, shape_.a_transposed)), area_of(b_side(b), in_slot(b, !shape_.b_transposed))},
            {area_of(c_side(strip), rectangle(strip))});
    }
    bool end_step(std::int64_t step)
    {
        flow_->next_step(static_cast<double>(step + 1) / static_cast<double>(steps_), progress_text);
        return true;
    }

  private:
    static void allocate(DeviceSession &session, std::vector<SessionBuffer> &buffers, std::int64_t count,
                         std::int64_t bytes)
    {
        for (std::int64_t i = 0; i < count; ++i) buffers.push_back(session.allocate(bytes));
    }
    static DeviceBuffer *slot(const std::vector<SessionBuffer> &buffers, std::int64_t index)
    {
        return buffers[static_cast<std::size_t>(index)].get();
    }

    BufferSide a_side(const Panel &panel) const { return {slot(a_, panel.slot), 0, lda_ * s_}; }
    BufferSide b_side(const Panel &panel) const { return {slot(b_, panel.slot), 0, ldb_ * s_}; }
    // As stored on the host: rows of depth, or of what lies across it.
    Rectangle in_slot(const Panel &panel, bool depth_first) const
    {
        return depth_first ? Rectangle{panel.depth.count, panel.across.count * s_}
                           : Rectangle{panel.across.count, panel.depth.count * s_};
    }
    void write_panel(const BufferSide &to, const Panel &panel, const HostOperand &host, bool depth_first)
    {
        const auto &rows = depth_first ? panel.depth : panel.across,
                   &columns = depth_first ? panel.across : panel.depth;
        flow_->write(to, host.at(rows.first, columns.first), host.pitch_bytes, in_slot(panel, depth_first));
    }

    DeviceBuffer *c_buffer(const Strip &strip) const
    {
        return slot(c_, plan_.c_in_strips ? strip.buffer * plan_.strips() + strip.index : strip.buffer);
    }
    std::int64_t c_row(const Strip &strip) const { return plan_.c_in_strips ? 0 : strip.first_row_in_tile; }
    BufferSide c_side(const Strip &strip) const { return {c_buffer(strip), c_row(strip) * ldc_ * s_, ldc_ * s_}; }
    char *c_on_host(const Strip &strip) const
    {
        return static_cast<char *>(call_.c) + (strip.rows.first * call_.ldc + strip.columns.first) * s_;
    }
    Rectangle rectangle(const Strip &strip) const { return {strip.rows.count, strip.columns.count * s_}; }

    InCardGemm &kernel_;
    const GemmCall &call_;
    const GemmShape shape_;
    const GemmPlan plan_;
    const std::int64_t s_;
    const std::int64_t lda_, ldb_, ldc_; // on the device
    const std::int64_t steps_;
    std::vector<SessionBuffer> c_, a_, b_;
    SessionBuffer scratch_;
    std::optional<Flow> flow_; // goes before the buffers
};

std::int64_t matrix_bytes(std::int64_t rows, std::int64_t columns, std::int64_t ld, std::int64_t element_bytes)
{
    return ((rows - 1) * ld + columns) * element_bytes;
}

} // namespace

GemmShape shape_of(const GemmCall &row_major)
{
    return {row_major.type,
            row_major.transpose_a != Transpose::none,
            row_major.transpose_b != Transpose::none,
            row_major.beta != Coefficient(0),
            row_major.m,
            row_major.n,
            row_major.k};
}

void run_plan(DeviceSession &session, InCardGemm &kernel, const GemmCall &row_major, const GemmPlan &plan,
              Control &control, const FlowOptions &options, FlowRecord &record)
{
    PlanOnDevice product(session, kernel, row_major, plan, control, options);
    try {
        product.run();
    } catch (...) {
        record = product.record();
        throw;
    }
    record = product.record();
}

void run_in_place(DeviceSession &session, InCardGemm &kernel, const GemmCall &row_major, Control &control,
                  const FlowOptions &options, FlowRecord &record)
{
    const auto shape = shape_of(row_major);
    const auto s = bytes_of(row_major.type);
    const auto wrap = [&](const void *data, std::int64_t rows, std::int64_t columns, bool transposed, std::int64_t ld) {
        if (transposed) std::swap(rows, columns);
        return session.device().wrap_host(const_cast<void *>(data), matrix_bytes(rows, columns, ld, s));
    };
    const auto a = wrap(row_major.a, shape.m, shape.k, shape.a_transposed, row_major.lda),
               b = wrap(row_major.b, shape.k, shape.n, shape.b_transposed, row_major.ldb),
               c = wrap(row_major.c, shape.m, shape.n, false, row_major.ldc);
    constexpr std::int64_t parts = 8, least_rows = 256; // between them the call can be stopped
    const auto block = round_up(std::max(ceil_div(shape.m, parts), least_rows), kernel.row_multiple());
    const auto scratch = allocate_scratch(session, kernel, std::min(block, shape.m), shape.n, shape.k);
    Flow flow(session, control, options);
    for (std::int64_t row = 0; row < shape.m; row += block) {
        DeviceGemm what;
        what.m = std::min(block, shape.m - row);
        what.n = shape.n;
        what.k = shape.k;
        what.transpose_a = row_major.transpose_a;
        what.transpose_b = row_major.transpose_b;
        what.alpha = row_major.alpha;
        what.beta = row_major.beta;
        what.a = {a.get(), row * (shape.a_transposed ? 1 : row_major.lda), row_major.lda};
        what.b = {b.get(), 0, row_major.ldb};
        what.c = {c.get(), row * row_major.ldc, row_major.ldc};
        what.scratch = scratch.get();
        auto launch = kernel.product(what);
        record.read_began = true; // C changes from here on
        flow.launch(std::move(launch));
        flow.next_step(static_cast<double>(row + what.m) / static_cast<double>(shape.m), progress_text);
    }
    flow.finish();
    record = flow.record();
    record.read_began = true;
}

} // namespace hpart
