#include "known_device.hpp"

#include "scratch.hpp"

#include "core/error.hpp"
#include "core/text.hpp"
#include "out_of_card/in_card/fft.hpp"
#include "out_of_card/in_card/gemm_trial.hpp"

#include <algorithm>

namespace support
{

using namespace hpart;

namespace
{

using Numbers = std::vector<double>;

void keep_product_rates(DeviceSession &session, Scalar type, const KnownRates &rates)
{
    auto &profile = session.profile();
    // Seconds of a launch; one tile: side, count of depths, depth, seconds of an element.
    constexpr double side = 1024, depth = 256;
    const Numbers numbers = {rates.product_seconds, side, 1, depth,
                             flops_per_product(type) * depth / rates.product_flops};
    const auto names = in_card_gemm_names(session, type);
    for (const auto &name : names) profile.keep(gemm_profile_name(name, type, "rates"), numbers);
    // PoCL compiles CLBlast's kernels for seconds.
    const auto best = std::ranges::find_if(names, [](const auto &name) { return name != "clblast"; });
    if (best != names.end()) profile.keep(gemm_profile_name("auto", type, "kernel"), *best);
    profile.keep(gemm_profile_name("tiled", type, "variant"), Numbers{1});
}

} // namespace

void keep_rates(DeviceSession &session, const KnownRates &rates)
{
    auto &profile = session.profile();
    constexpr double row_alignment = 1;
    profile.keep("link",
                 Numbers{rates.in, rates.out, rates.both, rates.copy_seconds, rates.row_seconds, row_alignment});
    profile.keep("packing", Numbers{rates.packing});
    for (const auto type : {Scalar::s, Scalar::d, Scalar::c, Scalar::z}) {
        keep_product_rates(session, type, rates);
        for (const auto *panel : {"lu", "cholesky_squares", "qr"})
            profile.keep(text("host.", panel, ".", "sdcz"[static_cast<int>(type)], ".rates"),
                         Numbers{rates.host_flops / 4, rates.host_flops / 2, rates.host_flops});
    }
    const auto engines = in_card_fft_names(session);
    for (const auto *type : {"c", "z"}) {
        for (const auto &engine : engines)
            profile.keep(text("fft.", engine, ".", type, ".rates"),
                         Numbers{rates.fft_copy, rates.fft_flops, rates.fft_seconds});
        if (!engines.empty()) profile.keep(text("fft.auto.", type, ".kernel"), engines.front());
    }
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

void write_known_profile(const std::string &path)
{
    std::filesystem::create_directories(std::filesystem::absolute(path).parent_path());
    std::filesystem::remove(path);
    Options options;
    options.set_text("profile_file", path);
    const auto keep = [&](const std::string &spec) { keep_rates(*open_devices(spec, options).sessions.front()); };
    for (const auto &device : list_devices()) {
        keep(device.spec);
        if (!device.spec.starts_with("opencl:")) continue;
        try {
            keep(device.spec + ":0"); // a compute unit
        } catch (const Error &error) {
            if (error.status() != Status::device) throw;
        }
    }
}

void use_known_profile()
{
    static const Folder folder;
    static const Variable cache("XDG_CACHE_HOME", folder.path());
    write_known_profile(folder.path() / "hpart" / "devices.profile");
}

} // namespace support
