#include "out_of_card/devices/device_profile.hpp"

#include "core/error.hpp"
#include "core/file.hpp"
#include "core/file_lock.hpp"
#include "host/host_name.hpp"
#include "host/thread_use.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>

namespace hpart
{

namespace
{

// Others hold the file while they write one value; a process that is stopped meanwhile must not stop us.
constexpr std::chrono::seconds patience(10);

// Empty where the user has no place for such files. XDG Base Directory Specification: relative paths are passed over.
std::string usual_path()
{
    const auto absolute = [](const char *name) -> std::string {
        const auto *value = std::getenv(name);
        return value != nullptr && value[0] == '/' ? value : "";
    };
    if (const auto cache = absolute("XDG_CACHE_HOME"); !cache.empty()) return cache + "/hpart/devices.profile";
    if (const auto home = absolute("HOME"); !home.empty()) return home + "/.cache/hpart/devices.profile";
    return "";
}

ProfileSections read_profile(const std::string &path)
{
    std::error_code error;
    if (std::filesystem::is_fifo(path, error)) // would wait until somebody writes
        fail(Status::io, "cannot read ", in_quotes(path),
             ": it is a pipe; a device profile is a file that is written too");
    return parse_profile(read_file(path), path);
}

ProfileSection section_of(ProfileSections sections, std::string_view identity)
{
    const auto found = sections.find(identity);
    return found == sections.end() ? ProfileSection() : std::move(found->second);
}

bool can_be_kept(const ProfileValue &value)
{
    if (const auto *string = std::get_if<std::string>(&value)) return profile_identity(*string) == *string;
    const auto &numbers = std::get<std::vector<double>>(value);
    return !numbers.empty() &&
           std::all_of(numbers.begin(), numbers.end(), [](double number) { return std::isfinite(number); });
}

} // namespace

DeviceProfile::DeviceProfile(std::string path, Broken broken, std::string identity, ProfileSection values)
    : path_(std::move(path)), broken_(broken), identity_(std::move(identity)), values_(std::move(values))
{
}

DeviceProfile::DeviceProfile(DeviceProfile &&other) noexcept
    : path_(std::move(other.path_)), broken_(other.broken_), identity_(std::move(other.identity_)),
      values_(std::move(other.values_))
{
}

DeviceProfile DeviceProfile::in_usual_file(const DeviceInfo &info)
{
    auto path = usual_path();
    auto identity = identity_of(info);
    ProfileSections sections;
    try {
        if (!path.empty()) sections = read_profile(path);
    } catch (const Error &) {
        sections.clear(); // all is measured anew
    }
    auto values = section_of(std::move(sections), identity);
    return {std::move(path), Broken::replaced, std::move(identity), std::move(values)};
}

DeviceProfile DeviceProfile::in_file(const std::string &path, const DeviceInfo &info)
{
    std::error_code error;
    if (!std::filesystem::exists(path, error) && !error) {
        const FileLock lock(path, patience);
        if (!std::filesystem::exists(path, error))
            write_file(path, format_profile({})); // else another has just made it
    }
    const auto identity = identity_of(info);
    return {path, Broken::left, identity, section_of(read_profile(path), identity)};
}

DeviceProfile::Moment DeviceProfile::now()
{
    Moment moment{Clock::now()};
    for (const auto &[id, use] : thread_uses()) moment.waited += use.waited;
    return moment;
}

const ProfileValue *DeviceProfile::find(std::string_view name) const
{
    const auto found = values_.find(name);
    if (found != values_.end()) return &found->second;
    if (!path_.empty()) asked_.insert_or_assign(std::string(name), now());
    return nullptr;
}

bool DeviceProfile::was_disturbed(std::string_view name) const
{
    constexpr double most = 0.2; // of the time: threads of one process wait for each other, too
    const auto begin = asked_.find(name);
    if (begin == asked_.end()) return false;
    const auto end = now();
    const std::chrono::duration<double> seconds = end.time - begin->second.time;
    return end.waited - begin->second.waited > most * seconds.count();
}

std::optional<std::vector<double>> DeviceProfile::numbers(std::string_view name) const
{
    const std::lock_guard lock(mutex_);
    const auto *const found = find(name);
    if (found == nullptr || !std::holds_alternative<std::vector<double>>(*found)) return std::nullopt;
    return std::get<std::vector<double>>(*found);
}

std::optional<std::string> DeviceProfile::text(std::string_view name) const
{
    const std::lock_guard lock(mutex_);
    const auto *const found = find(name);
    if (found == nullptr || !std::holds_alternative<std::string>(*found)) return std::nullopt;
    return std::get<std::string>(*found);
}

void DeviceProfile::keep(std::string_view name, std::vector<double> values) { keep_value(name, std::move(values)); }

void DeviceProfile::keep(std::string_view name, std::string value) { keep_value(name, std::move(value)); }

void DeviceProfile::keep_value(std::string_view name, ProfileValue value)
{
    if (!is_profile_name(name) || !can_be_kept(value)) return;
    const std::lock_guard lock(mutex_);
    if (!path_.empty() && !was_disturbed(name)) {
        try {
            write(name, value);
        } catch (const Error &) { // NOLINT(bugprone-empty-catch)
            // Values that are not written are measured again.
        }
    }
    values_.insert_or_assign(std::string(name), std::move(value));
}

void DeviceProfile::write(std::string_view name, const ProfileValue &value) const
{
    ProfileSections sections;
    std::error_code error;
    std::filesystem::create_directories(std::filesystem::path(path_).parent_path(), error);
    const FileLock lock(path_, patience);
    if (std::filesystem::exists(path_, error)) {
        try {
            sections = read_profile(path_);
        } catch (const Error &) {
            if (broken_ == Broken::left) throw;
            sections.clear();
        }
    }
    sections[identity_].insert_or_assign(std::string(name), value);
    write_file(path_, format_profile(sections));
}

std::string identity_of(const DeviceInfo &info)
{
    constexpr const char *backends[] = {"host", "opencl", "cuda"};
    return profile_identity(hpart::text(backends[static_cast<int>(info.backend)], ' ', info.name, ", ", info.driver,
                                        "; ", info.compute_units, info.on_host_cores ? " units of " : " units at ",
                                        host_name(), info.bus.empty() ? "" : " on bus ", info.bus));
}

} // namespace hpart
