// What was measured of a device (rates of its link, of kernels, which of them is best), by name, and kept in a file for
// later processes: measured once on a device, under its driver, on this kind of host.
#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace hpart
{

// Every call may be made from any thread.
class DeviceProfile
{
  public:
    // Kept for the life of the profile only.
    DeviceProfile() = default;
    DeviceProfile(const DeviceProfile &) = delete;
    DeviceProfile &operator=(const DeviceProfile &) = delete;

    // Nothing where none was kept under this name, or one of the other type.
    std::optional<std::vector<double>> numbers(std::string_view name) const;
    std::optional<std::string> text(std::string_view name) const;

    // Replaces what was kept under this name. Names: letters, digits and "._-", as "gemm.blocked.d.rates". Numbers are
    // finite; texts have no control characters.
    void keep(std::string_view name, std::vector<double> values);
    void keep(std::string_view name, std::string value);

  private:
    using Value = std::variant<std::vector<double>, std::string>;
    mutable std::mutex mutex_;
    std::map<std::string, Value, std::less<>> values_;
};

} // namespace hpart
