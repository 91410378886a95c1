// Any bytes are a device profile, which reads back the same after it is written, or are refused with Status::format.
#include "core/error.hpp"
#include "out_of_card/devices/profile_text.hpp"

#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::string_view content(reinterpret_cast<const char *>(data), size);
    try {
        const auto sections = hpart::parse_profile(content, "fuzz");
        if (hpart::parse_profile(hpart::format_profile(sections), "again") != sections) std::abort();
    } catch (const hpart::Error &error) {
        if (error.status() != hpart::Status::format) std::abort();
    }
    return 0;
}
