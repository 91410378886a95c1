#include "partitioners/search/steps.hpp"

#include "core/checked.hpp"

#include <limits>
#include <numeric>

namespace hpart
{

namespace
{

std::int64_t common_divisor(const Choices &choices)
{
    std::int64_t divisor = 0;
    for (std::size_t i = 0; i < choices.classes() && divisor != 1; ++i)
        for (const auto size : choices.sizes_of(i)) divisor = std::gcd(divisor, size - choices.sizes_of(i).front());
    return divisor;
}

} // namespace

std::vector<std::int64_t> ChoiceSteps::sizes_after(const std::vector<TakenStep> &taken) const
{
    auto sizes = origins_;
    for (const auto &step : taken) sizes[step.owner] += (downwards_ ? -unit_ : unit_) * step.step;
    return sizes;
}

std::optional<ChoiceSteps> ChoiceSteps::to(const Choices &choices, std::int64_t target)
{
    std::int64_t smallest = 0;
    std::int64_t room = 0; // sum of the classes' spans: between the smallest and the largest sum
    for (std::size_t i = 0; i < choices.classes(); ++i) {
        const auto sizes = choices.sizes_of(i);
        if (sizes.empty()) return std::nullopt;
        smallest = saturating_add(smallest, sizes.front());
        room = saturating_add(room, sizes.back() - sizes.front());
    }
    if (smallest > target || target - smallest > room) return std::nullopt;
    const auto up = target - smallest;
    // A saturated room is only known to be larger.
    const auto down = room == std::numeric_limits<std::int64_t>::max() ? room : room - up;
    const auto divisor = common_divisor(choices);
    if (divisor == 0 ? up != 0 : up % divisor != 0) return std::nullopt;
    ChoiceSteps out;
    out.unit_ = divisor == 0 ? 1 : divisor;
    out.downwards_ = down < up;
    out.goal_ = (out.downwards_ ? down : up) / out.unit_;
    out.origins_.reserve(choices.classes());
    out.steps_.resize(choices.classes());
    for (std::size_t i = 0; i < choices.classes(); ++i) {
        const auto sizes = choices.sizes_of(i);
        out.origins_.push_back(out.downwards_ ? sizes.back() : sizes.front());
        auto &steps = out.steps_[i];
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
