// What the library's answer must satisfy against a reference.
#pragma once

#include "reference.hpp"

#include "partitioners/calls/partition.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace checks
{

// All objectives, ties and fronts against the reference's answers; failures name the instance.
void against(const hpart::Platform &platform, std::int64_t n, const reference::Answers &expected);

// The objective's value is the one expected; nothing: infeasible.
void optimum_is(const hpart::Platform &platform, hpart::Objective objective, std::int64_t n,
                std::optional<double> expected);

// The exact schedule, with either rule for ties, against the reference.
void schedule_is(const hpart::Platform &platform, std::int64_t n);

// Method balanced against the reference.
void balance_is(const hpart::Platform &platform, std::int64_t n);

// Whether n is infeasible in time; then the message must name the nearest sizes.
bool infeasible_names_nearest(const hpart::Platform &platform, std::int64_t n);

// The limits of a call without options.
hpart::Control usual_control();

// Solves with all defaults, or throws.
hpart::Distribution solve(const hpart::Platform &platform, hpart::Objective objective, std::int64_t n,
                          hpart::Ties ties = hpart::Ties::deterministic, const char *method = "exact");

// x sums to n, every x_i is a usable size, and seconds and joules are those of x. True when it is so.
bool is_distribution(const hpart::Platform &platform, hpart::Objective objective, std::int64_t n,
                     const hpart::Distribution &found);

std::int64_t count_active(const std::vector<std::int64_t> &x);

} // namespace checks
