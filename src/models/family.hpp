// A family: functions of two parameters t(x; n), one platform, a slice, for each n that was measured.
#pragma once

#include "models/platform.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace hpart
{

enum class BetweenSlices : std::uint8_t { refuse, linear };

class Family
{
  public:
    // The processors of all slices are the same, by name and order.
    void add(std::int64_t parameter, Platform platform);
    const std::map<std::int64_t, Platform> &slices() const { return slices_; }

    // The slice of that parameter; one that is not there is refused, the message names its neighbours, or interpolated
    // between them: time and energy linearly in the parameter, at the sizes that both have.
    Platform slice(std::int64_t parameter, BetweenSlices between) const;

  private:
    std::map<std::int64_t, Platform> slices_;
};

// Family files: docs/background/functions.md. Status::format with name:line:column and the offending text.
Family parse_family(std::string_view content, const std::string &name);
std::string format_family(const Family &family);

Family read_family(const std::string &path);
void write_family(const Family &family, const std::string &path);

} // namespace hpart
