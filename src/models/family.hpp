// A family: functions of two parameters t(x; n), one platform, a slice, for each n that was measured.
#pragma once

#include "models/platform.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace hpart
{

enum class BetweenSlices : std::uint8_t { refuse, linear };

// The slices by parameter: one at least, all with the same processors in the same order.
using Family = std::map<std::int64_t, Platform>;

// Status::format with name:line:column and the offending text. docs/background/functions.md has the format.
Family parse_family(std::string_view content, const std::string &name);

// A slice that is not there is refused, the message names its neighbours, or interpolated between them: time and energy linearly in
// the parameter, at the sizes that both have.
Platform slice_of(const Family &family, std::int64_t parameter, BetweenSlices between);

Platform read_slice(const std::string &path, std::int64_t parameter, BetweenSlices between);

} // namespace hpart
