#include "out_of_card/factorisations/factorisation_context.hpp"

#include "core/error.hpp"
#include "core/numbers.hpp"
#include "out_of_card/factorisations/on_host.hpp"
#include "out_of_card/gemm/one_device.hpp"
#include "out_of_card/pipeline/device_team.hpp"

namespace hpart
{

namespace
{

void check_tile_of(const DeviceGroup &devices, const OperationTask &task, const Options &options)
{
    // A little more than there are: what the host does is among them.
    check_tile(devices, GemmSettings::from(options), [&](const TileSize &tile) {
        const auto step = flops_per_product(task.type()) * static_cast<double>(tile.mb) * static_cast<double>(tile.nb) *
                          static_cast<double>(tile.kb);
        return TileSteps{task.flops / step, step};
    });
}

// The settings of products, which would fail at the first one: before anything is changed, whatever the operation's size.
void check_settings(const DeviceGroup &devices, const OperationTask &task, const Options &options)
{
    for (const auto &matrix : task.matrices) {
        if (matrix.rows == 0 || matrix.columns == 0) continue;
        blas_integer(matrix.rows, "the number of rows");
        blas_integer(matrix.columns, "the number of columns");
        blas_integer(matrix.ld, "a leading dimension");
    }
    const auto settings = GemmSettings::from(options);
    for (const auto &session : devices.sessions) {
        const std::lock_guard lock(session->in_use());
        works_in_place(*session, settings.zero_copy);
        check_in_card_gemm(*session, task.type(), settings.kernel);
    }
    check_tile_of(devices, task, options);
}

} // namespace

std::int64_t run_reported(const DeviceGroup &devices, const OperationTask &task, const Options &options, Report &report,
                          const std::function<std::int64_t(FactorisationContext &)> &run)
{
    check_settings(devices, task, options);
    const FactorisationContext::Work work = [&](FactorisationContext &context) { run(context); };
    std::optional<FactorisationContext> context;
    bool is_done = false;
    try {
        context.emplace(devices, options, task.type(), task.name, work);
        if (options.get_int("dry_run") == 1) {
            context->predict(work);
            context->report(task.flops, report);
            return 0;
        }
        const auto info = run(*context);
        if (info == 0) {
            context->learn();
            is_done = true;
            context->control().report_progress(1, task.name);
        }
        context->report(task.flops, report);
        report.set("info", info);
        return info;
    } catch (const Error &error) {
        const auto status = error.status();
        if (status != Status::cancelled && status != Status::device && status != Status::out_of_memory &&
            status != Status::callback)
            throw;
        const bool is_unchanged = !context || context->is_unchanged();
        // The status for want of memory promises that the call can be made again.
        fail(status == Status::out_of_memory && !is_unchanged ? Status::device : status, task.what(), ": ",
             error.what(),
             is_done        ? "; its results are complete"
             : is_unchanged ? "; nothing was changed"
                            : "; its results are undefined");
    }
}

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

FactorisationContext::FactorisationContext(const DeviceGroup &asked, const Options &options, Scalar type,
                                           const std::string &name, const Work &work)
    : asked_(asked), type_(type),
      choice_(choose(asked, name, options,
                     [&](const DeviceGroup &devices) { return counted(devices, options, type, work); })),
      options_(options), control_(Control::from(options)), choice_seconds_(seconds_since(start_)),
      setup_before_(devices_.setup_seconds()), rules_(RecursionRules::of(devices_, options))
{
}

FactorisationContext::FactorisationContext(const DeviceGroup &devices, const Options &options, Scalar type,
                                           Counting counting, double share_of_memory)
    : asked_(devices), type_(type), choice_{devices, {}, 0, nullptr}, options_(options),
      rules_(RecursionRules::of(devices, options)), count_({.type = type}), counting_(counting),
      share_of_memory_(share_of_memory)
{
}

OperationCount FactorisationContext::counted(const DeviceGroup &devices, const Options &options, Scalar type,
                                             const Work &work, Counting counting, double share_of_memory)
{
    FactorisationContext context(devices, options, type, counting, share_of_memory);
    work(context);
    return *context.count_;
}

bool FactorisationContext::count_left_looking(const FactorisationStep &problem)
{
    if (counting_ == Counting::by_products) return false;
    auto &session = *only_device();
    const std::lock_guard lock(session.in_use());
    const auto kernel = in_card_gemm(session, problem.type, options_.get_text("kernel"));
    auto wish = LeftLookingWish::from(options_, share_of_memory_);
    wish.times_kernels = counting_ == Counting::timed;
    const auto best = best_shape(session, kernel, problem, wish);
    if (best)
        count_->add({best->shape, best->seconds, flops_of(problem),
                     least_bytes(problem, best->shape, session.memory_limit()), std::string(kernel->name())});
    return best.has_value();
}

void FactorisationContext::multiply(Coefficient alpha, const Factor &a, const Factor &b, Coefficient beta,
                                    const HostMatrix &c)
{
    const auto k = a.columns();
    if (c.rows == 0 || c.columns == 0) return;
    const OperationCount::Sizes sizes{c.rows, c.columns, k};
    if (rules_.is_small(c.rows, c.columns, k))
        return on_host(sizes, 1, [&] { on_host::multiply(alpha, a, b, beta, c); });
    const auto operations = flops(sizes);
    if (count_) {
        ++count_->products[sizes];
        count_->flops += operations;
        if (const auto *const session = only_device())
            count_->least_bytes = saturating_add(
                count_->least_bytes, least_traffic({type_, false, false, beta != Coefficient(0), c.rows, c.columns, k},
                                                   session->memory_limit() - session->used())
                                         .total());
        return;
    }
    out_of_card({.type = type_,
                 .row_major = c.row_major,
                 .transpose_a = a.transpose,
                 .transpose_b = b.transpose,
                 .m = c.rows,
                 .n = c.columns,
                 .k = k,
                 .alpha = alpha,
                 .a = a.matrix.data,
                 .lda = a.matrix.ld,
                 .b = b.matrix.data,
                 .ldb = b.matrix.ld,
                 .beta = beta,
                 .c = c.data,
                 .ldc = c.ld},
                operations);
}

DeviceSession *FactorisationContext::only_device() const
{
    if (devices_.sessions.size() != 1) return nullptr;
    auto &session = *devices_.sessions.front();
    return works_in_place(session, options_.get_text("zero_copy")) ? nullptr : &session;
}

void FactorisationContext::add(const FlowRecord &flow, const LeftLookingRecord &record)
{
    left_looking_ = record;
    account_.kernel = record.kernel;
    least_bytes_ = least_bytes_.value_or(0) + record.least_bytes;
    flops_done_ += record.flops;
    panel_seconds_ += record.seconds;
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
        flops_done_ += flops;
        if (account.method != "host") { // alpha = 0 needs no device
            ++products_on_devices_;
            account_.kernel = account.kernel;
        }
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

void FactorisationContext::predict(const Work &work)
{
    auto &count = choice_.count;
    if (choice_.seconds == 0 && count.left_looking) count = counted(devices_, options_, type_, work, Counting::timed);
    const auto prediction = predicted(devices_, count, options_);
    predicted_seconds_ = choice_.seconds > 0 ? choice_.seconds : prediction.seconds;
    if (devices_.sessions.size() > 1)
        for (const auto share : prediction.shares) parts_.push_back({"", share, 0});
    left_looking_ = count.left_looking;
    if (left_looking_) account_.kernel = left_looking_->kernel;
    if (left_looking_ || count.least_bytes > 0)
        least_bytes_ = saturating_add(count.least_bytes, left_looking_ ? left_looking_->least_bytes : 0);
    if (!devices_.sessions.empty() && !count.products.empty()) {
        ++products_on_devices_;
        if (!prediction.kernel.empty()) account_.kernel = prediction.kernel;
    }
    auto *const session = only_device();
    if (session == nullptr || asked_.sessions.size() > 1) return;
    const auto by_products = counted(devices_, options_, type_, work, Counting::by_products);
    {
        const std::lock_guard lock(session->in_use());
        account_.least_memory = least_memory(devices_, by_products, options_);
    }
    account_.advised_memory = advised_memory(*session, work);
}

std::int64_t FactorisationContext::advised_memory(DeviceSession &session, const Work &work) const
{
    const auto used = session.used(), free = session.memory_limit() - used;
    const auto seconds = [&](std::int64_t bytes) -> std::optional<double> {
        const auto share = static_cast<double>(bytes) / static_cast<double>(free);
        const auto count = counted(devices_, options_, type_, work, Counting::as_run, share);
        const auto found = predicted(devices_, count, options_, share).seconds;
        return found > 0 ? std::optional(found) : std::nullopt;
    };
    const auto least = std::max<std::int64_t>(account_.least_memory - used, 1);
    const auto advised = free > 0 ? advised_bytes(least, session.whole_memory() - used, seconds) : std::nullopt;
    return advised ? session.limit_for(*advised) : 0;
}

void FactorisationContext::report(double flops, Report &report) const
{
    auto account = account_;
    account.method = devices_took_part() ? method_on(devices_, only_device()) : "host";
    account.plan = left_looking_ ? "left-looking" : "recursive";
    account.tiles = left_looking_ ? text("panels of ", left_looking_->shape.panel, ", ", left_looking_->shape.resident,
                                         " columns stay")
                                  : text("blocks of ", rules_.host_width);
    account.setup_seconds = own_setup_seconds();
    account.seconds = predicted_seconds_ ? 0 : seconds_since(start_) - account.setup_seconds;
    account.flops = flops;
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

} // namespace hpart
