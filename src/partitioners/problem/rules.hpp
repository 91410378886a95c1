// Constraints on a whole distribution, and the preference among the best ones.
#pragma once

#include "partitioners/search/resource_search.hpp"
#include "partitioners/search/resources.hpp"

#include <cstdint>
#include <limits>
#include <vector>

namespace hpart
{

struct Rules {
    bool all_work = false; // the instance has no idle points
    Use most = any_use;    // active processors; work moved
    double most_joules = std::numeric_limits<double>::infinity();
    std::vector<std::int64_t> previous; // empty: nothing is known of it
    Prefer prefer = Prefer::least_cost; // least_first: fewest active; least_second: least work moved

    bool bound_uses() const { return most != any_use; }
    // Nothing beyond ties=fewest.
    bool are_plain() const
    {
        return !all_work && !bound_uses() && previous.empty() && most_joules == std::numeric_limits<double>::infinity();
    }
    std::size_t preferred_resource() const { return prefer == Prefer::least_second ? 1 : 0; }
    Use use_of(const std::vector<std::int64_t> &x) const;
};

inline const Rules plain_rules{};

} // namespace hpart
