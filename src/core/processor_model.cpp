#include "core/processor_model.hpp"

#include "core/characters.hpp"
#include "core/error.hpp"
#include "core/file.hpp"
#include "core/text.hpp"

#include <cstdlib>
#include <string_view>

namespace hpart
{

std::string processor_model()
{
    const auto *const given = std::getenv("HPART_MACHINE_ROOT");
    const auto path = text(given == nullptr ? "" : given, "/proc/cpuinfo");
    std::string content;
    try {
        content = read_file(path);
    } catch (const Error &) {
        return {}; // a container may hide it
    }
    for (const std::string_view key : {"\nmodel name", "\ncpu model", "\nModel", "\ncpu\t"}) {
        const auto at = ("\n" + content).find(key);
        if (at == std::string::npos) continue;
        const auto line = std::string_view(content).substr(at, content.find('\n', at) - at);
        if (const auto colon = line.find(':'); colon != std::string_view::npos)
            return printable(trim(line.substr(colon + 1)), ' ');
    }
    return {};
}

} // namespace hpart
