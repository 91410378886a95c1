// EOPT: the processors have one function, so the problem is one list of options for all: alike_sum.cpp.
#include "partitioners/exact/alike_energy.hpp"

#include "partitioners/search/alike_sum.hpp"

#include <vector>

namespace hpart
{

std::optional<LeastSum> least_energy_of_alike(const Instance &instance, const AlikeEnergyQuery &query, Control &control,
                                              Work &work)
{
    if (instance.functions() != 1) return std::nullopt;
    std::vector<std::int64_t> sizes;
    std::vector<double> joules;
    sizes.reserve(instance.sizes.size());
    joules.reserve(instance.sizes.size());
    for (std::size_t k = 0; k < instance.sizes.size() && instance.sizes[k] <= query.size; ++k) {
        if (instance.seconds[k] > query.longest) continue;
        sizes.push_back(instance.sizes[k]);
        joules.push_back(instance.joules[k]);
    }
    if (sizes.empty()) return LeastSum{};
    const auto copies = static_cast<std::int64_t>(instance.processors());
    return least_sum_of_alike({sizes, joules, copies, query.size, query.fewest_active}, control, work);
}

} // namespace hpart
