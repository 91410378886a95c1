// Platforms in pieces: what a rank contributes, and the platform of all ranks, made with the public setters.
#pragma once

#include "hpart.h"
#include "mpi/communicator.hpp"

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace hpart::mpi
{

struct PlatformDestroy {
    void operator()(hpart_platform *platform) const { hpart_platform_destroy(platform); }
};
using PlatformHandle = std::unique_ptr<hpart_platform, PlatformDestroy>;

struct LinkPart {
    double latency_seconds = 0;
    double bytes_per_second = std::numeric_limits<double>::infinity();
    double joules_per_byte = 0;
};

struct NodePart {
    std::int64_t first = 0, last = 0;
    double watts = 0;
};

// Points in increasing size; NaN, and 0 repetitions, where unknown.
struct ProcessorPart {
    std::string name;
    std::int64_t smallest = 1;
    std::int64_t largest = std::numeric_limits<std::int64_t>::max();
    LinkPart host_link;
    std::vector<std::int64_t> sizes;
    std::vector<double> seconds, joules, time_low, time_high, energy_low, energy_high;
    std::vector<std::int64_t> repetitions;
};

// Adds the points of another part, of other sizes. Host link and limits become its ones.
void append(ProcessorPart &to, const ProcessorPart &from);

// The processors of a rank.
struct PlatformPart {
    std::vector<ProcessorPart> processors;
    std::vector<std::int64_t> link_ends; // from, to of each link that costs something
    std::vector<LinkPart> links;
    std::vector<NodePart> nodes;
    double base_power = std::numeric_limits<double>::quiet_NaN();
    double border_bytes = 0;
    std::string kernel;
    std::string alike; // the kind of node whose points it shares; "": none
};

// The text of a getter of hpart.h: get(buffer, capacity, needed).
template <typename Get> std::string text_from(Get &&get)
{
    std::int64_t needed = 0;
    check_status(get(nullptr, 0, &needed));
    std::string words(static_cast<std::size_t>(needed), '\0');
    check_status(get(words.data(), needed, &needed));
    words.pop_back(); // the final zero
    return words;
}

// A null platform has no processors.
PlatformPart part_of(const hpart_platform *platform);

Bytes bytes_of(const PlatformPart &part);

// The processors of all ranks in rank order; first_of[r]: index of rank r's first one, first_of[ranks]: their number.
struct WholePlatform {
    PlatformHandle handle;
    std::vector<std::int64_t> first_of;
};

// Fails unless a rank has the sizes of rank 0, in any order.
void require_same_sizes(std::vector<std::int64_t> mine, std::vector<std::int64_t> of_root);

// Called by every rank; rank 0 gets the platform, the others an empty one. Fails if no rank has a processor.
WholePlatform gather_platform(const Communicator &all, const PlatformPart &mine);

// Ranks that are equal nodes: each measures some of the sizes, all get the points of all.

// This rank is number `place` of `count` equal ones.
struct Kin {
    std::int64_t count = 1, place = 0;
};

// Called by every rank, with the name of its kind ("": like no other) and its processors. Fails if ranks of one kind have other processors.
Kin find_kin(const Communicator &all, const std::string &kind, const std::vector<ProcessorPart> &processors);

// Ranks of one kind get the points of all of them, and who has no base power the mean of the others.
void share_points(std::vector<PlatformPart> &parts);

} // namespace hpart::mpi
