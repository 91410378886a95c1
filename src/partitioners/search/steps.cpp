#include "partitioners/search/steps.hpp"

#include "core/checked.hpp"

#include <limits>
#include <utility>

namespace hpart
{

std::vector<std::int64_t> ChoiceSteps::sizes_after(const std::vector<TakenStep> &taken) const
{
    std::vector<std::vector<TakenStep>> left(origins_.size()); // of each function
    for (const auto &step : taken) left[step.owner].push_back(step);
    std::vector<std::int64_t> sizes;
    sizes.reserve(function_of_.size());
    for (const auto f : function_of_) {
        sizes.push_back(origins_[f]);
        if (left[f].empty()) continue;
        auto &step = left[f].back();
        sizes.back() += (downwards_ ? -unit_ : unit_) * step.step;
        if (--step.copies == 0) left[f].pop_back();
    }
    return sizes;
}

std::optional<ChoiceSteps> ChoiceSteps::to(const Choices &choices, std::int64_t target)
{
    std::int64_t smallest = 0;
    std::int64_t room = 0; // sum of the classes' spans: between the smallest and the largest sum
    auto copies = choices.copies();
    for (std::size_t f = 0; f < choices.functions(); ++f) {
        const auto sizes = choices.sizes_of_function(f);
        if (sizes.empty()) return std::nullopt;
        smallest = saturating_add(smallest, saturating_mul(copies[f], sizes.front()));
        room = saturating_add(room, saturating_mul(copies[f], sizes.back() - sizes.front()));
    }
    if (smallest > target || target - smallest > room) return std::nullopt;
    const auto up = target - smallest;
    // A saturated room is only known to be larger.
    const auto down = room == std::numeric_limits<std::int64_t>::max() ? room : room - up;
    std::int64_t divisor = 0;
    for (std::size_t f = 0; f < choices.functions(); ++f)
        divisor = common_divisor(divisor, choices.sizes_of_function(f), choices.sizes_of_function(f).front());
    if (divisor == 0 ? up != 0 : up % divisor != 0) return std::nullopt;
    ChoiceSteps out;
    out.unit_ = divisor == 0 ? 1 : divisor;
    out.downwards_ = down < up;
    out.goal_ = (out.downwards_ ? down : up) / out.unit_;
    out.function_of_ = choices.function_of;
    out.copies_ = std::move(copies);
    out.origins_.reserve(choices.functions());
    out.steps_.resize(choices.functions());
    for (std::size_t f = 0; f < choices.functions(); ++f) {
        const auto sizes = choices.sizes_of_function(f);
        out.origins_.push_back(out.downwards_ ? sizes.back() : sizes.front());
        auto &steps = out.steps_[f];
        for (std::size_t k = 1; k < sizes.size(); ++k) {
            const auto distance =
                out.downwards_ ? sizes.back() - sizes[sizes.size() - 1 - k] : sizes[k] - sizes.front();
            if (distance / out.unit_ > out.goal_) break;
            steps.push_back(distance / out.unit_);
        }
    }
    return out;
}

} // namespace hpart
