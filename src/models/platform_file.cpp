#include "models/platform_file.hpp"

#include "core/file.hpp"
#include "models/metadata_line.hpp"
#include "models/platform_table.hpp"

namespace hpart
{

std::string format_platform(const Platform &platform)
{
    auto out = format_metadata(platform);
    append_table(out, platform);
    return out;
}

Platform parse_platform(std::string_view content, const std::string &name)
{
    return std::move(parse_table(content, name, TableKind::platform).begin()->second);
}

Platform read_platform(const std::string &path)
{
    const auto content = read_file(path);
    return parse_platform(content, path);
}

void write_platform(const Platform &platform, const std::string &path) { write_file(path, format_platform(platform)); }

} // namespace hpart
