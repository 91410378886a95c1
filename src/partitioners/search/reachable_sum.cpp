// Which test answers whether a target is a sum: one step alone, bit sets, or lists that meet.

#include "partitioners/search/steps.hpp"

#include "partitioners/search/limits.hpp"

#include <algorithm>

namespace hpart
{

namespace
{

constexpr double quick_operations = 1e7; // milliseconds
constexpr double most_operations = 1e12; // beyond that bit sets would take hours
constexpr double operations_in_list_byte = 4;
constexpr std::int64_t brief_bytes = 1 << 25;

// Most realistic targets are one step of one class away.
Taken take_one_step(const StepSource &source)
{
    const auto goal = source.goal();
    if (goal == 0) return std::vector<TakenStep>{};
    for (std::size_t c = 0; c < source.classes(); ++c) {
        if (source.copies(c) == 0) continue;
        const auto steps = source.steps_of(c);
        if (std::binary_search(steps.begin(), steps.end(), goal)) return std::vector<TakenStep>{{c, goal, 1}};
    }
    return std::nullopt;
}

} // namespace

Taken take_steps(const StepSource &source, Control &control, SimdLevel level)
{
    if (auto taken = take_one_step(source)) return taken;
    const auto cost = bit_cost(source);
    const auto memory = control.memory_limit();
    const bool bits_fit = cost.bytes <= static_cast<double>(memory) && cost.operations <= most_operations;
    if (bits_fit && cost.operations <= quick_operations) return take_steps_by_bits(source, control, level);
    if (!bits_fit) return take_steps_by_lists(source, memory, control);
    // Lists often meet early, or see all combinations where there are few; given about as much time as the bit sets will take.
    const auto list_bytes = std::min(static_cast<std::int64_t>(cost.operations / operations_in_list_byte), memory / 8);
    if (auto taken = within_limits([&] { return take_steps_by_lists(source, list_bytes, control); })) return *taken;
    return take_steps_by_bits(source, control, level);
}

Taken take_steps_quickly(const StepSource &source, std::int64_t work)
{
    auto brief = Control::of_work(work, brief_bytes);
    if (auto taken = take_one_step(source)) return taken;
    return within_limits([&] { return take_steps_by_lists(source, brief_bytes, brief); }).value_or(std::nullopt);
}

std::optional<std::vector<std::int64_t>> reach_sum(const Choices &choices, std::int64_t target, Control &control)
{
    ++control.counters.sum_tests;
    const auto steps = ChoiceSteps::to(choices, target);
    if (!steps) return std::nullopt;
    const auto taken = take_steps(*steps, control);
    if (!taken) return std::nullopt;
    return steps->sizes_after(*taken);
}

std::optional<std::vector<std::int64_t>> reach_sum_quickly(const Choices &choices, std::int64_t target)
{
    const auto steps = ChoiceSteps::to(choices, target);
    if (!steps) return std::nullopt;
    const auto taken = take_steps_quickly(*steps, brief_work);
    if (!taken) return std::nullopt;
    return steps->sizes_after(*taken);
}

} // namespace hpart
