#include "partitioners/search/resources.hpp"

namespace hpart
{

std::vector<Use> uses_of(const Choices &choices, std::span<const std::int64_t> previous)
{
    std::vector<Use> uses;
    uses.reserve(choices.sizes.size());
    std::size_t functions = 0;
    for (std::size_t i = 0; i < choices.classes(); ++i) {
        if (choices.function_of[i] < functions) continue;
        ++functions;
        for (const auto size : choices.sizes_of(i)) uses.push_back(use_of_size(size, i, previous));
    }
    return uses;
}

} // namespace hpart
