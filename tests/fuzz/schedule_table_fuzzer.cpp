// Any bytes are a table of schedules, which reads back the same after it is written, or are refused with Status::format.
#include "fuzz.hpp"
#include "models/schedule_table.hpp"

void fuzz(std::string_view content) { read_back(content, hpart::parse_schedule_table, hpart::format_schedule_table); }
