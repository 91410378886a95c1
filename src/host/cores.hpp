// Cores of this machine, by the system's processor numbers, and the binding of threads to them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hpart
{

// In increasing order, distinct; empty where a thread is not to be bound.
using CoreList = std::vector<int>;

// The cores that this process may use.
const CoreList &usable_cores();

// Cores of the machine, those that this process may not use included.
int online_cores();

// "0-3,8", strictly: no blanks, no core twice, every core one of `usable`. The messages name the text, or the processor that has
// it.
CoreList parse_cores(std::string_view text, std::span<const int> usable, std::string_view processor = {});

// "0-3,8"
std::string format_cores(const CoreList &cores);

// Binds the calling thread; an empty list changes nothing. Status::unsupported when hwloc is not built in.
void bind_this_thread(const CoreList &cores);

// Ways to group the cores of a node into abstract processors: all in one, one per socket, per cache or per core.

struct Grouping {
    std::string name;
    std::vector<CoreList> groups;         // of all cores, each in one
    std::vector<std::string> other_names; // finer levels that have the same groups
};

// From coarse to fine; two equal groupings are one, under the coarser name. Each has the cores of `usable` only.
// Without hwloc: all cores in one group, and one group per core.
std::vector<Grouping> groupings_of_this_machine(std::span<const int> usable);

// Groupings of a machine in hwloc's synthetic form, "package:2 l3:2 core:4 pu:1". Status::unsupported without hwloc.
std::vector<Grouping> groupings_of(const std::string &synthetic);

} // namespace hpart
