// Any bytes are a family, which reads back the same after it is written, or are refused with Status::format.
#include "fuzz.hpp"
#include "models/family.hpp"

void fuzz(std::string_view content) { read_back(content, hpart::parse_family, hpart::format_family); }
