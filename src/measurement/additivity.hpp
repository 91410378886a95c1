// Tests whether the energies of processors that run alone add up to the energy of all together. A distribution for energy assumes it.
#pragma once

#include "measurement/energy.hpp"
#include "models/platform.hpp"

#include <functional>
#include <span>
#include <vector>

namespace hpart
{

// One entry per distribution.
struct Additivity {
    std::vector<double> parallel, parallel_error; // joules of all processors together, and their standard errors
    std::vector<double> combined, combined_error; // sums of each processor's joules alone; errors 0 if not known
    std::vector<double> differences;              // (parallel - combined) / combined, in per cent
    std::vector<double> difference_errors;        // standard errors of these
};

// distributions: x of each, of as many processors as the team has. alone: the energy functions to add up; null: they are
// measured, each processor with each of its sizes once. Needs a meter of the whole node.
Additivity additivity(const Team &team, const Platform *alone,
                      std::span<const std::span<const std::int64_t>> distributions, const EnergySettings &settings,
                      std::span<const BasePower> bases, const std::function<void()> &before_repetition);

} // namespace hpart
