#include "sections.hpp"

#include "out_of_card/devices/cuda_device.hpp"
#include "out_of_card/devices/registry.hpp"

#include <cstdlib>

namespace gpu_bench
{

using namespace hpart;

Place::Place(Device &device, std::int64_t wanted, bool is_pinned) : bytes(wanted), name(is_pinned ? "pinned" : "plain")
{
    constexpr std::int64_t least = std::int64_t{1} << 20;
    for (; is_pinned && !pinned; bytes /= 2) {
        try {
            pinned = device.allocate_pinned(bytes);
            data = static_cast<char *>(pinned->data());
            return;
        } catch (const Error &error) {
            if (error.status() != Status::out_of_memory || bytes < least) throw;
        }
    }
    plain.reset(new char[static_cast<std::size_t>(bytes)]); // not yet touched
    data = plain.get();
}

void Subject::open()
{
    if (is_small && spec.starts_with("cuda:")) {
        device = make_cuda_device(cuda_number(), libraries);
    } else {
        const auto session = open_devices(spec, Options()).sessions.front();
        device = std::shared_ptr<Device>(session, &session->device());
    }
    measured = std::make_shared<DeviceSession>(device, std::nullopt);
}

DeviceGroup Subject::devices(std::optional<std::int64_t> limit_bytes, const Place *place) const
{
    auto session = std::make_shared<DeviceSession>(device, limit_bytes);
    session->kept<const LinkRates>(name_of_link_rates,
                                   [&] { return std::make_shared<const LinkRates>(measured_link(*measured)); });
    if (place != nullptr && place->pinned) session->pinned_ranges().add(place->data, place->bytes);
    DeviceGroup devices;
    devices.sessions.push_back(std::move(session));
    return devices;
}

int Subject::cuda_number() const
{
    constexpr std::string_view prefix = "cuda:";
    return static_cast<int>(std::strtol(spec.c_str() + prefix.size(), nullptr, 10));
}

std::string note_of(const Report &report, const Place &place, Results &results)
{
    auto note = text_of(report, "plan");
    if (const auto kernel = text_of(report, "kernel"); !kernel.empty()) note += " " + kernel;
    const auto add = [&](const std::string &what) { note += ", " + what; };
    if (const auto staged = number_of(report, "staged_bytes"); staged > 0 && place.pinned)
        add(fixed(100 * staged / (number_of(report, "bytes_to_device") + number_of(report, "bytes_from_device")), 0) +
            " % staged");
    if (text_of(report, "method") == "host") add("ON THE HOST");
    if (const auto on_host = text_of(report, "on_host"); !on_host.empty()) add("on the host: " + on_host);
    if (const auto overlap = number_of(report, "overlap"); overlap > 0) add("overlap " + fixed(overlap, 2));
    if (const auto setup = number_of(report, "setup_seconds"); setup > 0.01) add("set-up " + fixed(setup, 2) + " s");
    if (number_of(report, "memory_retries") > 0) add(text_of(report, "memory_retries") + " retries");
    constexpr double clocks = 1.02; // the device's and the host's
    if (number_of(report, "kernel_seconds") > clocks * number_of(report, "seconds"))
        results.fail("kernel_seconds " + text_of(report, "kernel_seconds") + " of " + text_of(report, "seconds"));
    return note;
}

} // namespace gpu_bench
