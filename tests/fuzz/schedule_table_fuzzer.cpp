// Any bytes are a table of schedules, which reads back the same after it is written, or are refused with Status::format.
#include "core/error.hpp"
#include "models/schedule_table.hpp"

#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::string_view content(reinterpret_cast<const char *>(data), size);
    try {
        const auto written = hpart::format_schedule_table(hpart::parse_schedule_table(content, "fuzz"));
        if (hpart::format_schedule_table(hpart::parse_schedule_table(written, "again")) != written) std::abort();
    } catch (const hpart::Error &error) {
        if (error.status() != hpart::Status::format) std::abort();
    }
    return 0;
}
