// Which test answers whether a target is a sum: one step alone, bit sets, or lists that meet.

#include "partitioners/search/subset_sum.hpp"

#include "partitioners/search/limits.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace hpart
{

ChoiceSteps::ChoiceSteps(ReducedChoices reduced)
    : reduced_(std::move(reduced)), copies_(reduced_.choices.copies()), goal_(reduced_.target)
{
    if (reduced_.room == std::numeric_limits<std::int64_t>::max()) return; // is only known to be larger
    downwards_ = reduced_.room - goal_ < goal_;
    if (downwards_) goal_ = reduced_.room - goal_;
}

std::span<const std::int64_t> ChoiceSteps::steps_of(std::size_t f) const
{
    const auto sizes = reduced_.choices.sizes_of_function(f);
    if (!downwards_) return {sizes.begin() + 1, std::upper_bound(sizes.begin(), sizes.end(), goal_)};
    steps_.clear();
    for (auto k = sizes.size() - 1; k-- > 0 && sizes.back() - sizes[k] <= goal_;)
        steps_.push_back(sizes.back() - sizes[k]);
    return steps_;
}

std::vector<std::int64_t> ChoiceSteps::sizes_after(const std::vector<TakenStep> &taken) const
{
    std::vector<std::vector<TakenStep>> left(copies_.size()); // of each function
    for (const auto &step : taken) left[step.owner].push_back(step);
    std::vector<std::int64_t> sizes;
    sizes.reserve(reduced_.choices.classes());
    for (const auto f : reduced_.choices.function_of) {
        sizes.push_back(downwards_ ? reduced_.choices.sizes_of_function(f).back() : 0);
        if (left[f].empty()) continue;
        auto &step = left[f].back();
        sizes.back() += downwards_ ? -step.step : step.step;
        if (--step.copies == 0) left[f].pop_back();
    }
    return reduced_.restore(std::move(sizes));
}

namespace
{

constexpr double quick_operations = 1e7; // milliseconds
constexpr double most_operations = 1e12; // beyond that bit sets would take hours
constexpr double operations_in_list_byte = 4;
constexpr std::int64_t brief_bytes = 1 << 25;

// Most realistic targets are one step of one class away.
Steps find_one_step(const StepSource &source)
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

template <typename Take>
std::optional<std::vector<std::int64_t>> sizes_by(const Choices &choices, std::int64_t target, const Take &take)
{
    auto reduced = reduce(choices, target);
    if (!reduced) return std::nullopt;
    const ChoiceSteps steps(std::move(*reduced));
    const auto taken = take(steps);
    if (!taken) return std::nullopt;
    return steps.sizes_after(*taken);
}

} // namespace

Steps find_steps(const StepSource &source, Control &control, SimdLevel level)
{
    if (auto taken = find_one_step(source)) return taken;
    const auto cost = bit_cost(source);
    const auto memory = control.memory_limit();
    const bool bits_fit = cost.bytes <= static_cast<double>(memory) && cost.operations <= most_operations;
    if (bits_fit && cost.operations <= quick_operations) return find_steps_by_bits(source, control, level);
    if (!bits_fit) return meet_in_the_middle(source, memory, control);
    // Lists often meet early, or see all combinations where there are few; given about as much time as the bit sets will take.
    const auto list_bytes = std::min(static_cast<std::int64_t>(cost.operations / operations_in_list_byte), memory / 8);
    if (auto taken = within_limits([&] { return meet_in_the_middle(source, list_bytes, control); })) return *taken;
    return find_steps_by_bits(source, control, level);
}

Steps find_steps_quickly(const StepSource &source, std::int64_t work)
{
    auto brief = Control::of_work(work, brief_bytes);
    if (auto taken = find_one_step(source)) return taken;
    return within_limits([&] { return meet_in_the_middle(source, brief_bytes, brief); }).value_or(std::nullopt);
}

std::optional<std::vector<std::int64_t>> reach_sum(const Choices &choices, std::int64_t target, Control &control)
{
    ++control.counters.sum_tests;
    return sizes_by(choices, target, [&](const ChoiceSteps &steps) { return find_steps(steps, control); });
}

std::optional<std::vector<std::int64_t>> reach_sum_quickly(const Choices &choices, std::int64_t target)
{
    return sizes_by(choices, target, [](const ChoiceSteps &steps) { return find_steps_quickly(steps, brief_work); });
}

} // namespace hpart
