#include "partitioners/search/choices.hpp"

#include "core/numbers.hpp"

#include <algorithm>
#include <limits>

namespace hpart
{

std::vector<std::int64_t> ReducedChoices::restore(std::vector<std::int64_t> sizes) const
{
    for (std::size_t i = 0; i < sizes.size(); ++i) sizes[i] = sizes[i] * unit + origins[choices.function_of[i]];
    return sizes;
}

std::optional<ReducedChoices> reduce(const Choices &choices, std::int64_t target)
{
    ReducedChoices out;
    std::int64_t divisor = 0;
    const auto copies = choices.copies();
    for (std::size_t f = 0; f < choices.functions(); ++f) {
        const auto sizes = choices.sizes_of_function(f);
        if (sizes.empty()) return std::nullopt;
        const auto smallest = saturating_mul(copies[f], sizes.front());
        if (smallest > target) return std::nullopt;
        target -= smallest;
        out.room = saturating_add(out.room, saturating_mul(copies[f], sizes.back() - sizes.front()));
        out.origins.push_back(sizes.front());
        divisor = common_divisor(divisor, sizes, sizes.front());
    }
    if (target > out.room || (divisor == 0 ? target != 0 : target % divisor != 0)) return std::nullopt;
    out.unit = std::max<std::int64_t>(divisor, 1);
    out.target = target / out.unit;
    if (out.room < std::numeric_limits<std::int64_t>::max()) out.room /= out.unit;
    out.choices = choices;
    for (std::size_t f = 0; f < choices.functions(); ++f)
        for (auto k = choices.first[f]; k < choices.first[f + 1]; ++k)
            out.choices.sizes[k] = (choices.sizes[k] - out.origins[f]) / out.unit;
    return out;
}

std::size_t option_of_size(const Choices &choices, std::size_t i, std::int64_t size)
{
    return choices.begin(i) + find_size(choices.sizes_of(i), {}, size);
}

double cost_of(const Choices &choices, const std::vector<std::int64_t> &sizes)
{
    ExactSum sum;
    for (std::size_t i = 0; i < choices.classes(); ++i) sum.add(choices.costs[option_of_size(choices, i, sizes[i])]);
    return sum.rounded();
}

} // namespace hpart
