#include "core/sysfs.hpp"

#include "core/clock.hpp"
#include "core/descriptor.hpp"
#include "core/error.hpp"

#include <array>
#include <cerrno>
#include <cstdlib>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

namespace hpart
{

namespace
{

// More than any number of the kernel's has digits.
constexpr std::size_t longest_text = 4096;
// In a tree that is played by a program a file may be empty while it is written anew.
constexpr int tries_for_empty = 200;
constexpr auto pause_for_empty = std::chrono::milliseconds(1);

Status status_of(int error)
{
    if (error == EACCES || error == EPERM) return Status::permission;
    return error == ENOENT || error == ENOTDIR || error == ENODEV || error == ENXIO ? Status::unsupported : Status::io;
}

SysfsText failure_of(int error)
{
    return {status_of(error), std::generic_category().message(error), error == EBUSY || error == EAGAIN};
}

SysfsText read_once(const std::string &path)
{
    const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (file.get() < 0) return failure_of(errno);
    std::array<char, longest_text> buffer{};
    const auto length = ::read(file.get(), buffer.data(), buffer.size());
    // The user may read the file: its driver refuses.
    if (length < 0 && errno == EPERM)
        return {Status::io,
                text(std::generic_category().message(EPERM),
                     " by its driver, as of a device that sleeps: give the device work first"),
                false};
    if (length < 0) return failure_of(errno);
    const std::string_view content(buffer.data(), static_cast<std::size_t>(length));
    return {Status::success, std::string(trim(content.substr(0, content.find('\n')))), false};
}

} // namespace

std::string sysfs_root()
{
    const auto *const root = std::getenv("HPART_SYSFS_ROOT");
    return root != nullptr && *root != '\0' ? root : "/sys";
}

SysfsText read_sysfs(const std::string &path)
{
    auto found = read_once(path);
    for (int k = 1; k < tries_for_empty && found.status == Status::success && found.text.empty(); ++k) {
        Clock::sleep_for(pause_for_empty);
        found = read_once(path);
    }
    return found;
}

std::int64_t read_sysfs_number(const std::string &path, std::string_view remedy, Status otherwise)
{
    const auto found = read_sysfs(path);
    if (found.status == Status::permission)
        fail(Status::permission, "cannot read ", in_quotes(path), ": ", found.text, "; ", remedy);
    if (found.is_busy) throw BusyError(otherwise, text("cannot read ", in_quotes(path), ": ", found.text));
    if (found.status != Status::success) fail(otherwise, "cannot read ", in_quotes(path), ": ", found.text);
    const auto value = parse_int(found.text);
    if (!value) fail(otherwise, in_quotes(path), " has ", in_quotes(found.text), "; it must be a whole number");
    return *value;
}

} // namespace hpart
