// Least dynamic energy of alike processors.
#pragma once

#include "core/progress.hpp"
#include "partitioners/problem/instance.hpp"
#include "partitioners/search/least_sum.hpp"
#include "partitioners/search/resources.hpp"

#include <cstdint>
#include <optional>

namespace hpart
{

struct AlikeEnergyQuery {
    std::int64_t size = 0;
    double longest = 0; // time allowed
    bool fewest_active = false;
    std::int64_t most_active = any_amount;
};

// Nothing where the processors have different functions, or where another method must decide (alike_sum.hpp).
std::optional<LeastSum> least_energy_of_alike(const Instance &instance, const AlikeEnergyQuery &query,
                                              Control &control);

} // namespace hpart
