// The power of an idle machine with its error, and the dynamic energy above it.
#pragma once

#include "energy/trace.hpp"

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace hpart
{

struct BasePower {
    double watts = 0;
    double standard_error = 0;
    std::string busy = {}; // "while the base power was measured, other processes used ..."; "" if nothing took energy
};

// The mean power of a trace of at least `intervals` intervals of the meter, and its standard error by batch means: successive
// values of a meter are alike, so the scatter of single values says too little; means over batches long against that likeness
// are nearly independent (Law and Kelton, Simulation Modeling and Analysis). Status::numerical when the trace has no length.
BasePower mean_power(const std::vector<TracePoint> &trace, double intervals);

struct DynamicEnergy {
    double joules = 0;
    double standard_error = 0;
};

// E_D = E_T - P_S T; the error is the error of P_S, times T.
inline DynamicEnergy dynamic_energy(double joules, double seconds, const BasePower &base)
{
    constexpr double rounding = 1e-12;
    const double dynamic = joules - base.watts * seconds;
    return {std::abs(dynamic) > rounding * std::abs(joules) ? dynamic : 0, base.standard_error * seconds};
}

} // namespace hpart
