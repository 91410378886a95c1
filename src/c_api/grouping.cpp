#include "c_api/handles.hpp"
#include "core/text.hpp"
#include "host/cores.hpp"

#include <vector>

using namespace hpart;
using namespace hpart::c_api;

namespace
{

std::vector<Grouping> groupings_in(const char *topology)
{
    return topology == nullptr ? groupings_of_this_machine(usable_cores()) : groupings_of(topology);
}

} // namespace

extern "C" {

hpart_status hpart_grouping_count(const char *topology, int64_t *count)
{
    return guarded([&] {
        require(count, "count");
        *count = static_cast<std::int64_t>(groupings_in(topology).size());
    });
}

hpart_status hpart_grouping_describe(const char *topology, int64_t k, char *buffer, int64_t capacity, int64_t *needed)
{
    return guarded([&] {
        auto groupings = groupings_in(topology);
        const auto count = groupings.size();
        for (std::size_t known = 0; known < count; ++known)
            for (const auto &name : groupings[known].other_names)
                groupings.push_back({name, groupings[known].groups, {}});
        if (k < 0 || k >= static_cast<std::int64_t>(groupings.size()))
            fail_argument("k is ", k, "; the machine has groupings 0 to ", count - 1);
        const auto &grouping = groupings[static_cast<std::size_t>(k)];
        auto line = grouping.name;
        for (const auto &group : grouping.groups) line += text(" ", format_cores(group));
        copy_text(line, buffer, capacity, needed);
    });
}

} // extern "C"
