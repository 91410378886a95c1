// The rows of the Watts up? PRO, a meter between a machine and the wall.
#pragma once

#include <optional>
#include <string_view>

namespace hpart
{

// "#d,-,18,1234,1203,...;" is 123.4 W. Nothing for other, cut or garbled rows.
std::optional<double> wattsup_watts(std::string_view row);

} // namespace hpart
