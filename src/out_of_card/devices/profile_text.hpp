// The text of a device profile file: what was measured, a section a device.
//
//     hpart device profile 1
//     [opencl cpu-znver5, OpenCL 3.0 PoCL; 2 units of AMD EPYC]
//     link.rates = 1.2e+10 1.1e+10 1.3e+10 4e-06
//     gemm.d.kernel = "blocked"
//
// One entry a line: a name of letters, digits and "._-", then numbers or a text. No device and no name stands twice. Empty
// lines and lines that begin with '#' are passed over.
#pragma once

#include "core/variant.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace hpart
{

using ProfileValue = Variant<std::vector<double>, std::string>;
using ProfileSection = std::map<std::string, ProfileValue, std::less<>>;
using ProfileSections = std::map<std::string, ProfileSection, std::less<>>; // by the device's identity

bool is_profile_name(std::string_view name);
// The text made fit to stand in the file: without control characters and quotes.
std::string profile_identity(std::string_view text);

// Status::format, with file, line and what stands there, for anything else. `file` is for messages.
ProfileSections parse_profile(std::string_view content, const std::string &file);
std::string format_profile(const ProfileSections &sections);

} // namespace hpart
