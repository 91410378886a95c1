// Ranks that are equal nodes: each measures some of the sizes, all get the points of all.
#pragma once

#include "mpi/platform.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace hpart::mpi
{

// This rank is number `place` of `count` equal ones.
struct Kin {
    std::int64_t count = 1, place = 0;
};

// Called by every rank, with the name of its kind ("": like no other) and its processors. Fails if ranks of one kind have other processors.
Kin find_kin(const Communicator &all, const std::string &kind, const std::vector<ProcessorPart> &processors);

// Ranks of one kind get the points of all of them, and who has no base power the mean of the others.
void share_points(std::vector<PlatformPart> &parts);

} // namespace hpart::mpi
