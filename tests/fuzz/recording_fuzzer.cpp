// Any bytes are a recording of a meter, which reads back the same after it is written, or are refused with Status::format; the
// energy of one is finite and not negative, or refused with Status::device.
#include "energy/backends.hpp"
#include "energy/tally.hpp"
#include "fuzz.hpp"

namespace
{

void add_all(const hpart::Traits &traits, const std::vector<hpart::Reading> &readings)
{
    done_or_refused({hpart::Status::device}, [&] {
        hpart::Tally tally(traits);
        for (const auto &reading : readings) tally.add(reading, reading.seconds);
        if (tally.joules() < 0 || tally.seconds() < 0 || tally.missed() < 0) std::abort();
    });
}

} // namespace

void fuzz(std::string_view content)
{
    read_back(content, hpart::parse_recording, hpart::format_recording);
    done_or_refused({hpart::Status::format}, [&] {
        const auto recording = hpart::parse_recording(content, "fuzz");
        const auto &readings = recording.readings;
        const hpart::Traits traits{
            "fuzz", recording.quantity, hpart::Method::replayed, recording.interval, {{"recorded", recording.wrap}}};
        add_all(traits, readings);
        if (recording.quantity == hpart::Quantity::watts)
            add_all(traits, hpart::power_between(readings, readings[0].seconds / 2, readings[1].seconds * 2));
    });
}
