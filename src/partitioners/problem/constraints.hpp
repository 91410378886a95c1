// The bounds in a call's options, in the solvers' terms.
#pragma once

#include "core/options.hpp"
#include "partitioners/problem/points.hpp"
#include "partitioners/problem/request.hpp"
#include "partitioners/problem/solution.hpp"

#include <cstdint>
#include <optional>

namespace hpart
{

// Bounds the energy of a front's points.
struct FrontBudget {
    double joules;
    FrontEnergy energy;
};

struct Constraints {
    PointRules points;
    Rules rules;
    std::optional<double> deadline; // seconds
    std::optional<double> slowdown; // of the least time: the deadline
    std::optional<FrontBudget> front_budget;
};

// Checks the bounds alone, against each other and against the objective. Fails with a sentence that names the conflict.
Constraints constraints_of(const PartitionRequest &request, std::int64_t processors);
Constraints constraints_of(const FrontRequest &request, std::int64_t processors);

} // namespace hpart
