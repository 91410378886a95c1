#include "host/host_name.hpp"

#include "core/error.hpp"
#include "core/file.hpp"
#include "host/cores.hpp"

#ifdef HPART_HAVE_OPENBLAS
#include <cblas.h>
#endif

namespace hpart
{

namespace
{

std::string processor_name()
{
    try {
        const auto content = read_file("/proc/cpuinfo");
        constexpr std::string_view key = "model name";
        const auto at = content.find(key);
        if (at == std::string::npos) return "unknown processor";
        const auto line = std::string_view(content).substr(at, content.find('\n', at) - at);
        return std::string(trim(line.substr(std::min(line.find(':') + 1, line.size()))));
    } catch (const Error &) {
        return "unknown processor";
    }
}

} // namespace

std::string host_name()
{
    auto name = text(processor_name(), ", ", usable_cores().size(), " cores");
#ifdef HPART_HAVE_OPENBLAS
    name += text(", OpenBLAS ", openblas_get_corename());
#endif
    return name;
}

} // namespace hpart
