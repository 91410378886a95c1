// Any bytes are a row of a Watts up? PRO, which has power that such a meter can measure, or none; and a line with watts, or refused with
// Status::device.
#include "core/error.hpp"
#include "energy/command.hpp"
#include "energy/wattsup.hpp"

#include <cmath>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::string_view row(reinterpret_cast<const char *>(data), size);
    const auto watts = hpart::wattsup_watts(row);
    if (watts && !(*watts >= 0 && *watts <= 5000)) std::abort();
    if (watts && (row.substr(0, 2) != "#d" || row.back() != ';')) std::abort();
    try {
        const double printed = hpart::command_watts("fuzz", row);
        if (!std::isfinite(printed) || printed < 0) std::abort();
    } catch (const hpart::Error &error) {
        if (error.status() != hpart::Status::device) std::abort();
    }
    return 0;
}
