#include "out_of_card/factorisations/task.hpp"
#include "out_of_card/gemm/one_device.hpp"

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

} // namespace hpart
