#include "host/topology.hpp"

#include "core/error.hpp"
#include "core/numbers.hpp"

#include <algorithm>
#include <charconv>
#include <new>

namespace hpart
{

namespace
{

// hwloc takes time that grows with the cube of a level's objects: 4096 of them take seconds, 46464 hours.
void require_loadable(const std::string &synthetic)
{
    constexpr std::int64_t most_objects = 4096;
    std::int64_t objects = 1;
    int open = 0; // attributes stand in parentheses
    for (std::size_t k = 0; k < synthetic.size(); ++k) {
        open += synthetic[k] == '(' ? 1 : synthetic[k] == ')' ? -1 : 0;
        const bool begins_count = k == 0 || synthetic[k - 1] == ':' || synthetic[k - 1] == ' ';
        if (open > 0 || !begins_count) continue;
        std::int64_t count = 0;
        const char *const end = synthetic.data() + synthetic.size();
        const auto parsed = std::from_chars(synthetic.data() + k, end, count);
        if (parsed.ec == std::errc::invalid_argument) continue; // hwloc reports the error
        objects =
            parsed.ec == std::errc{} ? saturating_mul(objects, std::max<std::int64_t>(count, 1)) : most_objects + 1;
        if (objects > most_objects)
            fail_argument("topology is ", in_quotes(synthetic), "; it must have at most ", most_objects, " cores");
    }
}

} // namespace

Topology::Topology()
{
    if (hwloc_topology_init(&topology_) != 0) fail(Status::unsupported, "hwloc cannot be started");
    load("hwloc cannot read the topology of this machine");
}

Topology::Topology(const std::string &synthetic)
{
    require_loadable(synthetic);
    if (hwloc_topology_init(&topology_) != 0) fail(Status::unsupported, "hwloc cannot be started");
    if (hwloc_topology_set_synthetic(topology_, synthetic.c_str()) != 0) {
        hwloc_topology_destroy(topology_);
        fail_argument("topology is ", in_quotes(synthetic),
                      "; it must be in hwloc's synthetic form, as package:2 l3:2 core:4 pu:1");
    }
    load("hwloc cannot read the topology");
}

void Topology::load(const char *failure)
{
    if (hwloc_topology_load(topology_) == 0) return;
    hwloc_topology_destroy(topology_);
    fail(Status::unsupported, failure);
}

const Topology &this_topology()
{
    static const Topology topology;
    return topology;
}

Bitmap make_bitmap()
{
    Bitmap set(hwloc_bitmap_alloc());
    if (!set) throw std::bad_alloc();
    return set;
}

CoreList cores_in(hwloc_const_bitmap_t set)
{
    CoreList cores;
    for (int core = hwloc_bitmap_first(set); core >= 0; core = hwloc_bitmap_next(set, core)) cores.push_back(core);
    return cores;
}

} // namespace hpart
