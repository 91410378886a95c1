// Any bytes are a recording of a meter, which reads back the same after it is written, or are refused with Status::format; the
// energy of one is finite and not negative, or refused with Status::device.
#include "core/error.hpp"
#include "energy/replay_file.hpp"
#include "energy/samples.hpp"
#include "energy/tally.hpp"

#include <cstdlib>

namespace
{

void add_all(const hpart::Traits &traits, const std::vector<hpart::Reading> &readings)
{
    try {
        hpart::Tally tally(traits);
        for (const auto &reading : readings) tally.add(reading, reading.seconds);
        if (tally.joules() < 0 || tally.seconds() < 0 || tally.missed() < 0) std::abort();
    } catch (const hpart::Error &error) {
        if (error.status() != hpart::Status::device) std::abort();
    }
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::string_view content(reinterpret_cast<const char *>(data), size);
    try {
        const auto recording = hpart::parse_recording(content, "fuzz");
        const auto written = hpart::format_recording(recording);
        if (hpart::format_recording(hpart::parse_recording(written, "again")) != written) std::abort();
        const auto &readings = recording.readings;
        const hpart::Traits traits{
            "fuzz", recording.quantity, hpart::Method::replayed, recording.interval, {{"recorded", recording.wrap}}};
        add_all(traits, readings);
        if (recording.quantity == hpart::Quantity::watts)
            add_all(traits, hpart::power_between(readings, readings[0].seconds / 2, readings[1].seconds * 2));
    } catch (const hpart::Error &error) {
        if (error.status() != hpart::Status::format) std::abort();
    }
    return 0;
}
