// A sum problem in its least form: sizes of each class from 0, in units of the common divisor.
#pragma once

#include "partitioners/search/choices.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace hpart
{

struct ReducedChoices {
    Choices choices;                   // the same options in the same order
    std::vector<std::int64_t> origins; // of each function
    std::int64_t unit = 1;
    std::int64_t target = 0;

    std::vector<std::int64_t> restore(std::vector<std::int64_t> sizes) const;
};

// Nothing when sums or the common divisor forbid the target.
std::optional<ReducedChoices> reduce(const Choices &choices, std::int64_t target);

// Index of the option of that size, which class i has.
std::size_t option_of_size(const Choices &choices, std::size_t i, std::int64_t size);

// The sum of the costs, rounded once.
double cost_of(const Choices &choices, const std::vector<std::int64_t> &sizes);

} // namespace hpart
