// The seconds that a program prints.
#pragma once

#include <optional>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

namespace hpart
{

class PrintedTime
{
  public:
    // pattern: an ECMAScript regular expression whose first group is the number; "": any number counts.
    // Status::invalid_argument when it is none or has no group.
    explicit PrintedTime(const std::string &pattern);

    // The last number of the line, or of the line's last match; NaN where the group is no number; nothing without a match.
    std::optional<double> last_in(std::string_view line) const;
    // All of them, in order.
    std::vector<double> all_in(std::string_view line) const;

  private:
    std::optional<std::regex> pattern_;
};

} // namespace hpart
