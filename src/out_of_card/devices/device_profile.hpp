// Measurements of a device (rates of its link, of kernels, which of them is best), by name, kept in a file for
// later processes: measured once on a device, under its driver, on this kind of host.
#pragma once

#include "core/clock.hpp"
#include "out_of_card/devices/device.hpp"
#include "out_of_card/devices/profile_text.hpp"

#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hpart
{

// Every call may be made from any thread.
class DeviceProfile
{
  public:
    // Kept for the life of the profile only.
    DeviceProfile() = default;
    // The profile of this device in the usual file, in the user's cache folder. A file that cannot be read or is none is as good
    // as empty, and replaced.
    static DeviceProfile in_usual_file(const DeviceInfo &info);
    // The same of a file that the caller has named, which is made where there is none. Status::format when it is no
    // profile, Status::io when it cannot be read or made.
    static DeviceProfile in_file(const std::string &path, const DeviceInfo &info);
    DeviceProfile(DeviceProfile &&other) noexcept;
    DeviceProfile(const DeviceProfile &) = delete;
    DeviceProfile &operator=(const DeviceProfile &) = delete;
    DeviceProfile &operator=(DeviceProfile &&) = delete;
    ~DeviceProfile() = default;

    // Nothing where none was kept under this name, or one of the other type.
    std::optional<std::vector<double>> numbers(std::string_view name) const;
    std::optional<std::string> text(std::string_view name) const;

    // Replaces what was kept under this name, in the file at once: what other processes have written meanwhile stays. A file
    // that cannot be written is left, and so is one if this process waited for cores since it asked for the name in vain: what it measured
    // would mislead all later ones. Names: letters, digits and "._-", as "gemm.blocked.d.rates". Numbers are finite, at
    // least one; texts have neither control characters nor quotation marks. Others are not kept.
    void keep(std::string_view name, std::vector<double> values);
    void keep(std::string_view name, std::string value);

  private:
    enum class Broken : std::uint8_t { replaced, left }; // a file that is no profile
    DeviceProfile(std::string path, Broken broken, std::string identity, ProfileSection values);
    struct Moment {
        Clock::time_point time;
        double waited = 0; // by all threads of this process until then
    };
    static Moment now();
    const ProfileValue *find(std::string_view name) const;
    bool was_disturbed(std::string_view name) const;
    void keep_value(std::string_view name, ProfileValue value);
    void write(std::string_view name, const ProfileValue &value) const;

    std::string path_; // empty: no file
    Broken broken_ = Broken::replaced;
    std::string identity_;
    mutable std::mutex mutex_;
    ProfileSection values_;
    mutable std::map<std::string, Moment, std::less<>> asked_; // for what was not there
};

// The device, its driver and this host in one line: what was measured of one holds for another of the same line.
std::string identity_of(const DeviceInfo &info);

} // namespace hpart
