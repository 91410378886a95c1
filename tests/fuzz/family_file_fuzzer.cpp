// Any bytes are a family, or are refused with Status::format. Each of its slices reads back the same after it is written.
#include "fuzz.hpp"
#include "models/platform_file.hpp"

void fuzz(std::string_view content)
{
    done_or_refused({hpart::Status::format}, [&] {
        for (const auto &[parameter, slice] : hpart::parse_family(content, "fuzz"))
            read_back(hpart::format_platform(slice), hpart::parse_platform, hpart::format_platform);
    });
}
