#include "out_of_card/factorisations/factorisation_context.hpp"
#include "core/error.hpp"
#include "out_of_card/factorisations/lower_bound.hpp"
#include "out_of_card/gemm/one_device.hpp"

namespace hpart
{

namespace
{

// The report's name for the way in which these devices make products.
const char *method_on(const DeviceGroup &devices, const DeviceSession *only_device)
{
    if (devices.sessions.size() > 1) return "devices";
    if (only_device != nullptr) return "out-of-card";
    return devices.sessions.empty() || devices.sessions.front()->info().backend == Backend::host ? "host" : "zero-copy";
}

} // namespace

template <typename Value>
void multiply_on_host(Value alpha, const Factor<Value> &a, const Factor<Value> &b, Value beta, const Part<Value> &c)
{
    Routines<Value>::gemm(cblas_order(c.row_major), cblas_transpose(a.transpose), cblas_transpose(b.transpose),
                          blas_integer(c.rows, "m"), blas_integer(c.columns, "n"), blas_integer(a.columns(), "k"),
                          by_address(alpha), a.part.data, blas_integer(a.part.ld, "lda"), b.part.data,
                          blas_integer(b.part.ld, "ldb"), by_address(beta), c.data, blas_integer(c.ld, "ldc"));
}

FactorisationContext::FactorisationContext(const DeviceGroup &asked, const Options &options, const Steps &steps)
    : asked_(asked), choice_(choose(asked, steps, options)), options_(options), control_(Control::from(options))
{
    check_memory(devices_, steps, options);
    choice_seconds_ = seconds_since(start_);
    setup_before_ = devices_.setup_seconds();
    rules_ = rules_for(devices_, options);
    for (const auto &step : steps) flops_ += flops_of(step);
}

template <typename Value>
void FactorisationContext::multiply(Value alpha, const Factor<Value> &a, const Factor<Value> &b, Value beta,
                                    const Part<Value> &c)
{
    const auto k = a.columns();
    if (c.rows == 0 || c.columns == 0) return;
    const auto count = flops<Value>(c.rows, c.columns, k);
    if (rules_.is_small(c.rows, c.columns, k)) return on_host(count, [&] { multiply_on_host(alpha, a, b, beta, c); });
    out_of_card({.type = ScalarOf<Value>::type,
                 .row_major = c.row_major,
                 .transpose_a = a.transpose,
                 .transpose_b = b.transpose,
                 .m = c.rows,
                 .n = c.columns,
                 .k = k,
                 .alpha = Coefficient(alpha),
                 .a = a.part.data,
                 .lda = a.part.ld,
                 .b = b.part.data,
                 .ldb = b.part.ld,
                 .beta = Coefficient(beta),
                 .c = c.data,
                 .ldc = c.ld},
                count);
}

DeviceSession *FactorisationContext::only_device() const
{
    if (devices_.sessions.size() != 1) return nullptr;
    auto &session = *devices_.sessions.front();
    return session.info().shares_host_memory && !session.is_limited() ? nullptr : &session;
}

void FactorisationContext::add(const FlowRecord &flow, const LeftLookingRecord &record)
{
    left_looking_ = record;
    least_bytes_ = least_bytes_.value_or(0) + record.least_bytes;
    flops_done_ += record.flops;
    panel_seconds_ += record.panel_seconds;
    account_.moved.add(flow);
}

void FactorisationContext::out_of_card(const GemmCall &call, double flops)
{
    auto options = options_;
    if (const auto progress = options_.progress())
        options.set_progress(std::make_shared<ProgressCallback>([&, progress](double part, const char *what) {
            return (*progress)(fraction_after(std::max(part, 0.0), flops), what);
        }));
    try {
        const auto account = part_of_operation(devices_, call, options);
        unchanged_ = false;
        flops_done_ += flops * share_;
        if (account.method != "host") ++products_on_devices_; // alpha = 0 needs no device
        add_parts(account, flops);
        account_.moved.add(account.moved);
        account_.retries += account.retries;
        if (account.expected) least_bytes_ = least_bytes_.value_or(0) + account.expected->lower_bound_bytes;
    } catch (const FailedProduct &error) {
        unchanged_ = unchanged_ && !error.changed();
        fail(error.status(), error.cause()); // the product's C is not the caller's
    } catch (const Error &) {
        unchanged_ = false;
        throw;
    }
}

void FactorisationContext::add_parts(const Account &product, double flops)
{
    parts_.resize(std::max(parts_.size(), product.parts.size()));
    for (std::size_t i = 0; i < product.parts.size(); ++i) {
        parts_[i].share += product.parts[i].share * flops;
        parts_[i].seconds += product.parts[i].seconds;
    }
}

// Who did it, and of the products how much.
void FactorisationContext::report_parts(Account &account) const
{
    double all = 0;
    for (const auto &part : parts_) all += part.share;
    for (std::size_t i = 0; i < asked_.sessions.size(); ++i) {
        const auto &session = asked_.sessions[i];
        const bool was_the_host = devices_.sessions.empty() || !devices_took_part();
        const bool is_alone = was_the_host ? session->info().backend == Backend::host
                                           : devices_.sessions.size() == 1 && devices_.sessions.front() == session;
        auto part =
            i < parts_.size() && all > 0 ? DevicePart{"", parts_[i].share / all, parts_[i].seconds} : DevicePart{};
        if (is_alone) part = {"", 1, account.seconds};
        part.device = session->info().spec;
        account.parts.push_back(part);
    }
}

void FactorisationContext::learn() const
{
    if (!choice_.correction) return;
    const std::lock_guard lock(asked_.sessions.front()->in_use());
    choice_.correction->learn(choice_.seconds, seconds_since(start_) - own_setup_seconds());
}

void FactorisationContext::predict(const Steps &steps)
{
    predicted_seconds_ = choice_.seconds > 0 ? choice_.seconds : predicted_seconds(devices_, steps, options_);
    auto *const session = only_device();
    std::unique_lock<DeviceLock> lock;
    std::shared_ptr<InCardGemm> kernel;
    if (session != nullptr) {
        lock = std::unique_lock(session->in_use());
        kernel = in_card_gemm(*session, steps.front().type, options_.get_text("kernel"));
        account_.least_memory = least_memory(devices_, steps, options_);
    }
    for (const auto &step : steps) {
        const auto best =
            session == nullptr ? std::nullopt : best_shape(*session, kernel, step, LeftLookingWish::from(options_));
        if (best)
            add({}, {best->shape, 0, flops_of(step), least_bytes(step, best->shape, session->memory_limit())});
        else if (!devices_.sessions.empty() && !recursion_cost(step, rules_).products.empty())
            ++products_on_devices_;
    }
}

void FactorisationContext::report(Report &report) const
{
    auto account = account_;
    account.method = devices_took_part() ? method_on(devices_, only_device()) : "host";
    account.plan = left_looking_ ? "left-looking" : "recursive";
    account.tiles = left_looking_ ? text("panels of ", left_looking_->shape.panel, ", ", left_looking_->shape.resident,
                                         " columns stay")
                                  : text("blocks of ", rules_.host_width);
    account.setup_seconds = own_setup_seconds();
    account.seconds = predicted_seconds_ ? 0 : seconds_since(start_) - account.setup_seconds;
    account.flops = flops_;
    if (asked_.sessions.size() > 1) report_parts(account);
    account.report(report);
    report.set("panel_width", left_looking_ ? left_looking_->shape.panel : rules_.host_width);
    if (left_looking_) {
        report.set("resident_width", left_looking_->shape.resident);
        report.set("last_width", left_looking_->shape.last_panel);
    }
    if (least_bytes_) report.set("lower_bound_bytes", *least_bytes_);
    report.set("panel_seconds", panel_seconds_);
    if (predicted_seconds_.value_or(0) > 0) report.set("predicted_seconds", *predicted_seconds_);
}

#define HPART_MULTIPLY(Value)                                                                                          \
    template void multiply_on_host(Value, const Factor<Value> &, const Factor<Value> &, Value, const Part<Value> &);   \
    template void FactorisationContext::multiply(Value, const Factor<Value> &, const Factor<Value> &, Value,           \
                                                 const Part<Value> &);
HPART_FOR_ALL_TYPES(HPART_MULTIPLY)
#undef HPART_MULTIPLY

} // namespace hpart
