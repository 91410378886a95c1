#include "core/control_groups.hpp"

#include "core/sysfs.hpp"
#include "core/text.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>

namespace hpart
{

namespace
{

// Systems link "cpu" to the folder of "cpu,cpuacct", in whichever order they mount it.
std::string folder_of(const std::string &root, const std::string &controllers, std::string_view controller)
{
    const auto comma = controllers.find(',');
    const auto turned = comma == std::string::npos
                            ? controllers
                            : text(controllers.substr(comma + 1), ",", controllers.substr(0, comma));
    std::error_code error;
    for (const auto &name : {std::string(controller), controllers, turned})
        if (const auto folder = text(root, "/", name); std::filesystem::exists(folder, error)) return folder;
    return text(root, "/", controllers);
}

std::optional<std::int64_t> number_in_file(const std::string &path)
{
    const auto found = read_sysfs(path);
    return found.status == Status::success ? parse_int(found.text) : std::nullopt;
}

// The pages of files in a group's memory, which the system takes back when it needs them.
std::int64_t page_cache(const std::string &folder, bool is_version_1)
{
    const std::array<std::string, 2> keys = {is_version_1 ? "total_inactive_file " : "inactive_file ",
                                             is_version_1 ? "total_active_file " : "active_file "};
    std::ifstream file(folder + "/memory.stat");
    std::int64_t bytes = 0;
    for (std::string line; std::getline(file, line);)
        for (const auto &key : keys)
            if (line.starts_with(key)) bytes += parse_int(std::string_view(line).substr(key.size())).value_or(0);
    return bytes;
}

} // namespace

std::vector<std::string> control_groups(std::string_view controller, const std::string &proc_root)
{
    std::vector<std::string> folders;
    std::ifstream groups(proc_root + "/self/cgroup");
    // "4:cpu,cpuacct:/a/b", version 2 "0::/a/b"
    for (std::string line; std::getline(groups, line);) {
        const auto first = line.find(':'), second = line.find(':', first + 1);
        if (first == std::string::npos || second == std::string::npos) continue;
        const auto controllers = line.substr(first + 1, second - first - 1);
        auto group = line.substr(second + 1), root = sysfs_root() + "/fs/cgroup";
        if (!controllers.empty()) {
            if (("," + controllers + ",").find(text(",", controller, ",")) == std::string::npos) continue;
            root = folder_of(root, controllers, controller);
        }
        // A container may not see its own group's name: its root is the group.
        for (;; group.resize(group.rfind('/'))) {
            if (group == "/") group.clear();
            folders.push_back(root + group);
            if (group.find('/') == std::string::npos) break;
        }
    }
    return folders;
}

std::int64_t group_memory_left(const std::string &proc_root)
{
    auto left = std::numeric_limits<std::int64_t>::max();
    for (const auto &folder : control_groups("memory", proc_root)) {
        auto limit = number_in_file(folder + "/memory.max"), used = number_in_file(folder + "/memory.current");
        const bool is_version_1 = !used;
        if (is_version_1) {
            limit = number_in_file(folder + "/memory.limit_in_bytes");
            used = number_in_file(folder + "/memory.usage_in_bytes");
        }
        if (!limit || !used) continue; // "max"
        left = std::min(left, std::max<std::int64_t>(
                                  *limit - std::max<std::int64_t>(*used - page_cache(folder, is_version_1), 0), 0));
    }
    return left;
}

} // namespace hpart
