// Any bytes are a device profile, which reads back the same after it is written, or are refused with Status::format.
#include "fuzz.hpp"
#include "out_of_card/devices/profile_text.hpp"

void fuzz(std::string_view content)
{
    done_or_refused({hpart::Status::format}, [&] {
        const auto sections = hpart::parse_profile(content, "fuzz");
        if (hpart::parse_profile(hpart::format_profile(sections), "again") != sections) std::abort();
    });
}
