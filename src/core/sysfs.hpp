// Numbers in the files of the kernel, or of a captured tree of another machine's.
#pragma once

#include "core/error.hpp"
#include "core/status.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hpart
{

// HPART_SYSFS_ROOT, else /sys.
std::string sysfs_root();

struct SysfsText {
    Status status = Status::success; // permission; unsupported: not there; io: anything else
    std::string text;                // its first line, trimmed; the system's reason when the status is not success
    bool is_busy = false;            // reading it again may help
};
SysfsText read_sysfs(const std::string &path);

// An Error of a device that was busy: reading it again may help.
class BusyError final : public Error
{
  public:
    using Error::Error;
};

// The file's number. Throws Error: permission with `remedy`, else `otherwise`; BusyError.
std::int64_t read_sysfs_number(const std::string &path, std::string_view remedy, Status otherwise);

} // namespace hpart
