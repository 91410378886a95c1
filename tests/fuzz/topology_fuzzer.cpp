// Any text is a topology in hwloc's synthetic form, each of whose groupings has every core once, or is refused with
// Status::invalid_argument.
#include "fuzz.hpp"
#include "host/cores.hpp"

#include <set>
#include <string>

void fuzz(std::string_view content)
{
    done_or_refused({hpart::Status::invalid_argument, hpart::Status::unsupported}, [&] {
        std::set<int> all;
        for (const auto &grouping : hpart::groupings_of(std::string(content))) {
            std::set<int> cores;
            for (const auto &group : grouping.groups)
                for (const auto core : group)
                    if (!cores.insert(core).second) std::abort();
            if (all.empty()) all = cores;
            if (cores.empty() || cores != all) std::abort();
        }
    });
}
