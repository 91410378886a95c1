#include "partitioners/exact/time_steps.hpp"

namespace hpart
{

Assignment::Assignment(const Prepared &prepared, const std::vector<std::int64_t> &sizes)
    : groups_(prepared.groups()), next_(sizes.size(), 0)
{
    const auto &function_of = prepared.instance().function_of;
    if (sizes.size() == 1) {
        x_.assign(function_of.size(), sizes.front());
        return;
    }
    x_.reserve(function_of.size());
    for (const auto f : function_of) x_.push_back(sizes[f]);
}

void Assignment::change(std::size_t f, std::int64_t change, std::int64_t copies)
{
    const auto processors = groups_.of(f);
    for (; copies > 0; --copies) x_[processors[next_[f]++]] += change;
}

TimeSteps::TimeSteps(const Prepared &prepared, const Origin &origin, std::int64_t divisor)
    : prepared_(prepared), instance_(prepared.instance()), origin_(origin), divisor_(divisor),
      goal_(origin.goal / divisor), used_(instance_.functions(), 0)
{
}

std::int64_t TimeSteps::copies(std::size_t f) const
{
    return static_cast<std::int64_t>(prepared_.groups().copies(f)) - used_[f];
}

std::span<const std::int64_t> TimeSteps::steps_of(std::size_t f) const
{
    steps_.clear();
    const auto size = origin_.sizes[f];
    const auto &function = instance_.of_function[f];
    const auto from = function.find(size);
    if (origin_.downwards) {
        for (auto k = from; k > 0; --k)
            if (!add(function.seconds[k - 1], size - function.sizes[k - 1])) break;
    } else {
        for (auto k = from + 1; k < function.count(); ++k)
            if (!add(function.seconds[k], function.sizes[k] - size)) break;
    }
    return steps_;
}

// A point of that time. False when it and all farther ones are beyond the goal.
bool TimeSteps::add(double seconds, std::int64_t distance) const
{
    if (distance > goal_ * divisor_) return false;
    if (seconds <= origin_.seconds) steps_.push_back(divisor_ == 1 ? distance : distance / divisor_);
    return true;
}

void TimeSteps::take(std::size_t f, std::int64_t step, std::int64_t copies)
{
    goal_ -= copies * step;
    used_[f] += copies;
    taken_.push_back({f, step, copies});
}

std::vector<std::int64_t> TimeSteps::sizes_after(const std::vector<TakenStep> &taken) const
{
    Assignment assignment(prepared_, origin_.sizes);
    const auto unit = origin_.downwards ? -divisor_ : divisor_;
    for (const auto &steps : {taken_, taken})
        for (const auto &step : steps) assignment.change(step.owner, unit * step.step, step.copies);
    return assignment.take();
}

} // namespace hpart
