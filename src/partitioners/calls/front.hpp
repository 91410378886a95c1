// A node as one processor: the node's function of HiPOPTA and of two-level distributions.
#pragma once

#include "partitioners/calls/partition.hpp"

namespace hpart
{

// One processor with time and energy of the best distribution of each workload up to the request's size. Objective time or energy.
// Throws Error: limit, cancelled, and the errors of `partition` but infeasible.
Platform aggregate(const Platform &node, const PreparedPlatform &prepared_node, PartitionRequest request,
                   Control &control);

} // namespace hpart
