// The totals that one processor reaches with any number of packages, one after another.
#pragma once

#include "core/progress.hpp"
#include "partitioners/search/choices.hpp"
#include "partitioners/search/limits.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace hpart
{

// Packages of one processor by decreasing size.
struct Packages {
    std::vector<std::int64_t> sizes;
    std::vector<double> seconds;
};

// Every total up to a limit that packages can make, with its least time: increasing totals, 0 among them.
struct PackageTotals {
    std::vector<std::int64_t> totals;
    std::vector<double> seconds;
};

constexpr std::int64_t bytes_of_total = 32; // table, then total and time, and what is made of them

// Nothing where they take more than the memory given. Throws Status::limit when the time is up.
std::optional<PackageTotals> totals_up_to(const Packages &packages, std::int64_t limit, std::int64_t memory_bytes,
                                          Pacer &pacer);

// The number of each package in a schedule that makes the total in that least time. Throws Status::limit.
std::vector<std::int64_t> repeats_for(const Packages &packages, std::int64_t total, std::int64_t memory_bytes,
                                      Pacer &pacer);

} // namespace hpart
