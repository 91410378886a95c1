// Any text is a topology in hwloc's synthetic form, each of whose groupings has every core once, or is refused with
// Status::invalid_argument.
#include "core/error.hpp"
#include "host/groupings.hpp"

#include <cstdlib>
#include <set>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size)
{
    const std::string content(reinterpret_cast<const char *>(data), size);
    try {
        std::set<int> all;
        for (const auto &grouping : hpart::groupings_of(content)) {
            std::set<int> cores;
            for (const auto &group : grouping.groups)
                for (const auto core : group)
                    if (!cores.insert(core).second) std::abort();
            if (all.empty()) all = cores;
            if (cores.empty() || cores != all) std::abort();
        }
    } catch (const hpart::Error &error) {
        const auto status = error.status();
        if (status != hpart::Status::invalid_argument && status != hpart::Status::unsupported) std::abort();
    }
    return 0;
}
