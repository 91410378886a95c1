// The front that a call's options ask for, from the method's.
#pragma once

#include "partitioners/calls/partition.hpp"
#include "partitioners/methods/methods.hpp"

#include <vector>

namespace hpart
{

// energy_budget, eps, points and a previous distribution are taken care of here; deadline and other bounds are in the problem. Empty
// when there is no distribution.
std::vector<FrontPoint> front_of_call(const FrontRequest &request, const FrontMethod &method,
                                      const PartitionProblem &problem, Control &control);

} // namespace hpart
