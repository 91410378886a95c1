// Any bytes are a row of a Watts up? PRO, which has power that such a meter can measure, or none; and a line with watts, or refused with
// Status::device.
#include "energy/backends.hpp"
#include "energy/live_stream.hpp"
#include "fuzz.hpp"

#include <cmath>

void fuzz(std::string_view row)
{
    const auto watts = hpart::wattsup_watts(row);
    if (watts && !(*watts >= 0 && *watts <= 5000)) std::abort();
    if (watts && (row.substr(0, 2) != "#d" || row.back() != ';')) std::abort();
    done_or_refused({hpart::Status::device}, [&] {
        const double printed = hpart::command_watts("fuzz", row);
        if (!std::isfinite(printed) || printed < 0) std::abort();
    });
}
