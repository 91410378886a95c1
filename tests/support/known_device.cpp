#include "known_device.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "out_of_card/devices/registry.hpp"
#include "out_of_card/factorisations/device_panels.hpp"
#include "out_of_card/fft/plan.hpp"
#include "out_of_card/in_card/gemm.hpp"
#include "out_of_card/in_card/gemm_rates.hpp"

#include <algorithm>

namespace support
{

using namespace hpart;

namespace
{

template <typename Thing> void keep(DeviceSession &session, const std::string &name, Thing thing)
{
    session.kept<Thing>(name, [&] { return std::make_shared<Thing>(std::move(thing)); });
}

void keep_product_rates(DeviceSession &session, Scalar type, const KnownRates &rates)
{
    GemmRates::Tile tile{1024, {}};
    for (const std::int64_t depth : {32, 64, 128, 256, 512, 1024, 2048, 4096})
        tile.points.push_back({depth, flops_per_product(type) * (static_cast<double>(depth) + rates.product_depth) /
                                          rates.product_flops});
    const auto names = in_card_gemm_names(session, type);
    for (const auto &name : names) {
        const auto key = name_of_gemm_rates(name, type);
        const GemmRates known{rates.product_seconds, {tile}};
        if (rates.are_measured)
            session.kept_rate<const GemmRates>(key, [&] { return std::make_shared<const GemmRates>(known); });
        else
            keep<const GemmRates>(session, key, known);
    }
    // PoCL compiles CLBlast's kernels for seconds.
    const auto best = std::ranges::find_if(names, [](const auto &name) { return name != "clblast"; });
    if (best != names.end()) keep<const std::string>(session, name_of_best_gemm(type), *best);
}

} // namespace

void keep_rates(DeviceSession &session, const KnownRates &rates)
{
    keep<const LinkRates>(session, name_of_link_rates,
                          {rates.in, rates.out, rates.both, rates.copy_seconds, rates.row_seconds});
    keep<const double>(session, Staging::name_of_rate, rates.staging);
    for (const auto type : {Scalar::s, Scalar::d, Scalar::c, Scalar::z}) {
        keep_product_rates(session, type, rates);
        for (const auto method : {StepKind::lu, StepKind::cholesky, StepKind::qr})
            keep<HostPanels>(session, name_of_host_panels(method, type),
                             {rates.host_flops / 4, rates.host_flops / 2, rates.host_flops});
        for (const auto method : {StepKind::lu, StepKind::cholesky, StepKind::qr})
            keep<std::optional<DevicePanelRates>>(session, name_of_device_panels(method, type),
                                                  DevicePanelRates{rates.panel_column_seconds, rates.panel_flops});
    }
    FftRates fft;
    fft.copy = rates.fft_copy;
    fft.flops = rates.fft_flops;
    fft.command_seconds = rates.fft_seconds;
    for (const auto &engine : in_card_fft_names(session))
        for (const bool is_double : {false, true}) keep(session, name_of_fft_rates(engine, is_double), fft);
}

std::shared_ptr<DeviceSession> known_device(std::shared_ptr<Device> device, std::optional<std::int64_t> limit,
                                            const KnownRates &rates)
{
    auto session = std::make_shared<DeviceSession>(std::move(device), limit);
    keep_rates(*session, rates);
    return session;
}

DeviceGroup known_devices(std::string_view specs, std::optional<std::int64_t> limit)
{
    auto devices = open_devices(specs, {});
    for (auto &session : devices.sessions)
        session = known_device(std::shared_ptr<Device>(session, &session->device()), limit);
    return devices;
}

} // namespace support
