// The question "is the target a sum of one size of each class" in its least form: is `goal` a sum of at most one step of each
// class, after the smallest (or largest) sizes are taken for granted and the common divisor is divided out.
#pragma once

#include "core/progress.hpp"
#include "partitioners/sums/choices.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace hpart
{

struct Steps {
    std::vector<std::int64_t> origins;            // the size of each class before its step
    std::vector<std::vector<std::int64_t>> steps; // of each class, increasing, 1 .. goal
    std::int64_t unit = 1;                        // a step of 1 changes the size by this much
    bool downwards = false;
    std::int64_t goal = 0;

    // Sizes from the step taken in each class (0: none).
    std::vector<std::int64_t> sizes_after(const std::vector<std::int64_t> &taken) const;
};

// Nothing when sums or the common divisor forbid the target. Counts from whichever end is nearer to it.
std::optional<Steps> steps_to(const Choices &choices, std::int64_t target);

// The step of each class (0: none); nothing when the goal is no sum of steps. Both are exact.
using Taken = std::optional<std::vector<std::int64_t>>;
// By bit sets of 0 .. goal.
Taken take_steps_by_bits(const Steps &steps, Control &control);
// By two lists of sums that meet. Throws Status::limit above the memory given.
Taken take_steps_by_lists(const Steps &steps, std::int64_t memory_bytes, Control &control);

// What the bit sets would cost.
struct BitCost {
    double bytes;
    double operations;
};
BitCost bit_cost(const Steps &steps);

} // namespace hpart
