// Any bytes are a platform, which reads back the same after it is written, or are refused with Status::format.
#include "fuzz.hpp"
#include "models/platform_file.hpp"

void fuzz(std::string_view content) { read_back(content, hpart::parse_platform, hpart::format_platform); }
