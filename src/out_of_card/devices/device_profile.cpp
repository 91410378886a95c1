#include "out_of_card/devices/device_profile.hpp"

namespace hpart
{

std::optional<std::vector<double>> DeviceProfile::numbers(std::string_view name) const
{
    const std::lock_guard lock(mutex_);
    const auto found = values_.find(name);
    if (found == values_.end() || !std::holds_alternative<std::vector<double>>(found->second)) return std::nullopt;
    return std::get<std::vector<double>>(found->second);
}

std::optional<std::string> DeviceProfile::text(std::string_view name) const
{
    const std::lock_guard lock(mutex_);
    const auto found = values_.find(name);
    if (found == values_.end() || !std::holds_alternative<std::string>(found->second)) return std::nullopt;
    return std::get<std::string>(found->second);
}

void DeviceProfile::keep(std::string_view name, std::vector<double> values)
{
    const std::lock_guard lock(mutex_);
    values_.insert_or_assign(std::string(name), std::move(values));
}

void DeviceProfile::keep(std::string_view name, std::string value)
{
    const std::lock_guard lock(mutex_);
    values_.insert_or_assign(std::string(name), std::move(value));
}

} // namespace hpart
