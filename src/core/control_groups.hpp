// The control groups of this process, as containers and batch systems set them; both versions.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace hpart
{

// The folders of its group with this controller, "cpu" or "memory", and of the groups that it lies in, innermost first.
std::vector<std::string> control_groups(std::string_view controller, const std::string &proc_root = "/proc");

// Bytes until the tightest memory limit of these groups: the limit less the memory in use without the page cache. The largest
// number if no group has a limit.
std::int64_t group_memory_left(const std::string &proc_root = "/proc");

} // namespace hpart
