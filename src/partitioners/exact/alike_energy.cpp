// EOPT: the processors have one function, so the problem is one list of options for all: alike_sum.cpp. Where at most q of them may be
// active it is that of q processors: the others idle.
#include "partitioners/exact/alike_energy.hpp"

#include "partitioners/search/alike_sum.hpp"

#include <algorithm>
#include <vector>

namespace hpart
{

std::optional<LeastSum> least_energy_of_alike(const Instance &instance, const AlikeEnergyQuery &query, Control &control)
{
    const auto processors = static_cast<std::int64_t>(instance.processors());
    const bool is_bounded = query.most_active < processors;
    if (instance.functions() != 1 || instance.sizes.empty() ||
        (is_bounded && (query.most_active < 1 || instance.sizes.front() != 0)))
        return std::nullopt;
    std::vector<std::int64_t> sizes;
    std::vector<double> joules;
    std::vector<std::int64_t> uses;
    sizes.reserve(instance.sizes.size());
    joules.reserve(instance.sizes.size());
    for (std::size_t k = 0; k < instance.sizes.size() && instance.sizes[k] <= query.size; ++k) {
        if (instance.seconds[k] > query.longest) continue;
        sizes.push_back(instance.sizes[k]);
        joules.push_back(instance.joules[k]);
        if (query.fewest_active) uses.push_back(instance.sizes[k] > 0 ? 1 : 0);
    }
    if (sizes.empty()) return LeastSum{};
    const auto copies = std::min(processors, query.most_active);
    auto least = least_sum_of_alike({sizes, joules, copies, query.size, uses}, control);
    if (least && !least->sizes.empty()) least->sizes.resize(instance.processors());
    return least;
}

} // namespace hpart
