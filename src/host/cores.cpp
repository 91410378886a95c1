#include "host/cores.hpp"

#include "core/error.hpp"

#ifdef HPART_HAVE_HWLOC
#include "host/topology.hpp"

#include <cerrno>
#include <cmath>
#include <map>
#include <string_view>
#include <system_error>
#endif

#include <algorithm>
#include <iterator>
#include <optional>
#include <thread>

#include <unistd.h>

namespace hpart
{

namespace
{

#ifdef HPART_HAVE_HWLOC

CoreList find_usable_cores()
{
    const auto set = make_bitmap();
    // The process's binding at the first call; without one, all allowed cores.
    if (hwloc_get_cpubind(this_topology().get(), set.get(), HWLOC_CPUBIND_PROCESS) != 0)
        hwloc_bitmap_copy(set.get(), hwloc_topology_get_allowed_cpuset(this_topology().get()));
    return cores_in(set.get());
}

#else

CoreList find_usable_cores()
{
    CoreList cores;
    const auto count = std::max(1U, std::thread::hardware_concurrency());
    for (unsigned core = 0; core < count; ++core) cores.push_back(static_cast<int>(core));
    return cores;
}

#endif

// A core number off the front of text.
std::optional<int> take_number(std::string_view &text)
{
    const auto end = std::min(text.find_first_not_of("0123456789"), text.size());
    const auto number = parse_int(text.substr(0, end));
    if (!number || *number > std::numeric_limits<int>::max()) return std::nullopt;
    text.remove_prefix(end);
    return static_cast<int>(*number);
}

} // namespace

int online_cores() { return static_cast<int>(std::max(1L, ::sysconf(_SC_NPROCESSORS_ONLN))); }

const CoreList &usable_cores()
{
    static const CoreList cores = find_usable_cores();
    return cores;
}

CoreList parse_cores(std::string_view text, std::span<const int> usable, std::string_view processor)
{
    const auto fail_at = [&](const auto &...why) {
        if (!processor.empty()) fail_parameter("processor", " is ", in_quotes(processor), why...);
        fail_argument("cores are ", in_quotes(text), why...);
    };
    const auto fail_form = [&] { fail_at("; cores must be numbers and ranges with commas between, as 0-3,8"); };
    const CoreList known(usable.begin(), usable.end());
    CoreList cores;
    auto rest = text;
    for (;;) {
        const auto first = take_number(rest);
        if (!first) fail_form();
        auto last = first;
        if (!rest.empty() && rest.front() == '-') {
            rest.remove_prefix(1);
            last = take_number(rest);
            if (!last || *last < *first) fail_form();
        }
        for (int core = *first;; ++core) {
            if (std::find(known.begin(), known.end(), core) == known.end())
                fail_at(", but core ", core, " is not here; this process may use ", format_cores(known));
            if (std::find(cores.begin(), cores.end(), core) != cores.end())
                fail_at(", where core ", core, " stands twice");
            cores.push_back(core);
            if (core == *last) break;
        }
        if (rest.empty()) break;
        if (rest.front() != ',') fail_form();
        rest.remove_prefix(1);
    }
    std::sort(cores.begin(), cores.end());
    return cores;
}

std::string format_cores(const CoreList &cores)
{
    std::string out;
    for (std::size_t k = 0; k < cores.size();) {
        auto end = k + 1;
        while (end < cores.size() && cores[end] == cores[end - 1] + 1) ++end;
        out += text(out.empty() ? "" : ",", cores[k]);
        if (end - k > 1) out += text("-", cores[end - 1]);
        k = end;
    }
    return out;
}

void bind_this_thread(const CoreList &cores)
{
    if (cores.empty()) return;
#ifdef HPART_HAVE_HWLOC
    const auto set = make_bitmap();
    for (const int core : cores) hwloc_bitmap_set(set.get(), static_cast<unsigned>(core));
    if (hwloc_set_cpubind(this_topology().get(), set.get(), HWLOC_CPUBIND_THREAD) != 0) {
        const int error = errno;
        fail(error == EPERM || error == EACCES ? Status::permission : Status::unsupported,
             "a thread cannot be bound to cores ", format_cores(cores), ": ", std::generic_category().message(error));
    }
#else
    fail(Status::unsupported, "this build has no hwloc: threads cannot be bound to cores ", format_cores(cores));
#endif
}

namespace
{

// Keeps a grouping that has each core once, or its name if it is there already.
void add(std::vector<Grouping> &groupings, std::string name, std::vector<CoreList> groups, std::span<const int> cores)
{
    std::sort(groups.begin(), groups.end());
    CoreList all;
    for (const auto &group : groups) all.insert(all.end(), group.begin(), group.end());
    std::sort(all.begin(), all.end());
    if (!std::equal(all.begin(), all.end(), cores.begin(), cores.end())) return;
    const auto same =
        std::find_if(groupings.begin(), groupings.end(), [&](const auto &known) { return known.groups == groups; });
    if (same == groupings.end())
        groupings.push_back({std::move(name), std::move(groups), {}});
    else
        same->other_names.push_back(std::move(name));
}

#ifdef HPART_HAVE_HWLOC

CoreList usable_part(hwloc_const_bitmap_t set, std::span<const int> usable)
{
    const auto cores = cores_in(set);
    CoreList part;
    std::set_intersection(cores.begin(), cores.end(), usable.begin(), usable.end(), std::back_inserter(part));
    return part;
}

// Memory that several nodes reach belongs to no group of its own.
void drop_groups_of_others(std::vector<CoreList> &groups)
{
    const auto all = groups;
    std::erase_if(groups, [&](const auto &group) {
        return std::any_of(all.begin(), all.end(), [&](const auto &other) {
            return other.size() < group.size() && std::includes(group.begin(), group.end(), other.begin(), other.end());
        });
    });
}

// Some cores lack a level, as low-power cores lack the last cache: they form one more group.
void add_cores_outside(std::vector<CoreList> &groups, std::span<const int> usable)
{
    CoreList outside(usable.begin(), usable.end());
    std::erase_if(outside, [&](int core) {
        return std::any_of(groups.begin(), groups.end(),
                           [&](const auto &group) { return std::binary_search(group.begin(), group.end(), core); });
    });
    if (!outside.empty()) groups.push_back(std::move(outside));
}

struct KindOfCores {
    std::string type;                          // "IntelCore", "IntelAtom"; "" where it is not known
    std::optional<double> capacity, frequency; // as the kernel has them
    CoreList cores;
};

// A core of two kinds that differ by less is one of a series that varies.
constexpr double like_kinds = 0.05;

bool are_near(const std::optional<double> &one, const std::optional<double> &other)
{
    return !one || !other || std::abs(*one - *other) <= like_kinds * std::max(*one, *other);
}

bool are_alike(const KindOfCores &one, const KindOfCores &other)
{
    if (one.type != other.type) return false;
    // The capacity is the kernel's measure of speed; frequencies stand for it where there is none.
    return one.capacity && other.capacity ? are_near(one.capacity, other.capacity)
                                          : are_near(one.frequency, other.frequency);
}

std::vector<KindOfCores> kinds_of_hwloc(hwloc_topology_t topology, std::span<const int> usable)
{
    std::vector<KindOfCores> kinds;
#if HWLOC_API_VERSION >= 0x00020400
    const auto set = make_bitmap();
    const int count = hwloc_cpukinds_get_nr(topology, 0);
    for (int k = count - 1; k >= 0; --k) { // the fastest first
        unsigned length = 0;
        hwloc_info_s *infos = nullptr;
        if (hwloc_cpukinds_get_info(topology, static_cast<unsigned>(k), set.get(), nullptr, &length, &infos, 0) != 0)
            continue;
        KindOfCores kind;
        kind.cores = usable_part(set.get(), usable);
        for (const auto &info : std::span(infos, length)) {
            const std::string_view name = info.name;
            if (name == "CoreType") kind.type = info.value;
            if (name == "LinuxCapacity") kind.capacity = parse_double(info.value);
            if (name == "FrequencyMaxMHz") kind.frequency = parse_double(info.value);
        }
        if (!kind.cores.empty()) kinds.push_back(std::move(kind));
    }
#endif
    return kinds;
}

// Cores of one type whose last cache has another size are of another kind, as AMD's dense cores.
std::vector<KindOfCores> kinds_by_cache(hwloc_topology_t topology, std::span<const int> usable)
{
    std::map<std::uint64_t, CoreList> of_size;
    CoreList outside(usable.begin(), usable.end());
    for (hwloc_obj_t cache = nullptr;
         (cache = hwloc_get_next_obj_by_type(topology, HWLOC_OBJ_L3CACHE, cache)) != nullptr;) {
        auto &cores = of_size[cache->attr->cache.size];
        for (const int core : usable_part(cache->cpuset, usable)) {
            cores.push_back(core);
            std::erase(outside, core);
        }
    }
    if (!of_size.empty()) of_size[0].insert(of_size[0].end(), outside.begin(), outside.end());
    std::vector<KindOfCores> kinds;
    for (auto &[size, cores] : of_size) {
        std::sort(cores.begin(), cores.end());
        if (!cores.empty()) kinds.push_back({{}, {}, {}, std::move(cores)});
    }
    return kinds;
}

std::vector<CoreList> kinds_of_cores(hwloc_topology_t topology, std::span<const int> usable)
{
    std::vector<KindOfCores> merged;
    for (auto &kind : kinds_of_hwloc(topology, usable)) {
        const auto like =
            std::find_if(merged.begin(), merged.end(), [&](const auto &other) { return are_alike(kind, other); });
        if (like == merged.end())
            merged.push_back(std::move(kind));
        else
            like->cores.insert(like->cores.end(), kind.cores.begin(), kind.cores.end());
    }
    if (merged.size() < 2) merged = kinds_by_cache(topology, usable);
    std::vector<CoreList> groups;
    for (auto &kind : merged) {
        std::sort(kind.cores.begin(), kind.cores.end());
        groups.push_back(std::move(kind.cores));
    }
    if (!groups.empty()) add_cores_outside(groups, usable);
    return groups;
}

std::vector<CoreList> groups_of_type(hwloc_topology_t topology, hwloc_obj_type_t type, std::span<const int> usable)
{
    std::vector<CoreList> groups;
    for (hwloc_obj_t object = nullptr; (object = hwloc_get_next_obj_by_type(topology, type, object)) != nullptr;) {
        auto group = usable_part(object->cpuset, usable);
        // Memory beside memory of the same cores makes no other group.
        if (!group.empty() && std::find(groups.begin(), groups.end(), group) == groups.end())
            groups.push_back(std::move(group));
    }
    drop_groups_of_others(groups);
    if (!groups.empty()) add_cores_outside(groups, usable);
    return groups;
}

std::vector<Grouping> groupings_in(hwloc_topology_t topology, std::span<const int> usable)
{
    static constexpr struct {
        const char *name;
        hwloc_obj_type_t type;
    } wide[] = {{"socket", HWLOC_OBJ_PACKAGE}, {"numa", HWLOC_OBJ_NUMANODE}},
      narrow[] = {
          {"l3", HWLOC_OBJ_L3CACHE}, {"l2", HWLOC_OBJ_L2CACHE}, {"core", HWLOC_OBJ_CORE}, {"thread", HWLOC_OBJ_PU}};
    std::vector<Grouping> groupings;
    add(groupings, "node", {CoreList(usable.begin(), usable.end())}, usable);
    for (const auto &[name, type] : wide) add(groupings, name, groups_of_type(topology, type, usable), usable);
    add(groupings, "kind", kinds_of_cores(topology, usable), usable);
    for (const auto &[name, type] : narrow) add(groupings, name, groups_of_type(topology, type, usable), usable);
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
    return groupings_in(this_topology().get(), usable);
#else
    std::vector<Grouping> groupings;
    add(groupings, "node", {CoreList(usable.begin(), usable.end())}, usable);
    add(groupings, "core", single_cores(usable), usable);
    return groupings;
#endif
}

std::vector<Grouping> groupings_of(const std::string &synthetic)
{
#ifdef HPART_HAVE_HWLOC
    const Topology topology(synthetic);
    const auto cores = cores_in(hwloc_topology_get_topology_cpuset(topology.get()));
    return groupings_in(topology.get(), cores);
#else
    fail(Status::unsupported, "this build has no hwloc: it cannot read the topology ", in_quotes(synthetic));
#endif
}

} // namespace hpart
