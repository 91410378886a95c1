// Platforms in pieces: what a rank contributes, and the platform of all ranks.
#pragma once

#include "models/platform.hpp"
#include "mpi/communicator.hpp"

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace hpart::mpi
{

struct PlatformDestroy {
    void operator()(hpart_platform *platform) const { hpart_platform_destroy(platform); }
};
using PlatformHandle = std::unique_ptr<hpart_platform, PlatformDestroy>;

// Points in increasing size; NaN, and 0 repetitions, where unknown.
struct ProcessorPart {
    std::string name;
    Limits limits;
    Link host_link;
    std::vector<std::int64_t> sizes;
    std::vector<double> seconds, joules;
    Intervals intervals;
};

// Adds the points of another part, of other sizes. Host link and limits become its ones.
void append(ProcessorPart &to, const ProcessorPart &from);

// The processors of a rank.
struct PlatformPart {
    std::vector<ProcessorPart> processors;
    std::map<std::pair<std::int64_t, std::int64_t>, Link> links;
    std::vector<Node> nodes;
    double base_power = std::numeric_limits<double>::quiet_NaN();
    double border_bytes = 0;
    std::string kernel;
    Facts facts;
    std::string alike; // the kind of node whose points it shares; "": none
};

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
