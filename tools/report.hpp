// The parts of the page of `hpart report`.
#pragma once

#include <string>
#include <string_view>

namespace hpart_command
{

// The text for an element or a quoted attribute; control characters become "?".
std::string html_text(std::string_view text);
// tools/report.js and tools/report.css.
std::string_view report_script();
std::string_view report_style();

} // namespace hpart_command
