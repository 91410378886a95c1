#include "partitioners/sums/resources.hpp"

#include <algorithm>

namespace hpart
{

std::vector<Use> uses_of(const Choices &choices, std::span<const std::int64_t> previous)
{
    std::vector<Use> uses;
    uses.reserve(choices.sizes.size());
    for (std::size_t i = 0; i < choices.classes(); ++i)
        for (const auto size : choices.sizes_of(i))
            uses.push_back({size != 0 ? 1 : 0, previous.empty() ? 0 : std::max<std::int64_t>(0, size - previous[i])});
    return uses;
}

} // namespace hpart
