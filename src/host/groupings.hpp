// Ways to group the cores of a node into abstract processors: all in one, one per socket, per cache or per core.
#pragma once

#include "host/cores.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hpart
{

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
