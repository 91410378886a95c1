// Which test answers whether a target is a sum: one step alone, bit sets, or lists that meet.
#include "partitioners/sums/reachable_sum.hpp"

#include "partitioners/limits.hpp"
#include "partitioners/sums/steps.hpp"

#include <algorithm>

namespace hpart
{

namespace
{

constexpr double quick_operations = 1e7; // milliseconds
constexpr double most_operations = 1e12; // beyond that bit sets would take hours
constexpr double operations_in_list_byte = 4;
constexpr std::int64_t quick_bytes = 1 << 25;
constexpr double quick_seconds = 0.05;

// Most realistic targets are one step of one class away.
Taken take_one_step(const Steps &steps)
{
    std::vector<std::int64_t> taken(steps.steps.size(), 0);
    if (steps.goal == 0) return taken;
    for (std::size_t i = 0; i < steps.steps.size(); ++i)
        if (std::binary_search(steps.steps[i].begin(), steps.steps[i].end(), steps.goal)) {
            taken[i] = steps.goal;
            return taken;
        }
    return std::nullopt;
}

Taken take_steps(const Steps &steps, Control &control)
{
    if (auto taken = take_one_step(steps)) return taken;
    const auto cost = bit_cost(steps);
    const auto memory = control.memory_limit();
    const bool bits_fit = cost.bytes <= static_cast<double>(memory) && cost.operations <= most_operations;
    if (bits_fit && cost.operations <= quick_operations) return take_steps_by_bits(steps, control);
    if (!bits_fit) return take_steps_by_lists(steps, memory, control);
    // Lists often meet early, or see all combinations where there are few; given about as much time as the bit sets will take.
    try {
        const auto list_bytes =
            std::min(static_cast<std::int64_t>(cost.operations / operations_in_list_byte), memory / 8);
        return take_steps_by_lists(steps, list_bytes, control);
    } catch (const Error &error) {
        if (error.status() != Status::limit) throw;
    }
    return take_steps_by_bits(steps, control);
}

} // namespace

std::optional<std::vector<std::int64_t>> reach_sum(const Choices &choices, std::int64_t target, Control &control,
                                                   Work &work)
{
    ++work.sum_tests;
    const auto steps = steps_to(choices, target);
    if (!steps) return std::nullopt;
    const auto taken = take_steps(*steps, control);
    if (!taken) return std::nullopt;
    return steps->sizes_after(*taken);
}

std::optional<std::vector<std::int64_t>> reach_sum_quickly(const Choices &choices, std::int64_t target)
{
    const auto steps = steps_to(choices, target);
    if (!steps) return std::nullopt;
    Control brief(nullptr, quick_seconds, quick_bytes);
    auto taken = take_one_step(*steps);
    try {
        if (!taken) taken = take_steps_by_lists(*steps, quick_bytes, brief);
    } catch (const Error &error) {
        if (error.status() != Status::limit) throw;
    }
    if (!taken) return std::nullopt;
    return steps->sizes_after(*taken);
}

} // namespace hpart
