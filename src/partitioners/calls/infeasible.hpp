// Why there is no distribution, and what would be feasible.
#pragma once

#include "partitioners/problem/constraints.hpp"
#include "partitioners/problem/points_of_call.hpp"
#include "partitioners/problem/prepared.hpp"
#include "partitioners/search/reachable_sum.hpp"

#include <cstddef>
#include <cstdint>

namespace hpart
{

struct Infeasible {
    const Platform &platform;
    const PointsOfCall &points;
    const Constraints &constraints; // its deadline is the one that was kept
    Needs needs{};
    std::int64_t size = 0;
    const Options &options;
    const Communication *communication = nullptr;
};

// Follows "no distribution of size 7" if one that keeps the named bound breaks another.
constexpr const char *that_keeps_others(bool others) { return others ? " that keeps the other bounds" : ""; }

[[noreturn]] void fail_infeasible(const Infeasible &call, Control &control);
// "no distribution of size 7 exists; the nearest feasible sizes are 6 below and 8 above", and why.
[[noreturn]] void fail_infeasible(std::int64_t size, const NearestSums &nearest, std::string_view why = "");

NearestSums nearest_sums_of(const Prepared &points, bool all_work, std::int64_t size, Control &control);

} // namespace hpart
