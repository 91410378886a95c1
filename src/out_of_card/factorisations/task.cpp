#include "out_of_card/factorisations/task.hpp"
#include "out_of_card/gemm/one_device.hpp"

namespace hpart
{

namespace
{

void check_tile_of(const DeviceGroup &devices, const OperationTask &task, const Options &options)
{
    double flops = 0;
    for (const auto &step : task.steps) flops += flops_of(step);
    // A little more than there are: what the host does is among them.
    check_tile(devices, GemmSettings::from(options), [&](const TileSize &tile) {
        const auto step = flops_per_product(task.type()) * static_cast<double>(tile.mb) * static_cast<double>(tile.nb) *
                          static_cast<double>(tile.kb);
        return TileSteps{flops / step, step};
    });
}

} // namespace

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

} // namespace hpart
