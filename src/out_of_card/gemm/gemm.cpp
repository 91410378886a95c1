#include "out_of_card/gemm/gemm.hpp"
#include "core/error.hpp"
#include "out_of_card/gemm/device_worker.hpp"
#include "out_of_card/gemm/host_gemm.hpp"
#include "out_of_card/gemm/one_device.hpp"

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

} // namespace hpart
