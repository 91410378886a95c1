#include "host/groupings.hpp"

#include "core/checked.hpp"
#include "core/error.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>

#ifdef HPART_HAVE_HWLOC
#include <hwloc.h>
#endif

namespace hpart
{

namespace
{

// Keeps a grouping that has each core once and is not there yet.
void add(std::vector<Grouping> &groupings, std::string name, std::vector<CoreList> groups, std::span<const int> cores)
{
    std::sort(groups.begin(), groups.end());
    CoreList all;
    for (const auto &group : groups) all.insert(all.end(), group.begin(), group.end());
    std::sort(all.begin(), all.end());
    const bool is_new =
        std::none_of(groupings.begin(), groupings.end(), [&](const auto &known) { return known.groups == groups; });
    if (is_new && std::equal(all.begin(), all.end(), cores.begin(), cores.end()))
        groupings.push_back({std::move(name), std::move(groups)});
}

#ifdef HPART_HAVE_HWLOC

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
        if (parsed.ec == std::errc::invalid_argument) continue; // hwloc says what is wrong
        objects =
            parsed.ec == std::errc{} ? saturating_mul(objects, std::max<std::int64_t>(count, 1)) : most_objects + 1;
        if (objects > most_objects)
            fail_argument("topology is ", in_quotes(synthetic), "; it must have at most ", most_objects, " cores");
    }
}

class LoadedTopology
{
  public:
    explicit LoadedTopology(const std::string *synthetic)
    {
        if (synthetic != nullptr) require_loadable(*synthetic);
        if (hwloc_topology_init(&topology_) != 0) fail(Status::unsupported, "hwloc cannot be started");
        if (synthetic != nullptr && hwloc_topology_set_synthetic(topology_, synthetic->c_str()) != 0) {
            hwloc_topology_destroy(topology_);
            fail_argument("topology is ", in_quotes(*synthetic),
                          "; it must be in hwloc's synthetic form, as package:2 l3:2 core:4 pu:1");
        }
        if (hwloc_topology_load(topology_) != 0) {
            hwloc_topology_destroy(topology_);
            fail(Status::unsupported, "hwloc cannot read the topology");
        }
    }
    LoadedTopology(const LoadedTopology &) = delete;
    LoadedTopology &operator=(const LoadedTopology &) = delete;
    ~LoadedTopology() { hwloc_topology_destroy(topology_); }
    hwloc_topology_t get() const { return topology_; }

  private:
    hwloc_topology_t topology_ = nullptr;
};

CoreList cores_of(hwloc_const_cpuset_t set)
{
    CoreList cores;
    for (int core = hwloc_bitmap_first(set); core >= 0; core = hwloc_bitmap_next(set, core)) cores.push_back(core);
    return cores;
}

std::vector<CoreList> groups_of_type(hwloc_topology_t topology, hwloc_obj_type_t type, std::span<const int> usable)
{
    std::vector<CoreList> groups;
    for (hwloc_obj_t object = nullptr; (object = hwloc_get_next_obj_by_type(topology, type, object)) != nullptr;) {
        const auto cores = cores_of(object->cpuset);
        CoreList group;
        std::set_intersection(cores.begin(), cores.end(), usable.begin(), usable.end(), std::back_inserter(group));
        // Memory beside memory of the same cores makes no other group.
        if (!group.empty() && std::find(groups.begin(), groups.end(), group) == groups.end())
            groups.push_back(std::move(group));
    }
    return groups;
}

std::vector<Grouping> groupings_in(hwloc_topology_t topology, std::span<const int> usable)
{
    static constexpr struct {
        const char *name;
        hwloc_obj_type_t type;
    } levels[] = {{"socket", HWLOC_OBJ_PACKAGE}, {"numa", HWLOC_OBJ_NUMANODE}, {"l3", HWLOC_OBJ_L3CACHE},
                  {"l2", HWLOC_OBJ_L2CACHE},     {"core", HWLOC_OBJ_CORE},     {"thread", HWLOC_OBJ_PU}};
    std::vector<Grouping> groupings;
    add(groupings, "node", {CoreList(usable.begin(), usable.end())}, usable);
    for (const auto &[name, type] : levels) add(groupings, name, groups_of_type(topology, type, usable), usable);
    return groupings;
}

#else

std::vector<CoreList> single_cores(std::span<const int> cores)
{
    std::vector<CoreList> groups;
    for (const int core : cores) groups.push_back({core});
    return groups;
}

#endif

} // namespace

std::vector<Grouping> groupings_of_this_machine(std::span<const int> usable)
{
#ifdef HPART_HAVE_HWLOC
    return groupings_in(LoadedTopology(nullptr).get(), usable);
#else
    std::vector<Grouping> groupings;
    add(groupings, "node", {CoreList(usable.begin(), usable.end())}, usable);
    add(groupings, "thread", single_cores(usable), usable);
    return groupings;
#endif
}

std::vector<Grouping> groupings_of(const std::string &synthetic)
{
#ifdef HPART_HAVE_HWLOC
    const LoadedTopology topology(&synthetic);
    const auto cores = cores_of(hwloc_topology_get_topology_cpuset(topology.get()));
    return groupings_in(topology.get(), cores);
#else
    fail(Status::unsupported, "this build has no hwloc: it cannot read the topology ", in_quotes(synthetic));
#endif
}

} // namespace hpart
